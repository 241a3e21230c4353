package daemon

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// drainer takes what waits in the spool. The goroutine that takes frames has put the one value into turn.
type drainer struct {
	*core
	intake *intake
	turn   chan struct{}
	later  map[string]time.Time // when a file that could not be read or removed is tried again
}

func newDrainer(c *core, i *intake) *drainer {
	return &drainer{core: c, intake: i, turn: make(chan struct{}, 1), later: map[string]time.Time{}}
}

// drain takes the waiting frames in order. A frame leaves the spool only when it is on disk in the
// log, so a crash in between delivers it again, and it counts once. It returns how many it took.
func (d *drainer) drain(ctx context.Context) int {
	total := 0
	for {
		n, err := d.drainSome(ctx, catchUpWithin, "")
		total += n
		if n < catchUpWithin || err != nil {
			return total
		}
	}
}

// catchUpWithin is the number of waiting frames that are taken at once. A live hook waits for so many of all sessions; of
// more it waits for those of its own session.
const catchUpWithin = 64

// catchUp takes the waiting frames that were captured before a live hook: all of them where they are few, else those of
// its session. They get half of the hook's time. After an error the hook has to be spooled after them.
func (d *drainer) catchUp(ctx context.Context, f wire.Frame) error {
	n := d.spool.Waiting(catchUpWithin)
	if n == 0 {
		return nil
	}
	session := ""
	if n > catchUpWithin {
		session = spool.Session(f)
	}
	ctx, cancel := context.WithTimeout(ctx, wire.Deadline(f.Args, wire.Event(f.Args, f.Body), f.Where())/2)
	defer cancel()
	_, err := d.drainSome(ctx, math.MaxInt, session)
	return err
}

// drainSome takes at most n of the waiting frames, of one session or, for "", of all. It ends at the first one that could
// not be recorded; one whose file cannot be read or removed is left for later.
func (d *drainer) drainSome(ctx context.Context, n int, session string) (int, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	list, err := d.spool.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("list spool", "err", err)
	}

	now := d.opts.Now()
	maps.DeleteFunc(d.later, func(_ string, until time.Time) bool { return now.After(until) })
	list = slices.DeleteFunc(list, func(e spool.Entry) bool { return !d.later[e.Path].IsZero() })
	if session == "" {
		list = list[:min(len(list), n)]
	}
	count := 0
	for _, e := range list {
		if ctx.Err() != nil {
			return count, ctx.Err()
		}
		ok, err := d.drainOne(ctx, e, session)
		if err != nil {
			d.log.Warn("take from spool", "frame", e.ID, "err", err)
			return count, err
		}
		if ok {
			count++
		}
	}
	return count, nil
}

// postponeFor is how long a file that could not be read, or not moved away, is not tried again.
const postponeFor = 10 * time.Second

// postpone leaves a file for later after an error, which says nothing about the other files. The caller has the turn.
func (d *drainer) postpone(e spool.Entry, err error) {
	if err != nil {
		d.log.Warn("a frame stays in the spool", "frame", e.ID, "err", err)
		d.later[e.Path] = d.opts.Now().Add(postponeFor)
	}
}

// drainOne takes one frame, unless it is of another session than the one that is asked for; "" asks for all.
func (d *drainer) drainOne(ctx context.Context, e spool.Entry, session string) (bool, error) {
	f, err := d.spool.Read(e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, spool.ErrFrame), errors.Is(err, safeopen.ErrRefused):
		return false, d.setAside(ctx, e, err, &events.HookRefused{Reason: "damaged_in_spool", Given: e.ID})
	case err != nil:
		d.postpone(e, err)
		return false, nil
	}
	if of := spool.Session(f); session != "" && of != "" && of != session {
		return false, nil
	}

	_, err = d.intake.take(ctx, f, fromSpool)
	if errors.Is(err, embedded.ErrTooLarge) || errors.Is(err, embedded.ErrBadEnvelope) {
		return false, d.setAside(ctx, e, err, &events.HookRefused{Reason: "not_recordable", Size: f.Size, Given: strings.Join(f.Args, " ")})
	}
	if err != nil {
		return false, err
	}
	d.postpone(e, d.spool.Remove(e))
	return true, nil
}

// setAside records why a frame cannot be taken, and keeps it beside the spool.
func (d *drainer) setAside(ctx context.Context, e spool.Entry, why error, refused *events.HookRefused) error {
	d.log.Error("frame set aside", "frame", e.ID, "reason", refused.Reason, "err", why)
	_, err := d.rec.Note(ctx, events.Envelope{}, refused)
	d.postpone(e, d.spool.Quarantine(e))
	return err
}
