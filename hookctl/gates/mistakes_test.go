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
			if hits := r.Match("Edit", nil); !r.Enabled || len(hits) == 0 || hits[len(hits)-1].Name != "good" {
				t.Error("the good one does not gate any more")
			}
			if !r.Hooks.AutoDenyDangerous || !r.Hooks.VerifyRequirements {
				t.Error("what is malformed has lost its default")
			}
		})
	}
}
