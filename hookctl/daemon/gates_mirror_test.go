//go:build unix

package daemon

import (
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/client"
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
	for _, r := range logOf(t, d) {
		if r.Project != "" {
			return r.Project
		}
	}
	t.Fatal("no project yet")
	return ""
}

// A hook without a session is recorded and asked nothing: no id is made up, and no gate could be opened for it.
func TestPinned_07_NoSessionID(t *testing.T) {
	g := newGated(t, planOnly)
	for _, id := range []string{`""`, `null`} {
		f := g.frame("x", edit)
		f.Body = []byte(strings.Replace(string(f.Body), `"session_id":"x"`, `"session_id":`+id, 1))
		f.Size = int64(len(f.Body))
		if got := string(take(t, g.d, f).Stdout); strings.Contains(got, "deny") {
			t.Errorf("%s: %s", id, got)
		}
	}
	expect.Equal(t, g.types(), "")
	requested := 0
	for _, r := range logOf(t, g.d) {
		if r.Type == events.TypeToolRequested && r.Session == "" {
			requested++
		}
	}
	if requested != 2 {
		t.Errorf("%d of 2 are in the log: %v", requested, typesOf(logOf(t, g.d)))
	}
}

// The override of a branch, with a time to live: all its sessions, that branch alone, up to its last moment.
func TestMirrorOverrideWithTimeToLive(t *testing.T) {
	g := newGated(t, planOnly)
	g.satisfy2(sessB, "commit_plan")
	end := g.now().Add(time.Minute)
	g.order(client.GateOrder{Events: ordered(events.TypeGateSatisfied, `{"name":"commit_plan","scope":"session","level":"branch","by":"cli","expires_at":"`+end.Format(time.RFC3339Nano)+`"}`)})
	for _, id := range []string{sessA, sessB, sessC} {
		expect.Equal(t, g.reason(id, edit), "", id)
	}
	git(t, g.dir, "switch", "-q", "-c", "feature/y")
	if g.reason(sessA, edit) == "" {
		t.Error("it holds on another branch")
	}
	git(t, g.dir, "switch", "-q", "feature/x")
	g.set(end.Add(-time.Millisecond)) // the next frame is at the last moment
	expect.Equal(t, g.reason(sessA, edit), "", "at its last moment")
	if g.reason(sessA, edit) == "" {
		t.Error("a millisecond after it")
	}
	expect.Equal(t, g.reason(sessB, edit), "", "who has a satisfaction of its own")
}
