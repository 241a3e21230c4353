package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
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

// found is what the index of the sessions has under a word, with each one's status.
func found(t *testing.T, v *projector.View, word string) map[string]string {
	t.Helper()
	got := map[string]string{}
	expect.OK(t, v.Read(t.Context(), func(r projector.Reader) error {
		for _, s := range projector.Find[session.State](r, session.Name, word) {
			got[s.ID] = s.Status
		}
		return nil
	}))
	return got
}

func wantFound(t *testing.T, what string, got map[string]string, want ...string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(got))
	if !slices.Equal(keys, want) {
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
	return c.Store.Scan(ctx, bucket, prefix, func(key string, value []byte) error {
		c.scanned++
		return fn(key, value)
	})
}

// An index is stored with the position: a later view reads no cells for it. After a crash that left cells
// newer than the position it is right again when their records have been folded once more, and verify compares it.
func TestIndexIsStored(t *testing.T) {
	position := fmt.Sprintf("position.%s.v%d", session.Name, session.Version)
	mem := projector.NewMemory()
	recs := []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart"), sessionRecord(3, "s-1", "SessionEnd"), sessionRecord(4, "s-3", "SessionStart")}
	v := fold(t, mem, recs[:2], 0)
	expect.OK(t, v.Apply(t.Context(), recs[2]))
	flush(t, v)
	before := expect.Value(mem.Load(t.Context(), projector.BucketSnapshot, position))(t)

	store := &counter{Store: mem}
	v = open(t, store)
	wantFound(t, "opened", found(t, v, session.Alive), "s-2")
	expect.Equal(t, store.scanned, 0, "cells scanned")
	expect.OK(t, v.Apply(t.Context(), recs[3]))
	flush(t, v)

	put(t, mem, position, before)
	v = open(t, mem)
	wantFound(t, "behind its cells", found(t, v, session.Alive), "s-2")
	expect.OK(t, v.Apply(t.Context(), recs[3]))
	wantFound(t, "folded again", found(t, v, session.Alive), "s-2", "s-3")

	_, diffs, err := v.Verify(t.Context(), logOf(recs), nil)
	if err != nil || len(diffs) > 0 {
		t.Errorf("%v, %v", diffs, err)
	}
	after := expect.Value(mem.Load(t.Context(), projector.BucketSnapshot, position))(t)
	wrong := strings.ReplaceAll(string(after), "s-3", "s-9")
	put(t, mem, position, []byte(wrong))
	_, diffs, err = v.Verify(t.Context(), logOf(recs), nil)
	if err != nil || len(diffs) == 0 || diffs[0].Projection != session.Name {
		t.Errorf("a wrong index: %v, %v", diffs, err)
	}
}

// All cells of a table are read in one go, what was folded since from memory; one that cannot be decoded is reported.
func TestEach(t *testing.T) {
	mem := projector.NewMemory()
	fold(t, mem, []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart"), sessionRecord(3, "t-1", "SessionStart")}, 0)
	store := &counter{Store: mem}
	v := open(t, store)
	expect.OK(t, v.Apply(t.Context(), sessionRecord(4, "s-2", "SessionEnd")))
	each := func(prefix string) map[string]string {
		got := map[string]string{}
		expect.OK(t, v.Read(t.Context(), func(r projector.Reader) error {
			return r.Each(session.Name, prefix, func(key string, seq uint64, state json.RawMessage) { got[key] = fmt.Sprint(seq, " ", string(state)) })
		}))
		return got
	}

	loaded := store.loads
	got := each("s-")
	if store.loads != loaded {
		t.Errorf("%d cells were read one by one", store.loads-loaded)
	}
	want := map[string]string{}
	err := v.Read(t.Context(), func(r projector.Reader) error {
		for _, key := range []string{"s-1", "s-2"} {
			raw, seq, _ := r.Raw(session.Name, key)
			want[key] = fmt.Sprint(seq, " ", string(raw))
		}
		return nil
	})
	if err != nil || !maps.Equal(got, want) || len(each("")) != 3 {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}

	broken := strings.Replace(sessionCell, "s-1", "t-1", 1)
	put(t, mem, broken, []byte(`{"seq":3,"state":{"id":}`))
	if got := each("t-"); len(got) != 0 || !slices.Equal(v.Broken(), []string{broken}) {
		t.Errorf("%v, broken: %q", got, v.Broken())
	}
}

// Warming with keys writes the briefs of these sessions and of no others.
func TestWarmCacheOfSome(t *testing.T) {
	mem := projector.NewMemory()
	recs := []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart")}
	fold(t, mem, recs, 0)
	briefs := func() []string { return expect.Value(mem.Keys(t.Context(), projector.BucketCache, "brief."))(t) }
	expect.OK(t, mem.Save(t.Context(), projector.BucketCache, []projector.Cell{{Key: "brief.s-1"}, {Key: "brief.s-2"}}))
	v := open(t, mem)
	expect.OK(t, v.WarmCache(t.Context(), "s-2"))
	if got := briefs(); !slices.Equal(got, []string{"brief.s-2"}) {
		t.Errorf("briefs %q", got)
	}
	expect.OK(t, v.WarmCache(t.Context()))
	if got := briefs(); !slices.Equal(got, []string{"brief.s-1", "brief.s-2"}) {
		t.Errorf("all briefs %q", got)
	}
}

// What was written does not stay in memory, however much one start has folded.
func TestFlushFreesCells(t *testing.T) {
	const sessions = 5000 // more than may stay
	store := &counter{Store: projector.NewMemory()}
	v := open(t, store)
	for i := range sessions {
		expect.OK(t, v.Apply(t.Context(), sessionRecord(uint64(i+1), fmt.Sprintf("s-%d", i), "SessionStart")))
	}
	flush(t, v)

	store.loads = 0
	expect.OK(t, v.Read(t.Context(), func(r projector.Reader) error {
		_, there := projector.State[session.State](r, session.Name, "s-7")
		expect.Equal(t, there, true, "the session")
		return nil
	}))
	expect.Equal(t, store.loads, 1, "cells read")
}
