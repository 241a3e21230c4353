package check

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// written is a log in memory.
type written []events.Record

func (w written) Last() (uint64, string) {
	if len(w) == 0 {
		return 0, ""
	}
	return w[len(w)-1].Seq, w[len(w)-1].ID
}

func (w written) ReadRaw(_ context.Context, from, to uint64, fn func(events.Record) error) error {
	for _, r := range w {
		if from <= r.Seq && r.Seq <= to {
			if err := fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w written) Select(_ context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	for _, r := range w {
		if from <= r.Seq && r.Seq <= to && slices.Contains(want[0].Types, r.Type) {
			if err := fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// noon is when the first of a log's events was captured; a minute lies between two sequences.
var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

func at(seq uint64, e events.Event) events.Record {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	when := noon.Add(time.Duration(seq) * time.Minute)
	return events.Record{Seq: seq, Appended: when, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: when, Session: "s-1", Data: data}}
}

func prompt(seq uint64) events.Record { return at(seq, &events.PromptSubmitted{Prompt: "go on"}) }

// Lost is what the log does not give; what its events say besides was brought back with its block. The window of a loss
// reaches from one neighbour to the other, and five seconds beyond both.
func TestReadLosses(t *testing.T) {
	log := written{prompt(1), prompt(3), prompt(7), at(8, &events.LogDamaged{Runs: []events.SeqRun{{First: 3, Last: 6}}}),
		at(9, &events.LogRepaired{Back: []events.SeqRun{{First: 5, Last: 5}}})}
	l, err := ReadLosses(t.Context(), log, nil)
	if err != nil || !slices.Equal(l.Lost, []block.Range{{First: 2, Last: 2}, {First: 4, Last: 6}}) || l.AllLost() {
		t.Errorf("%+v, %v", l, err)
	}
	out := l.Outstanding(noon)
	if len(out) != 3 || out[1].Range != (block.Range{First: 4, Last: 4}) || out[2].Range != (block.Range{First: 6, Last: 6}) {
		t.Fatalf("%+v", out)
	}
	if !out[2].From.Equal(noon.Add(3*time.Minute-5*time.Second)) || !out[2].To.Equal(noon.Add(7*time.Minute+5*time.Second)) {
		t.Errorf("%+v", out[2])
	}
	if !slices.Equal(l.ActiveIn(out), []string{"s-1"}) || l.ActiveIn([]Window{{From: noon.Add(time.Hour), To: noon.Add(2 * time.Hour)}}) != nil {
		t.Errorf("%+v", l)
	}
	whole, err := ReadLosses(t.Context(), log[3:], nil)
	if err != nil || !slices.Equal(whole.Lost, []block.Range{{First: 1, Last: 7}}) || !whole.AllLost() {
		t.Errorf("%+v, %v", whole, err)
	}
}

// At the log's end the window is open until now.
func TestOutstandingAtTheEnd(t *testing.T) {
	l, err := ReadLosses(t.Context(), ending{written{prompt(2)}}, nil)
	out := l.Outstanding(noon.Add(time.Hour))
	if err != nil || len(out) != 2 || !out[1].To.Equal(noon.Add(time.Hour+5*time.Second)) {
		t.Errorf("%+v, %v", out, err)
	}
}

// ending is a log that has lost its end.
type ending struct{ written }

func (ending) Last() (uint64, string) { return 9, "" }

// What the log says is lost, without what is back under another sequence or with its block.
func TestFind(t *testing.T) {
	log := written{prompt(1), prompt(4), at(8, &events.LogDamaged{Runs: []events.SeqRun{{First: 2, Last: 6}}, Lost: []uint64{7}}),
		at(9, &events.LogRepaired{Back: []events.SeqRun{{First: 5, Last: 5}}})}
	got, err := KnownLosses(t.Context(), log)
	if err != nil || !slices.Equal(got.Lost, []block.Range{{First: 2, Last: 3}, {First: 6, Last: 7}}) || !got.Found.Equal(noon.Add(8*time.Minute)) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := KnownLosses(t.Context(), written{}); err != nil || got.Lost != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
