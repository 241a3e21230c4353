package verbs

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/hookctl/daemon"
)

// stored is a bench whose verbs really connect, to a home with a store and without a daemon.
func stored(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, nil)
	home := b.Home()
	t.Setenv("HOOKLINE_HOME", home)
	t.Setenv("HOOKLINE_SOCKET", filepath.Join(t.TempDir(), "s"))
	d := must(daemon.Open(t.Context(), daemon.Options{Home: home}))(t)
	for _, e := range []events.Envelope{
		{Type: events.TypeSessionStarted, Session: sessionA, Project: hereID, Hook: "SessionStart", Data: json.RawMessage(`{"source":"startup","session_id":"` + sessionA + `"}`)},
		{Type: events.TypeToolFailed, Session: sessionA, Project: hereID, Hook: "PostToolUseFailure", Data: json.RawMessage(`{"tool_name":"Bash","tool_input":{"command":"exit 3"},"error":"Exit code 3"}`)},
	} {
		must(d.Emit(t.Context(), e))(t)
	}
	noError(t, d.Close(t.Context()))
	b.connect = b.dial
	return b
}

// TestReadingWithoutDaemon: every reading verb works on the store of a home in which no daemon runs.
func TestReadingWithoutDaemon(t *testing.T) {
	b := stored(t)
	contains(t, b.must("tail", "-n", "1"), "c68c8a51  tool.failed             Exit code 3 — Bash: exit 3\n")
	contains(t, b.must("events", "show", "1", "--raw"), `"source":"startup"`)
	contains(t, b.must("session", "show", "c68c8a51"), sessionA, "failures      1")
	contains(t, b.must("identity", "show", "--session", "c68c8a51"), "[C:")
	contains(t, b.must("session", "list", "--all", "--json"), `"status":"live"`)
	contains(t, b.must("status"), "hookd is not running")
	if code, _, errs := b.run("events", "show", "77"); code != 1 || errs != "hookctl: error: no event 77 is in the log\nhookctl: hint: `hookctl events list` shows the newest\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
	if code, _, errs := b.run("tail", "--type", "[", "-n", "all"); code != 1 || !strings.HasPrefix(errs, "hookctl: error: --type \"[\" is no pattern\nhookctl: hint: ") {
		t.Errorf("exit %d, %q", code, errs)
	}
}
