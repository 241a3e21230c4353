package gates

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

func TestSeldomYAML(t *testing.T) {
	r := project("requirements:\n  b: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: 2.5, warn: true}}\n" +
		"  c: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: ~}}\n")
	equal(t, "problems", messages(r.Invalid()), []string{"Dynamic requirement 'c' threshold 'block' must be a positive number, got: None (NoneType)"})
	equal(t, "fraction", r.ByName["b"].Thresholds, Thresholds{Warn: 1, Block: 2.5, HasWarn: true})

	r = project("x: &x {enabled: true}\ny: &y {scope: branch}\nrequirements:\n  a:\n    <<: [*x, *y]\n")
	equal(t, "merged from two", []any{r.ByName["a"].Enabled, r.ByName["a"].Scope}, []any{true, BranchScope})
}

// A path that is not there yet is judged by the folder that it will lie in.
func TestDiskResolvesWhatIsNotThere(t *testing.T) {
	dir := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	expect.OK(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	equal(t, "behind a link", Disk{}.Resolve(filepath.Join(dir, "link", "new", "plan.md")), filepath.Join(dir, "real", "new", "plan.md"))
	equal(t, "nothing of it is there", Disk{}.Resolve("not/there"), "not/there")
}

// A link among the plans that leads to nothing yet is what it leads to.
func TestDiskResolvesALinkToNothing(t *testing.T) {
	dir := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	for link, to := range map[string]string{"plan.md": "../src/new.go", "far.md": filepath.Join(dir, "other", "new.go"), "loop.md": "loop.md"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no links here")
		}
	}
	equal(t, "relative", Disk{}.Resolve(filepath.Join(dir, "plan.md")), filepath.Join(filepath.Dir(dir), "src", "new.go"))
	equal(t, "absolute", Disk{}.Resolve(filepath.Join(dir, "far.md")), filepath.Join(dir, "other", "new.go"))
	equal(t, "to itself", Disk{}.Resolve(filepath.Join(dir, "loop.md")), filepath.Join(dir, "loop.md"))
}
