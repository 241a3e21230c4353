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

// drainer is what the draining of the spool knows of the files there. Whoever takes frames has put the one value into turn.
type drainer struct {
	turn     chan struct{}
	later    map[string]time.Time // when a file that was in the way is tried again
	sessions map[string]string    // of frames that were passed over
}

// drain takes the waiting frames in order. A frame leaves the spool only when it is on disk in the
// log, so a crash in between delivers it again, and it counts once. It returns how many it took.
func (d *Daemon) drain(ctx context.Context) int {
	taken := 0
	for {
		n, err := d.drainSome(ctx, catchUpWithin, "")
		taken += n
		if n < catchUpWithin || err != nil {
			return taken
		}
	}
}

// catchUpWithin is how many waiting frames are taken in one go, and how many of all sessions a live hook waits for.
const catchUpWithin = 64

// catchUp takes the waiting frames that were captured before a live hook: all of them where they are few, else those of
// its session. They get half of the hook's time. With an error the hook belongs behind them into the spool.
func (d *Daemon) catchUp(ctx context.Context, f wire.Frame) error {
	n := d.spool.Waiting(catchUpWithin)
	if n == 0 {
		return nil
	}
	session := ""
	if n > catchUpWithin {
		session = f.Session()
	}
	ctx, cancel := context.WithTimeout(ctx, wire.Deadline(f.Args, wire.Event(f.Args, f.Body), f.Where())/2)
	defer cancel()
	_, err := d.drainSome(ctx, math.MaxInt, session)
	return err
}

// drainSome takes at most n of the waiting frames, of one session or, for "", of all. It ends at the first one that could
// not be recorded; one whose file is the matter is left for later.
func (d *Daemon) drainSome(ctx context.Context, n int, session string) (int, error) {
	select {
	case d.drainer.turn <- struct{}{}:
		defer func() { <-d.drainer.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	list, err := d.spool.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("list spool", "err", err)
	}
	list = d.ready(list)
	if session == "" {
		list = list[:min(len(list), n)]
	}
	ids := make([]string, 0, len(list))
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	if err := d.rec.Expect(ctx, ids); err != nil {
		d.endWhenBroken(err)
		d.log.Warn("look waiting frames up", "err", err)
		return 0, err
	}

	taken := 0
	for _, e := range list {
		if ctx.Err() != nil {
			return taken, ctx.Err()
		}
		ok, err := d.drainOne(ctx, e, session)
		var stuck *stuckError
		switch {
		case errors.As(err, &stuck): // the file is the matter, and the others may be whole
			d.log.Warn("a frame stays in the spool", "frame", e.ID, "err", err)
			d.drainer.later[e.Path] = d.opts.Now().Add(stuckFor)
		case err != nil:
			d.log.Warn("take from spool", "frame", e.ID, "err", err)
			return taken, err
		}
		if ok {
			taken++
		}
	}
	return taken, nil
}

// stuckError is trouble with the file of a frame, which says nothing about the others.
type stuckError struct{ error }

func (e *stuckError) Unwrap() error { return e.error }

// stuckFor is how long a file that could not be opened, or not moved away, is not tried again.
const stuckFor = 10 * time.Second

// stuck is err as a [*stuckError], nil for none.
func stuck(err error) error {
	if err == nil {
		return nil
	}
	return &stuckError{err}
}

// ready is the frames without those whose files were in the way a moment ago. The caller has the turn.
func (d *Daemon) ready(list []spool.Entry) []spool.Entry {
	if d.drainer.later == nil {
		d.drainer.later = map[string]time.Time{}
	}
	if len(list) == 0 || d.drainer.sessions == nil {
		d.drainer.sessions = map[string]string{}
	}
	now := d.opts.Now()
	maps.DeleteFunc(d.drainer.later, func(_ string, until time.Time) bool { return now.After(until) })
	return slices.DeleteFunc(list, func(e spool.Entry) bool { return !d.drainer.later[e.Path].IsZero() })
}

// readWithin is how long the file of a frame may take to be read; the file system may be one that does not answer.
const readWithin = 2 * time.Second

// read is the frame of a file. A file that does not answer is a [*stuckError]; its reader ends with the file system.
func (d *Daemon) read(ctx context.Context, e spool.Entry) (wire.Frame, error) {
	type result struct {
		f   wire.Frame
		err error
	}
	got := make(chan result, 1)
	go func() {
		f, err := d.spool.Read(e)
		got <- result{f, err}
	}()

	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	select {
	case r := <-got:
		return r.f, r.err
	case <-ctx.Done():
		return wire.Frame{}, stuck(ctx.Err())
	}
}

// drainOne takes one frame, unless it is of another session than the one that is asked for; "" asks for all.
func (d *Daemon) drainOne(ctx context.Context, e spool.Entry, session string) (bool, error) {
	if of, known := d.drainer.sessions[e.Path]; known && session != "" && of != session {
		return false, nil
	}
	f, err := d.read(ctx, e)
	if of := f.Session(); err == nil && session != "" && of != session && of != "" {
		d.drainer.sessions[e.Path] = of
		return false, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, spool.ErrFrame), errors.Is(err, safeopen.ErrRefused):
		return false, d.setAside(ctx, e, err, &events.HookRefused{Reason: "damaged_in_spool", Given: e.ID})
	case err != nil:
		return false, stuck(err)
	}

	_, _, err = d.take(ctx, f, true)
	if errors.Is(err, embedded.ErrTooLarge) || errors.Is(err, embedded.ErrBadEnvelope) {
		return false, d.setAside(ctx, e, err, &events.HookRefused{Reason: "not_recordable", Size: f.Size, Given: strings.Join(f.Args, " ")})
	}
	if err != nil {
		return false, err
	}
	return true, stuck(d.spool.Remove(e))
}

// setAside records why a frame cannot be taken, and keeps it beside the spool.
func (d *Daemon) setAside(ctx context.Context, e spool.Entry, why error, refused *events.HookRefused) error {
	d.log.Error("frame set aside", "frame", e.ID, "reason", refused.Reason, "err", why)
	_, err := d.rec.Note(ctx, events.Envelope{}, refused)
	return errors.Join(err, stuck(d.spool.Quarantine(e)))
}
