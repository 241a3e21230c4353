package daemon

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/export"
)

// losses is what one reading of the log tells about what it lacks.
type losses struct {
	lost      map[uint64]bool // sequences
	fetched   map[uint64]bool // of them, those whose event an export has
	refs      map[string]bool // digests that events refer to
	deleted   map[string]bool // sessions with a tombstone
	damagedAt time.Time       // of the newest log.damaged
	extents   map[string]extent
	rebuilt   uint64 // events that an earlier repair made
}

// extent is when a session's first and last record were appended.
type extent struct{ first, last time.Time }

func (l *losses) lose(seq uint64) { l.lost[seq] = true }

// ranges are the lost sequences in runs.
func (l *losses) ranges() []LostRange {
	out := []LostRange{}
	for _, seq := range slices.Sorted(maps.Keys(l.lost)) {
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
	l := &losses{lost: map[uint64]bool{}, fetched: map[uint64]bool{}, refs: map[string]bool{}, deleted: map[string]bool{},
		extents: map[string]extent{}}
	last, _ := d.stream.Last()
	next := uint64(1)
	hole := func(to uint64) {
		for seq := next; seq < to && seq < next+maxHole; seq++ {
			l.lose(seq)
		}
	}
	if last == 0 {
		return l, nil
	}
	err := d.stream.ReadRaw(ctx, 1, last, func(seq uint64, appended time.Time, env events.Envelope) error {
		hole(seq)
		next = seq + 1
		if seq%1024 == 0 {
			told(progress, seq)
		}
		l.record(appended, env)
		return nil
	})
	hole(last + 1)
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
	case events.TypeLogDamaged:
		l.damagedAt = appended
		if e, ok := events.Decode(env.Type, env.Version, env.Data).(*events.LogDamaged); ok {
			for _, seq := range e.Lost {
				l.lose(seq)
			}
		}
	}
	if isRebuilt(env) {
		l.rebuilt++
	}
	if env.Session != "" {
		x, ok := l.extents[env.Session]
		if !ok {
			x.first = appended
		}
		x.last = appended
		l.extents[env.Session] = x
	}
}

// window is a lost range with the time in which its events were appended: between its neighbours.
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
		w := window{LostRange: r, from: time.Time{}, to: d.opts.Now()}
		err := d.neighbour(ctx, 1, r.First-1, true, &w.from)
		if err == nil {
			err = d.neighbour(ctx, r.First, last, false, &w.to)
		}
		if err != nil {
			return nil, err
		}
		w.from, w.to = w.from.Add(-clockSlack), w.to.Add(clockSlack)
		out = append(out, w)
	}
	return out, nil
}

// nearby is how many sequences beside a lost range are looked at for a neighbour at first.
const nearby = 64

// neighbour finds when the record next to a range was appended: the last one between from and to, or the
// first one. at stays as it is where there is none.
func (d *Daemon) neighbour(ctx context.Context, from, to uint64, newest bool, at *time.Time) error {
	if to < from {
		return nil
	}
	start, end := from, to
	if newest && to-from > nearby {
		start = to - nearby
	}
	found := false
	err := d.stream.ReadRaw(ctx, start, end, func(_ uint64, appended time.Time, _ events.Envelope) error {
		if newest || !found {
			*at, found = appended, true
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
