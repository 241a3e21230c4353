package past

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// A question about one session reads that session's records, and a difference what lies between its points and what
// those cells need.
func TestReadsWhatItNeeds(t *testing.T) {
	var asked []string
	p := View{Log: counted{&asked}, Last: 99, Now: time.Now, Session: func(_ context.Context, alias string) (string, error) { return alias + "-e89d", nil }}
	expect.Value(p.At(t.Context(), Question{Point: "50", Projection: "session", Key: "c68c8a51"}))(t)
	expect.Value(p.Diff(t.Context(), Comparison{A: "60", B: "50", Projection: "session"}))(t)
	want := []string{"1-50 {c68c8a51-e89d  []}", "51-60 {  []}", "1-50 {s-1  []}", "51-60 {s-1  []}"}
	if !slices.Equal(asked, want) {
		t.Errorf("read %q, want %q", asked, want)
	}
}

// counted is a log with one record, of session s-1 at sequence 55, that notes what is read.
type counted struct{ asked *[]string }

func (c counted) Select(_ context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	words := fmt.Sprint(want)
	*c.asked = append(*c.asked, fmt.Sprintf("%d-%d %s", from, to, words[1:len(words)-1]))
	if from > 55 || to < 55 {
		return nil
	}
	return fn(events.NewRecord(55, events.Envelope{ID: "x", Type: events.TypeTurnStopped, Version: 1, Session: "s-1", Data: []byte(`{}`)}))
}

func (counted) SeqCaptured(context.Context, time.Time) (uint64, error) { return 0, nil }
