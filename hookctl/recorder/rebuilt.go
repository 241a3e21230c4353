package recorder

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/tables"
)

// What is folded again from the log is an event: by the opening, where cells could not be read, and by command.

// brokenTold is how many keys of cells that could not be read the event names.
const brokenTold = 5

// logDamaged is the cause of a rebuild that needs no event of its own: the log has log.damaged.
const logDamaged = "log_damaged"

// reason is why projections are folded again.
type reason struct{ cause, detail string }

// Rebuilt returns what the opening folded again from the log, nil where it went on from what was stored. Nothing has
// recorded it yet.
func (r *Recorder) Rebuilt() *events.BucketRebuilt { return r.anew }

// NoteRebuilt appends that the cells of a projection, of all for "", were folded again since a moment. What is known of it
// is in the event: the rest is filled in.
func (r *Recorder) NoteRebuilt(ctx context.Context, e *events.BucketRebuilt, only string, began time.Time) error {
	for _, t := range tables.All() {
		if only == "" || t.Name() == only {
			e.Projections = append(e.Projections, t.Name())
		}
	}
	if err := r.complete(ctx, e, began); err != nil {
		return err
	}
	_, err := r.Note(ctx, events.Envelope{}, e)
	return err
}

// noteRebuilt keeps what the opening folded again. A log without events, and a store that had no time to write its first
// cells, has nothing that was there before.
func (r *Recorder) noteRebuilt(ctx context.Context, why reason, began time.Time) error {
	anew := r.view.Anew()
	last, _ := r.stream.Last()
	if why.cause == "" {
		why = r.whyAnew(anew)
	}
	if why.cause == "" || why.cause == logDamaged || last == 0 {
		return nil
	}

	e := &events.BucketRebuilt{Cause: why.cause, Detail: why.detail, Seq: last}
	for _, a := range anew {
		e.Projections = append(e.Projections, a.Name)
	}
	r.anew = e
	return r.complete(ctx, e, began)
}

// whyAnew returns why projections are folded from the first record on; the zero value where none was written before.
func (r *Recorder) whyAnew(anew []projector.Anew) reason {
	rep := r.ground.Report()
	some := len(anew) > 0 && len(anew) < len(tables.All())
	switch {
	case len(anew) == 0:
		return reason{}
	case rep.BucketsLost:
		return reason{events.RebuiltLost, rep.BucketsDropped}
	case rep.BucketsDropped != "":
		return reason{events.RebuiltDamaged, rep.BucketsDropped}
	}

	for _, a := range anew {
		if a.Unreadable {
			return reason{events.RebuiltUnreadable, "the position of " + a.Name}
		}
	}
	former := slices.ContainsFunc(anew, func(a projector.Anew) bool { return a.Former })
	if former || some {
		return reason{cause: events.RebuiltVersion}
	}
	return reason{}
}

// complete fills in the buckets, the number of cells and the time of a rebuild.
func (r *Recorder) complete(ctx context.Context, e *events.BucketRebuilt, began time.Time) error {
	for _, t := range tables.All() {
		if !slices.Contains(e.Projections, t.Name()) {
			continue
		}
		for _, bucket := range t.Buckets() {
			if !slices.Contains(e.Buckets, bucket) {
				e.Buckets = append(e.Buckets, bucket)
			}
		}
	}
	e.TookMS = r.opts.Now().Sub(began).Milliseconds()

	return r.view.Read(ctx, func(rd projector.Reader) error {
		for _, name := range e.Projections {
			keys, err := rd.Keys(name)
			if err != nil {
				return fmt.Errorf("count the cells of %s: %w", name, err)
			}
			e.Cells += len(keys)
		}
		return nil
	})
}
