package projector_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/session"
)

// sessionRecord is a hook of a session, or its end.
func sessionRecord(seq uint64, sid, kind string) events.Record {
	k := events.OfHook(kind)
	return events.NewRecord(seq, events.Envelope{ID: fmt.Sprintf("id-%04d", seq), Type: k.Type, Version: k.Version(), Hook: kind,
		Time: time.Date(2026, 11, 21, 8, 0, int(seq), 0, time.UTC), Session: sid, Project: "p1",
		Data: []byte(`{"session_id":"` + sid + `","hook_event_name":"` + kind + `","source":"startup"}`)})
}

// statuses is what Each tells of the sessions.
func statuses(t *testing.T, v *projector.View, hint string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := v.Read(t.Context(), func(r projector.Reader) error {
		return projector.Each(r, session.Name, hint, func(id string, s session.State) { got[id] = s.Status })
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantStatuses(t *testing.T, what string, got map[string]string, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// counter counts the cells that are read one by one, and gives many in one go.
type counter struct {
	projector.Store
	loads, scanned int
}

func (c *counter) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	c.loads++
	return c.Store.Load(ctx, bucket, key)
}

func (c *counter) Scan(ctx context.Context, bucket, prefix string, fn func(string, []byte) error) error {
	keys, err := c.Keys(ctx, bucket, prefix)
	for _, k := range keys {
		b, err := c.Store.Load(ctx, bucket, k)
		if err != nil {
			return err
		}
		c.scanned++
		if err := fn(k, b); err != nil {
			return err
		}
	}
	return err
}

// Each gives every state once, the newer one where a cell is in memory and in the store.
func TestEach(t *testing.T) {
	mem := projector.NewMemory()
	fold(t, mem, []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart"),
		sessionRecord(3, "s-2", "SessionEnd"), sessionRecord(4, "s-3", "SessionStart")}, 0)
	store := &counter{Store: mem}
	for name, s := range map[string]projector.Store{"one by one": mem, "in one go": store} {
		v, err := projector.OpenView(t.Context(), s, projector.Tables())
		if err != nil {
			t.Fatal(err)
		}
		wantStatuses(t, name, statuses(t, v, ""), map[string]string{"s-1": "live", "s-2": "ended", "s-3": "live"})
		wantStatuses(t, name+", with a hint", statuses(t, v, `"status":"live"`), map[string]string{"s-1": "live", "s-3": "live"})
		for _, r := range []events.Record{sessionRecord(5, "s-1", "SessionEnd"), sessionRecord(6, "s-4", "SessionStart")} {
			if err := v.Apply(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		wantStatuses(t, name+", not yet written", statuses(t, v, ""), map[string]string{"s-1": "ended", "s-2": "ended", "s-3": "live", "s-4": "live"})
	}
}

// What Each looks at does not stay in memory: the same look reads the store again.
func TestEachKeepsNothing(t *testing.T) {
	mem := projector.NewMemory()
	fold(t, mem, []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart")}, 0)
	store := &counter{Store: mem}
	v, err := projector.OpenView(t.Context(), store, projector.Tables())
	if err != nil {
		t.Fatal(err)
	}
	opened := store.loads
	for range 2 {
		statuses(t, v, "")
	}
	if store.scanned != 4 || store.loads != opened {
		t.Errorf("%d cells scanned, %d loaded; want 4 and 0", store.scanned, store.loads-opened)
	}
}

// A cell that cannot be decoded is reported as by every other look, and is no state.
func TestEachMeetsABrokenCell(t *testing.T) {
	mem := projector.NewMemory()
	fold(t, mem, []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart")}, 0)
	if err := mem.Save(t.Context(), projector.BucketSnapshot, []projector.Cell{{Key: "session.v3.s-1", Value: []byte("garbage")}}); err != nil {
		t.Fatal(err)
	}
	v, err := projector.OpenView(t.Context(), mem, projector.Tables())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		wantStatuses(t, "broken", statuses(t, v, ""), map[string]string{"s-2": "live"})
	}
	if got := v.Broken(); !slices.Equal(got, []string{"session.v3.s-1"}) {
		t.Errorf("broken: %q", got)
	}
}

// Warming with keys writes the briefs of these sessions and of no others.
func TestWarmCacheOfSome(t *testing.T) {
	mem := projector.NewMemory()
	recs := []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart")}
	fold(t, mem, recs, 0)
	briefs := func() []string {
		keys, err := mem.Keys(t.Context(), projector.BucketCache, "brief.")
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if err := mem.Save(t.Context(), projector.BucketCache, []projector.Cell{{Key: "brief.s-1"}, {Key: "brief.s-2"}}); err != nil {
		t.Fatal(err)
	}
	v, err := projector.OpenView(t.Context(), mem, projector.Tables())
	if err != nil {
		t.Fatal(err)
	}
	if err := v.WarmCache(t.Context(), "s-2"); err != nil {
		t.Fatal(err)
	}
	if got := briefs(); !slices.Equal(got, []string{"brief.s-2"}) {
		t.Errorf("briefs %q", got)
	}
	if err := v.WarmCache(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := briefs(); !slices.Equal(got, []string{"brief.s-1", "brief.s-2"}) {
		t.Errorf("all briefs %q", got)
	}
}
