package projector_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
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

// As of a time before its retraction an event counts.
func TestRetractedEvent(t *testing.T) {
	ctx := t.Context()
	recs := someRecords(3)
	last := events.Envelope{ID: "back", Type: events.TypeRecordRetracted, Version: 1, Session: "s-1", Project: "p1", Data: []byte(`{"target":"id-0003","reason":"wrong"}`)}
	recs = append(recs, events.NewRecord(4, last))

	for to, want := range map[uint64]int{3: 2, 4: 1} {
		v := expect.Value(projector.FoldLog(ctx, logOf(recs), projector.FoldOptions{Tables: tables.All(), To: to}))(t)
		_ = v.Read(ctx, func(r projector.Reader) error {
			s, _ := projector.State[session.State](r, session.Name, "s-1")
			expect.Equal(t, s.Prompts, want, "at", to, "prompts")
			return nil
		})
	}
}
