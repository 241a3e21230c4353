package check

import (
	"context"
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

	later     uint64    // first sequence that the log has
	damagedAt time.Time // of the newest log.damaged
	extents   map[string]extent
}

func newLosses() *Losses {
	return &Losses{Refs: map[string]bool{}, Deleted: map[string]bool{}, extents: map[string]extent{}}
}

// ReadLosses reads the whole log once. progress tells which sequence has been read; nil for nobody.
func ReadLosses(ctx context.Context, log Log, progress func(uint64)) (*Losses, error) {
	l := newLosses()
	last, _ := log.Last()
	if last == 0 {
		return l, nil
	}
	next := uint64(1)
	var missing []block.Range
	err := log.ReadRaw(ctx, 1, last, func(r events.Record) error {
		if next < r.Seq {
			missing = append(missing, block.Range{First: next, Last: r.Seq - 1})
		}
		next = r.Seq + 1
		if l.later == 0 {
			l.later = r.Seq
		}
		if progress != nil && r.Seq%1024 == 0 {
			progress(r.Seq)
		}
		l.Note(r)
		return nil
	})
	l.Lost = block.Join(append(missing, block.Range{First: next, Last: last})...) // what an event named besides was brought back by hand, with its block
	return l, err
}

// Note takes up what one event tells.
func (l *Losses) Note(r events.Record) {
	for _, digest := range events.Refs(r.Data) {
		l.Refs[digest] = true
	}
	switch r.Type {
	case events.TypeSessionDeleted:
		l.Deleted[r.Session] = true
	case events.TypeLogRepaired, events.TypeLogDamaged:
		switch e := events.Decode(r.Type, r.Version, r.Data).(type) {
		case *events.LogRepaired:
			for _, run := range e.Back {
				l.AddBack(block.Range{First: run.First, Last: run.Last})
			}
		case *events.LogDamaged:
			l.Lost, l.damagedAt = block.Join(append(l.Lost, LostIn(e)...)...), r.Appended
		}
	}
	if strings.HasPrefix(r.Causation, causedByLoss) {
		l.Rebuilt++
	}
	if r.Session == "" {
		return
	}
	x, s := l.extents[r.Session], stamp{r.Time, r.Appended}
	if first := s.earlier(); x.first.IsZero() || first.Before(x.first) {
		x.first = first
	}
	if s.appended.After(x.last) {
		x.last = s.appended
	}
	l.extents[r.Session] = x
}

// AddBack records that the events of lost sequences are in the log again.
func (l *Losses) AddBack(r ...block.Range) {
	l.Fetched = block.Join(append(l.Fetched, r...)...)
	l.Back = block.Join(append(l.Back, r...)...)
}

// AllLost tells whether every event before the log's first one is lost: then no event can tell which exports
// are of this log, and the word of whoever names one must do.
func (l *Losses) AllLost() bool {
	return l.later > 1 && len(block.Without([]block.Range{{First: 1, Last: l.later - 1}}, l.Lost...)) == 0
}

// Outstanding are the lost sequences whose events are neither back nor in an export that was read.
func (l *Losses) Outstanding() []block.Range { return block.Without(l.Lost, l.Fetched...) }

// ActiveIn returns the ids of the sessions that were active in one of the windows and were not deleted since.
func (l *Losses) ActiveIn(windows []Window) []string {
	var out []string
	for id, x := range l.extents {
		if l.Deleted[id] {
			continue
		}
		for _, w := range windows {
			if !x.last.Before(w.From) && !x.first.After(w.To) {
				out = append(out, id)
				break
			}
		}
	}
	return out
}

// extent is when a session's first and last record were captured or appended.
type extent struct{ first, last time.Time }
