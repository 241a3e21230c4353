//go:build unix

package daemon

import (
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/session"
)

// What the framework's own tests look at, as seen through the hooks.

// Registry: who ends is gone from it, who was never there changes nothing.
func TestPinned_05_WhoEndsIsRemoved(t *testing.T) {
	g := newGated(t, planOnly)
	g.says(sessA, startAs("startup"))
	g.says(sessB, startAs("startup"))
	live := func() string { return strings.Join(g.d.liveIDs(t.Context(), session.AliveIn(projectIn(t, g.d))), " ") }
	expect.Equal(t, live(), sessA+" "+sessB)
	g.says(sessA, `{"hook_event_name":"SessionEnd","reason":"other"}`)
	expect.Equal(t, live(), sessB, "after the end")
	g.says(sessC, `{"hook_event_name":"SessionEnd","reason":"other"}`)
	expect.Equal(t, live(), sessB, "after the end of one that was not there")
	if s := sessionState(t, g.d, sessA); s.Status == session.Live {
		t.Errorf("%+v", s)
	}
}

func projectIn(t *testing.T, d *Daemon) string {
	t.Helper()
	return logOf(t, d)[0].Project
}

// A hook without a session is recorded and asked nothing: no id is made up, and no gate could be opened for it.
func TestPinned_07_NoSessionID(t *testing.T) {
	g := newGated(t, planOnly)
	for _, id := range []string{`""`, `null`} {
		f := hookFrame(strings.Replace(edit, "{", `{"session_id":`+id+`,`, 1))
		f.Cwd = g.dir
		if got := string(take(t, g.d, f).Stdout); strings.Contains(got, "deny") {
			t.Errorf("%s: %s", id, got)
		}
	}
	expect.Equal(t, g.types(), "")
	expect.Equal(t, counts(t, g.d)[events.TypeToolRequested], 2)
}
