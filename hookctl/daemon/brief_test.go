//go:build unix

package daemon

import (
	"testing"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// The plain brief leaves no record and counts no hook.
func TestBriefIsNoRecord(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	before := len(logOf(t, d))
	for range 3 {
		f := hookFrame("")
		f.Args = []string{"consciousness", "brief"}
		f.Env["CLAUDE_CODE_SESSION_ID"] = "s-1"
		if a := take(t, d, f); string(a.Stdout) != "[C:CON r=1.00 IC=1.00]\n" || a.Exit != 0 {
			t.Errorf("%+v", a)
		}
	}
	if n := len(logOf(t, d)); n != before {
		t.Errorf("%d records more", n-before)
	}
	f := wire.Frame{ID: wire.NewID(1), Args: []string{"consciousness", "brief", "--hook"}, Time: startOf("s").Time, Complete: true,
		Body: []byte(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Edit","tool_use_id":"t"}`), Env: map[string]string{}}
	f.Size = int64(len(f.Body))
	expect.Equal(t, string(take(t, d, f).Stdout), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"[C:CON r=1.00 IC=1.00]"}}`+"\n")
}

// The plain brief answers for the session that stdin names.
func TestBriefHonoursInput(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	f := hookFrame(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Edit"}`)
	f.Args = []string{"consciousness", "brief"}
	expect.Equal(t, string(take(t, d, f).Stdout), "[C:CON r=1.00 IC=1.00]\n")
}
