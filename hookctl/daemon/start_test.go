//go:build unix

package daemon

import (
	"encoding/json"
	"slices"
	"strings"
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
	if got := d.live.ids(); !slices.Equal(got, want) {
		t.Fatalf("before: %q", got)
	}
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	if got := d.live.ids(); !slices.Equal(got, want) {
		t.Errorf("after a start: %q", got)
	}
	take(t, d, startOf("s-4"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-1","reason":"clear"}`))
	fresh, err := loadLive(t.Context(), d.view) // nothing of it is written yet
	if err != nil {
		t.Fatal(err)
	}
	if got := fresh.ids(); !slices.Equal(got, []string{"s-3", "s-4"}) {
		t.Errorf("with an unwritten tail: %q", got)
	}
}

// The text by which stored sessions are told apart without decoding them is in each one that lives, and
// in no other, whatever the session's own texts are.
func TestLiveHint(t *testing.T) {
	for status, want := range map[string]bool{session.Live: true, session.Ended: false, session.Reaped: false, session.Deleted: false} {
		b, err := json.Marshal(session.State{ID: "s-1", Status: status, Branch: `"status":"live"`})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(b), `"status":"live"`); got != want || liveHint != `"status":"live"` {
			t.Errorf("%s: %v in %s", status, got, b)
		}
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
	d.warmLive(t.Context())
	keys, err := d.ground.Store().Keys(t.Context(), projector.BucketCache, "brief.")
	if err != nil || !slices.Equal(keys, []string{"brief.s-1"}) {
		t.Errorf("briefs %q, %v", keys, err)
	}
}

func TestQuietLimit(t *testing.T) {
	for inUse, want := range map[uint64]int64{0: 96 << 20, 40 << 20: 96 << 20, 64 << 20: 112 << 20, 200 << 20: 282 << 20} {
		if got := quietLimit(inUse); got != want {
			t.Errorf("%d MiB in use: limit %d MiB, want %d", inUse>>20, got>>20, want>>20)
		}
	}
}
