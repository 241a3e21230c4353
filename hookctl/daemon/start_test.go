//go:build unix

package daemon

import (
	"slices"
	"testing"

	"hookline/projector"
	"hookline/projector/session"
)

// A start knows the sessions that live, and only them: those that were written and those of a tail that was not.
func TestStartKnowsWhoLives(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	for _, id := range []string{"s-1", "s-2", "s-3"} {
		take(t, d, startOf(id))
	}
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-2","reason":"clear"}`))
	want := []string{"s-1", "s-3"}
	if got := d.liveIDs(t.Context(), session.Alive); !slices.Equal(got, want) {
		t.Fatalf("before: %q", got)
	}
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	if got := d.liveIDs(t.Context(), session.Alive); !slices.Equal(got, want) {
		t.Errorf("after a start: %q", got)
	}
	take(t, d, startOf("s-4"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-1","reason":"clear"}`))
	if got := d.liveIDs(t.Context(), session.Alive); !slices.Equal(got, []string{"s-3", "s-4"}) {
		t.Errorf("with an unwritten tail: %q", got)
	}
}

// After a start the cache has the briefs of live sessions; those of a long past are not worth the wait.
func TestFirstRoundWarmsLiveSessions(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	take(t, d, startOf("s-1"))
	take(t, d, startOf("s-2"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-2","reason":"clear"}`))
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	d.firstRound(t.Context())
	keys, err := d.ground.Store().Keys(t.Context(), projector.BucketCache, "brief.")
	if err != nil || !slices.Equal(keys, []string{"brief.s-1"}) {
		t.Errorf("briefs %q, %v", keys, err)
	}
}
