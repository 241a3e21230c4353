package check

import (
	"context"
	"slices"
	"strings"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// Log is the log as this package reads it. A read ends with the error of fn, as it is.
type Log interface {
	Last() (seq uint64, id string)
	ReadRaw(ctx context.Context, from, to uint64, fn func(events.Record) error) error
	Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error
}

// Losses are the sequences that a log does not give, and what its own events say of them. It is used by one goroutine.
type Losses struct {
	Lost    []block.Range
	Fetched []block.Range   // of them, those whose event is back, or an export has
	Back    []block.Range   // of these, those whose event is in the log again
	Refs    map[string]bool // digests that events refer to
	Deleted map[string]bool // sessions with a tombstone
	Rebuilt uint64          // events that were made from transcripts earlier

	gaps      []Window  // To is zero where nothing comes after one
	later     uint64    // first sequence that the log has
	damagedAt time.Time // of the newest log.damaged
	extents   map[string]extent
}

// Window is a lost range with the time in which its events were captured: between its neighbours.
type Window struct {
	block.Range
	From, To time.Time
}

// CausedByLoss begins the causation of an event that was made from a transcript; the lost range follows.
const CausedByLoss = "lost:"

// extent is when a session's first and last record were captured or appended.
type extent struct{ first, last time.Time }

// clockSlack is how far a transcript's time and the log's may be apart: a hook is captured and appended
// within its own deadline of at most two seconds.
const clockSlack = 5 * time.Second

func newLosses() *Losses {
	return &Losses{Refs: map[string]bool{}, Deleted: map[string]bool{}, extents: map[string]extent{}}
}

// ReadLosses reads the whole log once. progress, which may be nil, is called with the sequence that has been read.
func ReadLosses(ctx context.Context, log Log, progress func(uint64)) (*Losses, error) {
	l := newLosses()
	last, _ := log.Last()
	if last == 0 {
		return l, nil
	}
	next := uint64(1)
	var before time.Time
	err := log.ReadRaw(ctx, 1, last, func(r events.Record) error {
		if next < r.Seq {
			l.gaps = append(l.gaps, Window{block.Range{First: next, Last: r.Seq - 1}, before.Add(-clockSlack), r.Appended.Add(clockSlack)})
		}
		next = r.Seq + 1
		before = earlier(r)
		if l.later == 0 {
			l.later = r.Seq
		}
		if progress != nil && r.Seq%1024 == 0 {
			progress(r.Seq)
		}
		l.Note(r)
		return nil
	})
	if next <= last {
		l.gaps = append(l.gaps, Window{Range: block.Range{First: next, Last: last}, From: before.Add(-clockSlack)})
	}
	l.Lost = nil // what an event named besides was brought back by hand, with its block
	for _, g := range l.gaps {
		l.Lost = append(l.Lost, g.Range)
	}
	return l, err
}

// earlier returns the time of a record's capture, or that of its append where the clock was ahead.
func earlier(r events.Record) time.Time {
	if r.Time.Before(r.Appended) {
		return r.Time
	}
	return r.Appended
}

// LostIn returns the sequences that a log.damaged event names: in runs, or one by one as older builds did.
func LostIn(e *events.LogDamaged) []block.Range {
	var out []block.Range
	for _, r := range e.Runs {
		if 0 < r.First && r.First <= r.Last {
			out = append(out, block.Range(r))
		}
	}
	for _, seq := range e.Lost {
		out = append(out, block.Range{First: seq, Last: seq})
	}
	return block.Join(out...)
}

// Note takes up what one event says.
func (l *Losses) Note(r events.Record) {
	for _, digest := range events.Refs(r.Data) {
		l.Refs[digest] = true
	}
	switch r.Type {
	case events.TypeSessionDeleted:
		l.Deleted[r.Session] = true
	case events.TypeLogRepaired, events.TypeLogDamaged: // the others are not decoded: there are many
		switch e := events.Decode(r.Type, r.Version, r.Data).(type) {
		case *events.LogRepaired:
			for _, run := range e.Back {
				l.AddBack(block.Range(run))
			}
		case *events.LogDamaged:
			l.Lost, l.damagedAt = block.Join(append(l.Lost, LostIn(e)...)...), r.Appended
		}
	}
	if strings.HasPrefix(r.Causation, CausedByLoss) {
		l.Rebuilt++
	}

	x := l.extents[r.Session]
	if first := earlier(r); x.first.IsZero() || first.Before(x.first) {
		x.first = first
	}
	if r.Appended.After(x.last) {
		x.last = r.Appended
	}
	l.extents[r.Session] = x
}

// AddBack records that the events of lost sequences are in the log again.
func (l *Losses) AddBack(r ...block.Range) {
	l.Fetched = block.Join(append(l.Fetched, r...)...)
	l.Back = block.Join(append(l.Back, r...)...)
}

// AllLost reports whether every event before the log's first one is lost: then no event can tell which exports
// are of this log, and every file that is named counts as one.
func (l *Losses) AllLost() bool {
	return l.later > 1 && len(block.Without([]block.Range{{First: 1, Last: l.later - 1}}, l.Lost...)) == 0
}

// Outstanding returns the windows of the lost sequences whose events are neither back nor in an export that was read. A window
// ends now where nothing comes after it. What was imported or spooled has a wide one: its neighbours were appended long after
// they were captured.
func (l *Losses) Outstanding(now time.Time) []Window {
	var out []Window
	for _, w := range l.gaps {
		if w.To.IsZero() {
			w.To = now.Add(clockSlack)
		}
		for _, r := range block.Without([]block.Range{w.Range}, l.Fetched...) {
			w.Range = r
			out = append(out, w)
		}
	}
	return out
}

// ActiveIn returns the ids of the sessions that were active in one of the windows and were not deleted since.
func (l *Losses) ActiveIn(windows []Window) []string {
	var out []string
	for id, x := range l.extents {
		active := func(w Window) bool { return !x.last.Before(w.From) && !x.first.After(w.To) }
		if id != "" && !l.Deleted[id] && slices.ContainsFunc(windows, active) {
			out = append(out, id)
		}
	}
	return out
}
