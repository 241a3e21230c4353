package gates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// TestMistakes reads testdata/mistakes.txt: what a user gets wrong, alone in a file that is otherwise good, and how it is
// named with its place. It costs nothing but itself.
func TestMistakes(t *testing.T) {
	data := expect.Value(os.ReadFile(filepath.Join("testdata", "mistakes.txt")))(t)
	for _, c := range strings.Split(string(data), "=== ")[1:] {
		name, rest, _ := strings.Cut(c, "\n")
		text, want, _ := strings.Cut(rest, "--- ")
		t.Run(name, func(t *testing.T) {
			r := project(text)
			if len(r.Problems) != 1 {
				t.Fatalf("problems: %+v", r.Problems)
			}
			p := r.Problems[0]
			kind := map[bool]string{true: "warning", false: "error"}[p.Warning]
			equal(t, "problem", kind+strings.Replace(p.Error(), projectFile+":", " ", 1)+"\n", want)
			if _, kept := r.ByName["X"]; strings.Contains(text, "\n  X:") && kept != p.Warning {
				t.Errorf("X is there: %t", kept)
			}
			if hits := r.Match("Edit", nil); !r.Enabled || len(hits) == 0 || hits[len(hits)-1].Requirement.Name != "good" {
				t.Error("the good one does not gate any more")
			}
			if !r.Hooks.PermissionRequest.AutoDenyDangerous || !r.Hooks.Stop.VerifyRequirements {
				t.Error("what is malformed has lost its default")
			}
		})
	}
}

func TestStopOnlyAndReplanTTL(t *testing.T) {
	r := project("requirements:\n  a: {enabled: true, stop_only: true, scope: branch, replan_ttl: 90}\n  b: {enabled: true}\n")
	equal(t, "problems", []any{r.Problems, r.Notes}, []any{[]Problem(nil), []Problem(nil)})
	equal(t, "a", []any{r.ByName["a"].StopOnly, r.ByName["a"].ReplanTTL.String()}, []any{true, "1m30s"})
	equal(t, "b", []any{r.ByName["b"].StopOnly, r.ByName["b"].ReplanTTL.String()}, []any{false, "0s"})
	stop := r.Hooks.Stop
	equal(t, "asked for at Stop whatever its scope", []bool{stop.Verifies(r.ByName["a"]), stop.Verifies(r.ByName["b"]),
		stop.Verifies(Requirement{Scope: BranchScope})}, []bool{true, true, false})
}
