package hook

import (
	"testing"

	"hookline/expect"
	"hookline/projector/session"
)

func TestClientOf(t *testing.T) {
	for _, c := range []struct{ args, body, program, want string }{
		{"hook Stop", `{}`, "", "claude-code"},
		{"hook Stop", `{"transcript_path":"/h/.claude/projects/x/1.jsonl"}`, "", "claude-code"},
		{"hook Stop", `{"transcript_path":"C:\\Users\\u\\.codex\\sessions\\rollout-1.jsonl"}`, "", "codex"},
		{"hook Stop", `{}`, "codex", "codex"},
		{"hook Stop --client codex", `{}`, "", "codex"},
		{"hook Stop --client another", `{}`, "codex", "another"},
	} {
		expect.Equal(t, clientOf(decode(c.args, c.body), session.State{Program: c.program}), c.want, c.args, c.body)
	}
}

// Gates on Edit or Write hold for a patch of Codex, but not for one of plans alone.
func TestGatesHoldForPatches(t *testing.T) {
	for _, c := range []struct {
		trigger, file string
		denied        bool
	}{
		{"[Edit]", "a.go", true},
		{"[apply_patch]", "a.go", true},
		{"[Bash]", "a.go", false},
		{"[Edit]", "docs/plans/a.md", false},
	} {
		rules := rulesOf(t, "requirements:\n  plan:\n    enabled: true\n    scope: session\n    trigger_tools: "+c.trigger+"\n    message: first plan\n")
		body := `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_use_id":"1","tool_input":{"command":"*** Begin Patch\n*** Update File: ` + c.file + `\n@@\n+x\n*** End Patch"}}`
		_, j := judged(t, body, &Gates{Rules: rules}, GatesPast{})
		if got := j.Deny != ""; got != c.denied {
			t.Errorf("%s on %s: denied %v: %q", c.trigger, c.file, got, j.Deny)
		}
	}
}
