package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealClientPlaces launches the client above, in and below a repository whose gate asks for a plan before an edit,
// and in a linked work tree of it. Wherever that is, the edit is denied, denied again when the daemon was killed before
// it, and allowed after `req satisfy`.
func TestRealClientPlaces(t *testing.T) {
	realClient(t)
	for _, place := range []struct{ name, launch, into string }{
		{"above", "..", "project"},
		{"in", "", "."},
		{"below", "pkg/a", "."},
		{"linked", "", "."},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.repo(map[string]string{".claude/requirements.yaml": planRule, "pkg/a/a.txt": "a\n"})
			if place.name == "linked" {
				linked := filepath.Join(w.root, "linked")
				w.git("worktree", "add", "-q", "-b", "feature/y", linked)
				w.project = linked
			}
			w.start()
			w.planBeforeEdit(place.launch, place.into)
			w.finish()
		})
	}
}

const planRule = `version: "1.0"
requirements:
  commit_plan:
    enabled: true
    type: blocking
    scope: session
    message: "PLAN-FIRST"
`

// planBeforeEdit plays the scenario from a launch directory, with a `cd` before the first edit.
func (w *world) planBeforeEdit(launch, into string) {
	w.t.Helper()
	id := uuid()
	wait := w.background(Options{Scenario: "places", Subdir: launch, Vars: map[string]string{"INTO": into},
		Args: []string{"--session-id", id, "-p", "plan, then write"}})
	kill := filepath.Join(w.root, "run1", "kill")
	w.heldAt(kill)
	w.kill()
	w.release(kill)
	branch := strings.TrimSpace(w.git("branch", "--show-current"))
	w.meanwhile("satisfy", "✅ Satisfied 'commit_plan' for "+branch+" (session scope)",
		"req", "satisfy", "commit_plan", "--session", id)
	r := wait()

	want := map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 4, "PostToolUse": 4,
		"PostToolBatch": 4, "Stop": 1, "SessionEnd": 1}
	denied := []string{}
	if w.recorder() {
		want["PostToolUse"] = 2
		denied = []string{"toolu_early", "toolu_killed"}
	}
	if into != "." {
		want["CwdChanged"] = 1
	}
	w.fired(want)

	answers := toolAnswers(w.t, r)
	for _, tool := range []string{"toolu_go", "toolu_early", "toolu_killed", "toolu_planned"} {
		answer, ok := answers[tool]
		if !ok || answer.failed != slices.Contains(denied, tool) {
			w.t.Errorf("%s came back (%t) as failed=%t %q; denied are %q", tool, ok, answer.failed, answer.text, denied)
		}
	}
	for _, name := range []string{"early", "killed", "planned"} {
		there := exists(filepath.Join(w.project, name+".txt"))
		if there == slices.Contains(denied, "toolu_"+name) {
			w.t.Errorf("%s.txt was written: %t", name, there)
		}
	}
}
