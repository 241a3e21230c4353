package projector_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
)

// sessionCell is the key of session s-1 in bucket snapshot.
var sessionCell = fmt.Sprintf("session.v%d.s-1", session.Version)

// logOf is a source over records in memory.
func logOf(recs []events.Record) projector.Source {
	return func(_ context.Context, from, to uint64, fn func(events.Record) error) error {
		for _, r := range recs {
			if r.Seq < from || to > 0 && r.Seq > to {
				continue
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// randomRecords draws a log of a few sessions: starts, prompts, calls that succeed, fail or stay
// open, subagents, ends, tombstones, unknown events.
func randomRecords(t *rapid.T) []events.Record {
	n := rapid.IntRange(1, 120).Draw(t, "n")
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	recs := make([]events.Record, 0, n)
	for i := range n {
		sid := rapid.SampledFrom([]string{"s-1", "s-2", "s.3 *", ""}).Draw(t, "session")
		call := fmt.Sprintf("toolu_%d", rapid.IntRange(0, 9).Draw(t, "call"))
		kind := rapid.SampledFrom([]string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
			"SubagentStart", "SubagentStop", "SessionEnd", "Made-up"}).Draw(t, "hook")
		data, err := json.Marshal(map[string]any{"session_id": sid, "hook_event_name": kind, "tool_use_id": call, "source": "startup",
			"tool_name":  rapid.SampledFrom([]string{"Bash", "Edit", "Agent", "Read"}).Draw(t, "tool"),
			"tool_input": map[string]string{"file_path": "/a/b.go", "command": "go test ./...", "subagent_type": "general-purpose"},
			"agent_id":   rapid.SampledFrom([]string{"", "a1"}).Draw(t, "agent")})
		expect.OK(t, err)
		k := events.OfHook(kind)
		env := events.Envelope{ID: fmt.Sprintf("id-%04d", i), Type: k.Type, Version: k.Version(), Time: at.Add(time.Duration(i) * time.Second),
			Session: sid, Project: "p1", Hook: kind, ToolUseID: call, Data: data}
		switch rapid.IntRange(0, 20).Draw(t, "derived") {
		case 0:
			env.Type, env.Hook, env.Data = events.TypeIdentityPersisted, "", []byte(`{"reason":"command"}`)
		case 1:
			env.Type, env.Hook, env.Data = events.TypeSessionDeleted, "", []byte(`{}`)
		case 2:
			env.Type, env.Version, env.Data = "future.happened", 9, []byte(`{"x":1}`)
		}
		recs = append(recs, events.NewRecord(uint64(i+1), env))
	}
	return recs
}

// dump is everything a store holds.
func dump(t expect.T, s projector.Store) map[string]string {
	out := map[string]string{}
	for _, b := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		expect.OK(t, s.Scan(context.Background(), b, "", func(key string, value []byte) error {
			out[b+"/"+key] = string(value)
			return nil
		}))
	}
	return out
}

func same(t expect.T, what string, want, got map[string]string) {
	for k, w := range want {
		if got[k] != w {
			t.Fatalf("%s: %s\nwant %s\ngot  %s", what, k, w, got[k])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d cells, want %d", what, len(got), len(want))
	}
}

// open is a view of a store.
func open(t expect.T, store projector.Store) *projector.View {
	return expect.Value(projector.OpenView(context.Background(), store, tables.All()))(t)
}

func flush(t expect.T, v *projector.View) { expect.Value(v.Flush(context.Background()))(t) }

// put writes one cell of bucket snapshot.
func put(t expect.T, store projector.Store, key string, value []byte) {
	expect.OK(t, store.Save(context.Background(), projector.BucketSnapshot, []projector.Cell{{Key: key, Value: value}}))
}

// fold is a view that has folded a whole log.
func fold(t expect.T, store projector.Store, recs []events.Record, flushEvery int) *projector.View {
	return resume(t, store, recs, recs, flushEvery)
}

// resume is a view of a log that has folded some of its records.
func resume(t expect.T, store projector.Store, log, recs []events.Record, flushEvery int) *projector.View {
	ctx := context.Background()
	v := open(t, store)
	v.Log = partOf(log)
	for i, r := range recs {
		expect.OK(t, v.Apply(ctx, r))
		if flushEvery > 0 && i%flushEvery == flushEvery-1 {
			flush(t, v)
		}
	}
	flush(t, v)
	return v
}

func rebuild(t expect.T, v *projector.View, recs []events.Record, only string) {
	_, _, err := v.Rebuild(context.Background(), logOf(recs), only, nil)
	expect.OK(t, err)
}

// A straight run, one resumed at any point, one that folds everything twice and one that is rebuilt
// hold the same cells, whatever is retracted in between.
func TestFoldIsTheSameHoweverItIsRun(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		recs := retracting(rt, randomRecords(rt))
		straight := projector.NewMemory()
		fold(rt, straight, recs, 0)
		want := dump(rt, straight)

		cut := rapid.IntRange(0, len(recs)).Draw(rt, "cut")
		resumed := projector.NewMemory()
		fold(rt, resumed, recs[:cut], 7)
		overlap := max(0, cut-rapid.IntRange(0, 20).Draw(rt, "overlap"))
		v := resume(rt, resumed, recs, recs[overlap:], 3)
		same(rt, "resumed", want, dump(rt, resumed))

		for _, r := range recs {
			expect.OK(rt, v.Apply(ctx, r))
		}
		flush(rt, v)
		same(rt, "applied twice", want, dump(rt, resumed))

		pos, diffs, err := v.Verify(ctx, logOf(recs), nil)
		if err != nil || len(diffs) != 0 || pos.Seq != uint64(len(recs)) {
			rt.Fatalf("verify: %v %v %v", pos, diffs, err)
		}
		rebuild(rt, v, recs, "")
		same(rt, "rebuilt", want, dump(rt, resumed))
	})
}

// someRecords are the start of session s-1 and its prompts.
func someRecords(n int) []events.Record {
	recs := []events.Record{sessionRecord(1, "s-1", "SessionStart")}
	for len(recs) < n {
		recs = append(recs, sessionRecord(uint64(len(recs)+1), "s-1", "UserPromptSubmit"))
	}
	return recs
}

// The position of a projection is the last cell that a flush writes to bucket snapshot.
func TestPositionIsWrittenLast(t *testing.T) {
	rec := &recorder{Store: projector.NewMemory()}
	fold(t, rec, someRecords(3), 0)
	snapshot := rec.saved[projector.BucketSnapshot]
	positions := 0
	for i := len(snapshot) - 1; i >= 0 && bytes.HasPrefix([]byte(snapshot[i]), []byte("position.")); i-- {
		positions++
	}
	if positions != len(tables.All()) {
		t.Fatalf("%d positions at the end of %v", positions, snapshot)
	}
}

// A store that fails loses nothing: the next flush writes what the failed one could not.
func TestFailedFlushIsWrittenLater(t *testing.T) {
	ctx := context.Background()
	mem := projector.NewMemory()
	full := &breaking{Store: mem}
	v := open(t, full)
	recs := someRecords(4)
	for _, r := range recs {
		expect.OK(t, v.Apply(ctx, r))
	}
	if _, err := v.Flush(ctx); err == nil {
		t.Fatal("flush did not report the failure")
	}
	full.left = 1000
	flush(t, v)
	want := projector.NewMemory()
	fold(t, want, recs, 0)
	same(t, "after the failure", dump(t, want), dump(t, mem))
}

// Verify names projection, bucket, key and field of what differs.
func TestVerifyNamesTheField(t *testing.T) {
	ctx := context.Background()
	mem := projector.NewMemory()
	recs := someRecords(3)
	v := fold(t, mem, recs, 0)
	b, err := mem.Load(ctx, projector.BucketSnapshot, sessionCell)
	expect.OK(t, err)
	bad := bytes.Replace(b, []byte(`"prompts":2`), []byte(`"prompts":7`), 1)
	put(t, mem, sessionCell, bad)
	_, diffs, err := v.Verify(ctx, logOf(recs), nil)
	expect.OK(t, err)
	want := projector.Diff{Projection: "session", Bucket: "snapshot", Key: sessionCell, Field: "state.prompts", Want: "2", Got: "7"}
	if len(diffs) != 1 || diffs[0] != want {
		t.Fatalf("diffs = %+v", diffs)
	}
	rebuild(t, v, recs, "session")
	if _, diffs, err = v.Verify(ctx, logOf(recs), nil); err != nil || len(diffs) != 0 {
		t.Fatalf("after rebuild: %v %v", diffs, err)
	}
}

// So many sessions that a comparison keeps only the JSON of most of them are compared as few are, also those that go
// on.
func TestVerifyManySessions(t *testing.T) {
	const sessions = 9000
	ctx := context.Background()
	some := someRecords(1)
	var recs []events.Record
	for range 2 {
		for s := range sessions {
			for _, r := range some {
				env := r.Envelope
				env.Session = fmt.Sprintf("s-%d", s)
				env.ID = fmt.Sprintf("id-%d", len(recs))
				recs = append(recs, events.NewRecord(uint64(len(recs)+1), env))
			}
		}
	}

	mem := projector.NewMemory()
	v := fold(t, mem, recs, 0)
	if _, diffs, err := v.Verify(ctx, logOf(recs), nil); err != nil || len(diffs) > 0 {
		t.Fatalf("%v %+v", err, diffs)
	}
	put(t, mem, sessionCell, nil)
	_, diffs, err := v.Verify(ctx, logOf(recs), nil)
	if err != nil || len(diffs) != 1 || diffs[0].Key != sessionCell || diffs[0].Got != "(absent)" {
		t.Fatalf("%v %+v", err, diffs)
	}
}

// A cell that cannot be read is reported and made good by a rebuild.
func TestBrokenCellIsRebuilt(t *testing.T) {
	ctx := context.Background()
	mem := projector.NewMemory()
	recs := someRecords(3)
	fold(t, mem, recs, 0)
	put(t, mem, sessionCell, []byte("garbage"))
	v := open(t, mem)
	read := func() (s session.State, ok bool) {
		expect.OK(t, v.Read(ctx, func(r projector.Reader) error {
			s, ok = projector.State[session.State](r, session.Name, "s-1")
			return nil
		}))
		return s, ok
	}
	if _, ok := read(); ok {
		t.Fatal("a broken cell was taken for a state")
	}
	if got := v.Broken(); len(got) != 1 || got[0] != sessionCell {
		t.Fatalf("broken = %v", got)
	}
	rebuild(t, v, recs, "")
	if s, ok := read(); !ok || s.Prompts != 2 || len(v.Broken()) != 0 {
		t.Fatalf("after rebuild: %+v %v", s, v.Broken())
	}
}

// recorder notes what is saved.
type recorder struct {
	projector.Store
	saved map[string][]string
}

func (r *recorder) Save(ctx context.Context, bucket string, cells []projector.Cell) error {
	if r.saved == nil {
		r.saved = map[string][]string{}
	}
	for _, c := range cells {
		r.saved[bucket] = append(r.saved[bucket], c.Key)
	}
	return r.Store.Save(ctx, bucket, cells)
}
