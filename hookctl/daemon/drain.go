package daemon

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/spool"
)

// drain takes the waiting frames in order. A frame leaves the spool only when it is on disk in the
// log, so a crash in between delivers it again, and it counts once. It returns how many it took.
func (d *Daemon) drain(ctx context.Context) int {
	taken := 0
	for {
		n := d.drainSome(ctx, catchUpWithin)
		taken += n
		if n < catchUpWithin || ctx.Err() != nil {
			return taken
		}
	}
}

// catchUpWithin is how many waiting frames are taken in one go, and how many a live one waits for: a few
// that were captured before it while the daemon started. A longer spool is the loop's alone.
const catchUpWithin = 64

// drainSome takes at most n of the waiting frames.
func (d *Daemon) drainSome(ctx context.Context, n int) int {
	d.draining.Lock()
	defer d.draining.Unlock()
	list, err := d.spool.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("list spool", "err", err)
	}
	taken := 0
	list = d.ready(list)
	list = list[:min(len(list), n)]
	if err := d.rec.Expect(ctx, idsOf(list)); err != nil {
		d.endWhenBroken(err)
		d.log.Warn("look waiting frames up", "err", err)
		return 0
	}
	for _, e := range list {
		if ctx.Err() != nil {
			return taken
		}
		ok, err := d.drainOne(ctx, e)
		var stuck *stuckError
		switch {
		case errors.As(err, &stuck): // the file is the matter, and the others may be whole
			d.log.Warn("a frame stays in the spool", "frame", e.ID, "err", err)
			d.later[e.Path] = d.opts.Now().Add(stuckFor)
		case err != nil:
			d.log.Warn("take from spool", "frame", e.ID, "err", err)
			return taken
		}
		if ok {
			taken++
		}
	}
	return taken
}

// stuckError is trouble with the file of a frame, which says nothing about the others.
type stuckError struct{ error }

func (e *stuckError) Unwrap() error { return e.error }

// stuckFor is how long a file that could not be opened, or not moved away, is not tried again.
const stuckFor = time.Minute

// stuck is err as a [*stuckError], nil for none.
func stuck(err error) error {
	if err == nil {
		return nil
	}
	return &stuckError{err}
}

// ready is the frames without those whose files were in the way a moment ago. The caller holds d.draining.
func (d *Daemon) ready(list []spool.Entry) []spool.Entry {
	if d.later == nil {
		d.later = map[string]time.Time{}
	}
	now := d.opts.Now()
	maps.DeleteFunc(d.later, func(_ string, until time.Time) bool { return now.After(until) })
	return slices.DeleteFunc(list, func(e spool.Entry) bool { return !d.later[e.Path].IsZero() })
}

func idsOf(list []spool.Entry) []string {
	ids := make([]string, 0, len(list))
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

func (d *Daemon) drainOne(ctx context.Context, e spool.Entry) (bool, error) {
	f, err := d.spool.Read(e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, spool.ErrFrame), errors.Is(err, safeopen.ErrRefused):
		d.log.Error("unreadable frame set aside", "frame", e.ID, "err", err)
		_, noteErr := d.rec.Note(ctx, events.Envelope{}, &events.HookRefused{Reason: "damaged_in_spool", Given: e.ID})
		return false, errors.Join(noteErr, stuck(d.spool.Quarantine(e)))
	case err != nil:
		return false, stuck(err)
	}
	_, err = d.take(ctx, f, true)
	if errors.Is(err, embedded.ErrTooLarge) || errors.Is(err, embedded.ErrBadEnvelope) {
		d.log.Error("frame set aside: the log does not take it", "frame", e.ID, "err", err)
		_, noteErr := d.rec.Note(ctx, events.Envelope{}, &events.HookRefused{Reason: "not_recordable", Size: f.Size, Given: strings.Join(f.Args, " ")})
		return false, errors.Join(noteErr, stuck(d.spool.Quarantine(e)))
	}
	if err != nil {
		return false, err
	}
	return true, stuck(d.spool.Remove(e))
}
