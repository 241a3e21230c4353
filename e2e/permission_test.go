package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// TestRealClientPermission has the client ask for permission where nobody can answer: it then refuses by itself, in
// words of its own. What is dangerous is refused by the recorder, whose words reach the model; what only looks so, and
// everything once the check is switched off, is left to the client.
func TestRealClientPermission(t *testing.T) {
	w := newWorld(t)
	w.repo(map[string]string{".claude/requirements.yaml": "requirements: {}\n"})
	w.start()
	r := w.print(Options{Scenario: "permission", Asks: true}, "push it")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 3, "PermissionRequest": 3,
		"PostToolBatch": 3, "Stop": 1, "SessionEnd": 1})
	w.refusals(r, map[string]string{"toolu_force": "Force push without lease protection", "toolu_said": "",
		"toolu_clean": "Git clean (removes untracked files)"})
	w.wellBehaved(r)
	w.autoDenied("force_push", "git_clean")
	w.verdicts("toolu_force refused_by_gate", "toolu_said refused_by_client", "toolu_clean refused_by_gate")

	w.file(".claude/requirements.local.yaml", "hooks: {permission_request: {auto_deny_dangerous: false}}\n")
	r = w.print(Options{Scenario: "permission", Asks: true}, "push it")
	w.refusals(r, map[string]string{"toolu_force": "", "toolu_said": "", "toolu_clean": ""})
	w.autoDenied("force_push", "git_clean")
	w.verdicts("toolu_force refused_by_client", "toolu_said refused_by_client", "toolu_clean refused_by_client")
	w.finish()
}

// TestRealClientPermissionDialog sits before the terminal: of three questions one comes to a dialog, and is answered with
// yes; nobody is asked about the other two.
func TestRealClientPermissionDialog(t *testing.T) {
	needTmux(t)
	w := newWorld(t)
	if !w.recorder() {
		t.Skip("without the recorder each question comes to a dialog")
	}
	w.repo(map[string]string{".claude/requirements.yaml": "requirements: {}\n"})
	w.start()
	r, err := w.run(Options{Scenario: "permission", Keys: "permission", Asks: true, Args: []string{"--permission-mode", "default"}})
	must(t, err)
	w.refusals(r, map[string]string{"toolu_force": "Force push without lease protection",
		"toolu_clean": "Git clean (removes untracked files)"})
	if said := toolAnswers(t, r)["toolu_said"]; said.failed {
		t.Errorf("what the user allowed came back as %q", said.text)
	}
	expect.Equal(t, w.git("status", "--porcelain"), "?? said.txt\n", "left in the work tree")
	w.autoDenied("force_push", "git_clean")
	w.verdicts("toolu_force refused_by_gate", "toolu_said approved", "toolu_clean refused_by_gate")
	w.finish()
}

// verdicts compares who allowed each call of the newest session, as the recorder says; it ended cleanly.
func (w *world) verdicts(want ...string) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	var s struct {
		Calls []struct {
			ID      string `json:"tool_use_id"`
			Verdict string
		}
		Standing struct{ Kind string }
	}
	must(w.t, json.Unmarshal([]byte(w.hookctl("session", "show", "last", "--json")), &s))
	var got []string
	for _, c := range s.Calls {
		got = append(got, c.ID+" "+c.Verdict)
	}
	if !slices.Equal(got, want) || s.Standing.Kind != "clean" {
		w.t.Errorf("verdicts %q, want %q; it ended: %s", got, want, s.Standing.Kind)
	}
}

// refusals checks that every call came back as failed, and which of them in the recorder's words.
func (w *world) refusals(r *Result, want map[string]string) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	answers := toolAnswers(w.t, r)
	for id, reason := range want {
		a, ok := answers[id]
		ours := strings.Contains(a.text, "**Blocked by requirement gates**: ")
		if !ok || !a.failed || ours != (reason != "") || !strings.Contains(a.text, reason) {
			w.t.Errorf("%s came back (%t) as failed=%t %q; want %q", id, ok, a.failed, a.text, reason)
		}
	}
}

// autoDenied compares the rules that the log says permission was refused by, each caused by a question.
func (w *world) autoDenied(want ...string) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	w.everyHookOnce()
	all, err := w.events()
	must(w.t, err)
	asked := map[string]bool{}
	var got []string
	for _, e := range all {
		if e.Type == "permission.requested" {
			asked[e.ID] = true
		}
		if e.Type != "permission.auto_denied" {
			continue
		}
		var d struct{ Rule string }
		must(w.t, json.Unmarshal(e.Data, &d))
		got = append(got, d.Rule)
		if !asked[e.Causation] {
			w.t.Errorf("event %d is caused by %q, which is no question for permission", e.Seq, e.Causation)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("refused by %q, want %q", got, want)
	}
}
