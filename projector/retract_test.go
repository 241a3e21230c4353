package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/session"
)

// retracting puts retractions into a log: of events before and behind them, of some that are not there, and of
// retractions.
func retracting(t *rapid.T, recs []events.Record) []events.Record {
	var out []events.Record
	for i, r := range recs {
		r.Seq = uint64(len(out) + 1)
		out = append(out, r)
		if rapid.IntRange(0, 9).Draw(t, "retracts") > 0 {
			continue
		}
		of := rapid.IntRange(0, len(recs)+1).Draw(t, "target")
		env := events.Envelope{ID: fmt.Sprintf("back-%04d", i), Type: events.TypeRecordRetracted, Version: 1, Time: r.Time, Project: "p1",
			Session: rapid.SampledFrom([]string{r.Session, "s-1", ""}).Draw(t, "of")}
		target := fmt.Sprintf("id-%04d", of)
		if rapid.IntRange(0, 5).Draw(t, "retraction") == 0 {
			target = fmt.Sprintf("back-%04d", of)
		}
		env.Data, _ = json.Marshal(events.RecordRetracted{Target: target, Reason: "wrong"})
		out = append(out, events.NewRecord(uint64(len(out)+1), env))
	}
	return out
}

// A view that goes on folds a retraction to what a fold of the whole log gives, also when it was resumed anywhere.
func TestRetractionIsTheSameHoweverItIsRun(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		recs := retracting(rt, randomRecords(rt))
		run := func(store projector.Store, recs, from []events.Record, every int) *projector.View {
			v := expect.Value(projector.OpenView(ctx, store, projector.Tables()))(rt)
			v.Log = partOf(recs)
			for i, r := range from {
				expect.OK(rt, v.Apply(ctx, r))
				if i%every == 0 {
					expect.Value(v.Flush(ctx))(rt)
				}
			}
			expect.Value(v.Flush(ctx))(rt)
			return v
		}

		cut := rapid.IntRange(0, len(recs)).Draw(rt, "cut")
		overlap := max(0, cut-rapid.IntRange(0, 20).Draw(rt, "overlap"))
		store := projector.NewMemory()
		run(store, recs[:cut], recs[:cut], 7)
		v := run(store, recs, recs[overlap:], 3)

		pos, diffs, err := v.Verify(ctx, logOf(recs), nil)
		if err != nil || len(diffs) != 0 || pos.Seq != uint64(len(recs)) {
			rt.Fatalf("verify: %v %+v %v", pos, diffs, err)
		}
		before := dump(rt, store)
		rebuild(rt, v, recs, "")
		same(rt, "rebuilt", before, dump(rt, store))
	})
}

// As of a time before its retraction an event counts.
func TestRetractedEvent(t *testing.T) {
	ctx := t.Context()
	recs := someRecords(3)
	last := events.Envelope{ID: "back", Type: events.TypeRecordRetracted, Version: 1, Session: "s-1", Project: "p", Data: []byte(`{"target":"id-2","reason":"wrong"}`)}
	recs = append(recs, events.NewRecord(4, last))

	for to, want := range map[uint64]int{3: 2, 4: 1} {
		v := expect.Value(projector.Straight(ctx, projector.Tables(), logOf(recs), to, nil))(t)
		_ = v.Read(ctx, func(r projector.Reader) error {
			s, _ := projector.State[session.State](r, session.Name, "s-1")
			expect.Equal(t, s.Prompts, want, "at", to, "prompts")
			return nil
		})
	}
}
