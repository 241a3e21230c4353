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

// A double-quoted pattern is the classic: \s is no escape there. What cannot be read is named, the rest holds.
func TestMistakePatternInDoubleQuotes(t *testing.T) {
	r := project("requirements:\n  X:\n    enabled: true\n    trigger_tools:\n      - {tool: Bash, command_pattern: \"git\\s+commit\"}\n  good: {enabled: true}\n")
	if len(r.Match("Edit", nil)) != 1 {
		t.Errorf("the good one does not gate any more: %+v", r.Problems)
	}
	for _, p := range r.Problems {
		if p.File != projectFile || p.Line != 5 {
			t.Errorf("%+v", p)
		}
	}
}

// What cannot be read as YAML costs its own part.
func TestMistakesOfYAML(t *testing.T) {
	for _, c := range []struct{ name, text, place string }{
		{"a quote that is not closed", "requirements:\n  X:\n    message: \"open\n  good: {enabled: true}\n", ":3:"},
		{"a bracket that is not closed", "requirements:\n  X: {trigger_tools: [Edit}\n  good: {enabled: true}\n", ":2:"},
		{"a tab", "requirements:\n  X:\n\tenabled: true\n  good: {enabled: true}\n", ":3:"},
		{"an anchor that is not there", "requirements:\n  X: *nobody\n  good: {enabled: true}\n", ":2:"},
	} {
		r := project(c.text)
		if list := r.Invalid(); len(list) == 0 || !strings.HasPrefix(list[0].Error(), projectFile+c.place) {
			t.Errorf("%s: %+v", c.name, list)
		}
		if hits := r.Match("Edit", nil); len(hits) != 1 || hits[0].Requirement.Name != "good" {
			t.Errorf("%s: %+v", c.name, hits)
		}
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
