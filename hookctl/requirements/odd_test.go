package requirements

import (
	"os"
	"path/filepath"
	"testing"
)

// Ways of writing that are seldom, but that the shell, Python and YAML all take.

func TestSeldomCommandsThatRun(t *testing.T) {
	for _, c := range []struct{ pattern, command string }{
		{push, "bash -c -x 'git push'"},
		{push, "bash -x -c 'git push'"},
		{push, "bash +e -c 'git push'"},
		{push, "bash --command 'git push'"},
		{push, "git pu\\\nsh"},
		{push, "git \\\n  push"},
		{push, `g\it p\ush`},
		{push, `"g"'it' pu"sh"`},
		{push, `$'git\x20push'`},
		{push, `$'gi\t' ; git $'push'`},
		{push, `${CMD:-git} push`},
		{push, `${CMD:=git} push`},
		{push, "x=$((1+2)); git push $((x))"},
		{push, "git push @(a|b)"},
		{push, "env --split-string 'git -C dir push'"},
		{push, "env --split-string='git -C dir push'"},
		{push, "env -i --split-string='A=1 git -C' dir push"},
		{push, "nice -n 5 env A=1 timeout 5 git -C dir push"},
		{push, "fd -x git push"},
		{push, "find . --exec git push"},
		{push, "xargs git push <<< x"},
		{push, "psql <<EOF\n\\! git push\nEOF"},
		{push, "sudo bash <<EOF\ngit push\nEOF"},
		{push, "bash -s <<EOF\ngit push\nEOF"},
		{push, "echo 'git push' | sudo bash"},
	} {
		if !gated(t, c.pattern, c.command) {
			t.Errorf("%s does not match %q", c.pattern, c.command)
		}
	}
}

func TestSeldomCommandsThatDoNot(t *testing.T) {
	for _, c := range []struct{ pattern, command string }{
		{push, `echo "git \push"`},
		{push, `git "p\ush"`}, // inside double quotes the backslash stays
		{push, `echo $'git\x20push'`},
		{push, "env -i"},
		{push, "bash -c"},
		{push, "nohup cat <<EOF\ngit push\nEOF"},
	} {
		if gated(t, c.pattern, c.command) {
			t.Errorf("%s matches %q", c.pattern, c.command)
		}
	}
}

func TestSeldomPatterns(t *testing.T) {
	p, err := compile(`[\b]x`)
	if err != nil || p.as != `[\x08]x` {
		t.Errorf("%+v %v", p, err)
	}
	_, err = compile(`a*+`)
	if err == nil || err.Error() != "a possessive quantifier" {
		t.Error(err)
	}
}

func TestSeldomFigures(t *testing.T) {
	q := Requirement{Name: "size", Thresholds: Thresholds{Block: 0.5}}
	values := map[string]string{"value": "1234567.25"}
	for text, want := range map[string]string{
		"{value:,}": "1,234,567.25", "{value:,.1f}": "1,234,567.2", "{value:f}": "1234567.250000", "{value:,f}": "1,234,567.250000",
		"{value:.0f}": "1234567", "{value:x}": "1234567.25", "{block_threshold:.2f}": "0.50", "{req_name:,}": "size",
	} {
		equal(t, text, Placeholders(text, q, values), want)
	}
	for text, want := range map[string]string{"-1234": "-1,234", "-123": "-123", "123456": "123,456", "999": "999"} {
		equal(t, text, formatted(text, ","), want)
	}
}

func TestSeldomYAML(t *testing.T) {
	r := project("requirements:\n  a: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: .inf}}\n  b: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: 2.5, warn: true}}\n" +
		"  c: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: ~}}\n")
	equal(t, "problems", messages(r.Invalid()), []string{"Dynamic requirement 'c' threshold 'block' must be a positive number, got: None (NoneType)"})
	equal(t, "fraction", r.ByName["b"].Thresholds, Thresholds{Warn: 1, Block: 2.5, HasWarn: true})

	r = project("x: &x {enabled: true}\ny: &y {scope: branch}\nrequirements:\n  a:\n    <<: [*x, *y]\n")
	equal(t, "merged from two", []any{r.ByName["a"].Enabled, r.ByName["a"].Scope}, []any{true, BranchScope})
}

// A path that is not there yet is judged by the folder that it will lie in.
func TestDiskResolvesWhatIsNotThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	equal(t, "behind a link", Disk{}.Resolve(filepath.Join(dir, "link", "new", "plan.md")), filepath.Join(dir, "real", "new", "plan.md"))
	equal(t, "nothing of it is there", Disk{}.Resolve("not/there"), "not/there")
}
