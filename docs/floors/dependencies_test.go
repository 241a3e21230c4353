package floors

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
)

// TestDependenciesAreDecided: every direct dependency has a line in decision 0002, and every line
// there a module in go.mod.
func TestDependenciesAreDecided(t *testing.T) {
	page := expect.Value(os.ReadFile("../decisions/0002-dependencies.md"))(t)
	if _, err := os.Stat("../../go.mod"); err != nil { // makes the result depend on it
		t.Fatal(err)
	}
	decided := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		decided[m[1]] = true
	}
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out := expect.Value(cmd.Output())(t)
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	expect.OK(t, json.Unmarshal(out, &mod))
	required := map[string]bool{}
	for _, r := range mod.Require {
		required[r.Path] = true
		if !r.Indirect && !decided[r.Path] {
			t.Errorf("%s has no line in docs/decisions/0002-dependencies.md", r.Path)
		}
	}
	for path := range decided {
		if !required[path] {
			t.Errorf("docs/decisions/0002-dependencies.md has a line for %s, which is not in go.mod", path)
		}
	}
	if len(decided) == 0 || len(required) == 0 || !strings.Contains(string(out), module) {
		t.Errorf("nothing was compared: %d lines, %d requirements", len(decided), len(required))
	}
}
