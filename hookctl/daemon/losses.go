package daemon

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/export"
	"hookline/projector"
)

// losses is what one reading of the log tells about what it lacks.
type losses struct {
	lost      map[uint64]bool // sequences
	fetched   map[uint64]bool // of them, those whose event is back, or an export has
	back      map[uint64]bool // of these, those whose event is in the log again
	later     uint64          // first sequence that the log has
	refs      map[string]bool // digests that events refer to
	deleted   map[string]bool // sessions with a tombstone
	damagedAt time.Time       // of the newest log.damaged
	extents   map[string]extent
	rebuilt   uint64 // events that an earlier repair made

	contents map[string]bool // digests of damaged or gone contents that an export had
	planned  map[string]bool // of a dry run: ids of events that an export would add
}

// extent is when a session's first and last record were captured or appended.
type extent struct{ first, last time.Time }

// add makes room for a record.
func (x extent) add(s stamp) extent {
	if first := s.earlier(); x.first.IsZero() || first.Before(x.first) {
		x.first = first
	}
	if s.appended.After(x.last) {
		x.last = s.appended
	}
	return x
}

// stamp is when a record was captured and when it was appended; zero where there is none.
type stamp struct{ captured, appended time.Time }

func (s stamp) earlier() time.Time {
	if s.captured.Before(s.appended) {
		return s.captured
	}
	return s.appended
}

// late tells that the record came by the spool, an import or a restore, or is none: its time of append says nothing.
func (s stamp) late() bool { return s.appended.Sub(s.captured) > time.Minute || s.appended.IsZero() }

func (l *losses) lose(seq uint64) { l.lost[seq] = true }

// cameBack notes that a lost sequence's event is in the log again.
func (l *losses) cameBack(seq uint64) { l.fetched[seq], l.back[seq] = true, true }

// whole tells that nothing is left of what the log had before it was lost: then no event can tell which exports
// are of this log, and the word of whoever names one must do.
func (l *losses) whole() bool { return l.later > 1 && l.lost[1] && l.lost[l.later-1] }

// ranges are the lost sequences in runs.
func (l *losses) ranges() []LostRange { return runs(l.lost) }

// runs puts sequences together.
func runs(seqs map[uint64]bool) []LostRange {
	out := []LostRange{}
	for _, seq := range slices.Sorted(maps.Keys(seqs)) {
		if n := len(out); n > 0 && out[n-1].Last+1 == seq {
			out[n-1].Last = seq
		} else {
			out = append(out, LostRange{seq, seq})
		}
	}
	return out
}

// maxHole bounds how many sequences of one hole are listed: a hole beyond it is no damage of a block, which
// holds some 30,000 records, but a log that was cut by hand.
const maxHole = 1 << 20

// takeStock reads the log once.
func (d *Daemon) takeStock(ctx context.Context, progress func(uint64)) (*losses, error) {
	l := &losses{lost: map[uint64]bool{}, fetched: map[uint64]bool{}, back: map[uint64]bool{}, refs: map[string]bool{}, deleted: map[string]bool{},
		extents: map[string]extent{}, contents: map[string]bool{}, planned: map[string]bool{}}
	last, _ := d.stream.Last()
	next := uint64(1)
	missing := map[uint64]bool{}
	hole := func(to uint64) {
		for seq := next; seq < to && seq < next+maxHole; seq++ {
			missing[seq] = true
		}
	}
	if last == 0 {
		return l, nil
	}
	err := d.stream.ReadRaw(ctx, 1, last, func(seq uint64, appended time.Time, env events.Envelope) error {
		hole(seq)
		next = seq + 1
		if l.later == 0 {
			l.later = seq
		}
		if seq%1024 == 0 {
			told(progress, seq)
		}
		l.record(appended, env)
		return nil
	})
	hole(last + 1)
	l.lost = missing // what an event named besides was brought back by hand, with its block
	return l, err
}

// record notes what one event tells.
func (l *losses) record(appended time.Time, env events.Envelope) {
	for _, digest := range export.Refs(env.Data) {
		l.refs[digest] = true
	}
	switch env.Type {
	case events.TypeSessionDeleted:
		l.deleted[env.Session] = true
	case events.TypeLogRepaired:
		if e, ok := events.Decode(env.Type, env.Version, env.Data).(*events.LogRepaired); ok {
			for _, r := range e.Back {
				for seq := r.First; seq <= r.Last && seq < r.First+maxHole; seq++ {
					l.cameBack(seq)
				}
			}
		}
	case events.TypeLogDamaged:
		l.damagedAt = appended
		if e, ok := events.Decode(env.Type, env.Version, env.Data).(*events.LogDamaged); ok {
			for _, r := range lostOf(e) {
				for seq := r.First; seq <= r.Last && seq < r.First+maxHole; seq++ {
					l.lose(seq)
				}
			}
		}
	}
	if isRebuilt(env) {
		l.rebuilt++
	}
	if env.Session != "" {
		l.extents[env.Session] = l.extents[env.Session].add(stamp{env.Time, appended})
	}
}

// Losses are the sequences that the log says are lost and that are not back.
type Losses struct {
	Lost  []LostRange `json:"lost"`
	Found time.Time   `json:"found"` // when the newest loss was
}

// handleLosses answers with what the log's own events say, without the sequences that the log has all the same; it reads
// nothing else.
func (d *Daemon) handleLosses(w http.ResponseWriter, r *http.Request) error {
	var out Losses
	last, _ := d.stream.Last()
	if last == 0 {
		return reply(w, out)
	}
	l := &losses{lost: map[uint64]bool{}, fetched: map[uint64]bool{}, back: map[uint64]bool{}, refs: map[string]bool{}, extents: map[string]extent{}}
	want := []projector.Selector{{Types: []string{events.TypeLogDamaged, events.TypeLogRepaired}}}
	err := d.stream.Select(r.Context(), 1, last, want, func(rec events.Record) error {
		l.record(rec.Appended, rec.Envelope)
		return nil
	})
	if err != nil {
		return err
	}
	for seq := range l.back {
		delete(l.lost, seq)
	}
	if err := d.strikePresent(r.Context(), l); err != nil {
		return err
	}
	out.Lost, out.Found = l.ranges(), l.damagedAt
	return reply(w, out)
}

// blockRecords is about what a block holds: lost runs that lie closer are looked at in one reading.
const blockRecords = 30_000

// strikePresent takes those sequences out of the lost ones that the log has: what was brought back with its block is
// there again, and no event says so. Where the log cannot be read they stay.
func (d *Daemon) strikePresent(ctx context.Context, l *losses) error {
	for rest := l.ranges(); len(rest) > 0; {
		span, n := rest[0], 1
		for n < len(rest) && rest[n].First-span.Last < blockRecords {
			span.Last = rest[n].Last
			n++
		}
		rest = rest[n:]
		err := d.stream.ReadRaw(ctx, span.First, span.Last, func(seq uint64, _ time.Time, _ events.Envelope) error {
			delete(l.lost, seq)
			return nil
		})
		if err != nil && !errors.Is(err, embedded.ErrLogDamaged) {
			return err
		}
	}
	return nil
}

// window is a lost range with the time in which its events were captured: between its neighbours.
type window struct {
	LostRange
	from, to time.Time
}

// clockSlack is how far a transcript's time and the log's may be apart: a hook is captured and appended
// within its own deadline of at most two seconds.
const clockSlack = 5 * time.Second

// windows asks the log for the neighbours of each lost range.
func (d *Daemon) windows(ctx context.Context, ranges []LostRange) ([]window, error) {
	last, _ := d.stream.Last()
	var out []window
	for _, r := range ranges {
		var before, behind stamp
		err := d.neighbour(ctx, 1, r.First-1, true, &before)
		if err == nil {
			err = d.neighbour(ctx, r.First, last, false, &behind)
		}
		if err != nil {
			return nil, err
		}
		from, to := between(before, behind, d.opts.Now())
		out = append(out, window{LostRange: r, from: from.Add(-clockSlack), to: to.Add(clockSlack)})
	}
	return out, nil
}

// between is when something was captured that stood between two records in the log. Where both came late what was between
// them did too.
func between(before, behind stamp, now time.Time) (from, to time.Time) {
	from, to = before.earlier(), behind.appended
	switch {
	case behind.appended.IsZero():
		to = now
	case before.late() && behind.late():
		to = behind.captured
	}
	if to.Before(from) { // of an order that was disturbed nothing can be said but this
		return to, from
	}
	return from, to
}

// nearby is how many sequences beside a lost range are looked at for a neighbour at first.
const nearby = 64

// neighbour finds when the record next to a range was captured and appended: the last one between from and to, or the
// first one. at stays as it is where there is none.
func (d *Daemon) neighbour(ctx context.Context, from, to uint64, newest bool, at *stamp) error {
	if to < from {
		return nil
	}
	start, end := from, to
	if newest && to-from > nearby {
		start = to - nearby
	}
	found := false
	err := d.stream.ReadRaw(ctx, start, end, func(_ uint64, appended time.Time, env events.Envelope) error {
		if newest || !found {
			*at, found = stamp{env.Time, appended}, true
		}
		if !newest {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && !found && start > from {
		return d.neighbour(ctx, from, start-1, newest, at)
	}
	return err
}
