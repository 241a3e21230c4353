// Package recorder keeps the log and what is folded from it: the store, the view, and the order in which events are
// judged, decided, appended and folded. Every append is made here, one decision at a time.
//
//	Open     the store is checked and opened, the view is brought to the end of the log
//	Record   one hook: judged, decided, appended, folded, told
//	Do       one decision that no hook brought
//	Later    what is appended before the next hook
//	Import   events that have their ids already
//	Synced   how far the log is on disk, for those who follow it
//	Close    the view is written, the store closed
package recorder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/tables"
)

// Options of a recorder. Log and Now are wanted.
type Options struct {
	Store embedded.Options
	Log   *slog.Logger
	Now   func() time.Time

	// Begin appends what comes before everything else; damage of the log that it meets counts as met by the opening.
	Begin func(context.Context, *Recorder) error
}

// Recorder is an open log with its view. Its methods are safe for concurrent use.
type Recorder struct {
	opts   Options
	log    *slog.Logger
	ground *embedded.Server
	stream *embedded.Stream
	view   *projector.View

	order  sync.Mutex // the order of the log: judge, decide, append and fold are one step
	window *window
	anew   *events.BucketRebuilt // what the opening folded again; nil where it went on from what was stored
	named  map[string]bool       // second installs that the log names, by session
	last   time.Time             // of the newest append
	onWay  map[string]string     // frame whose answer tells what a session's start could not, by session

	mayWait sync.Mutex // guards waiting alone
	waiting []events.Envelope

	mayFollow sync.Mutex // guards what follows
	synced    uint64
	grown     chan struct{} // closed when synced grows
}

// Open opens the store and brings the view to the end of the log. When that meets damage which a clean shutdown had
// vouched for, the store is opened once more, and all of it is checked.
func Open(ctx context.Context, o Options) (*Recorder, error) {
	r, met, err := open(ctx, o)
	if met {
		o.Log.Warn("damage was met; checking the whole log", "err", err)
		r, _, err = open(ctx, o)
	}
	return r, err
}

// open opens the store. met reports that it opened and that damage was met while it was read; a store that does not open
// is not tried again.
func open(ctx context.Context, o Options) (r *Recorder, met bool, err error) {
	ground, err := embedded.Open(ctx, o.Store)
	if err != nil {
		return nil, false, err
	}

	r = &Recorder{opts: o, log: o.Log, ground: ground, stream: ground.Stream(), window: newWindow(windowSize), named: map[string]bool{}, onWay: map[string]string{},
		grown: make(chan struct{})}

	err = r.resume(ctx)
	if err == nil && o.Begin != nil {
		err = o.Begin(ctx, r)
	}
	if err != nil {
		return nil, errors.Is(err, embedded.ErrLogDamaged), errors.Join(err, ground.Close(ctx))
	}
	return r, false, nil
}

// Close writes the projections and closes the store.
func (r *Recorder) Close(ctx context.Context) error {
	stuck := r.ground.Health()
	if !errors.Is(stuck, embedded.ErrWriteStuck) {
		r.Heal(ctx) // what is broken is not written
	}

	r.order.Lock()
	defer r.order.Unlock()
	if errors.Is(stuck, embedded.ErrWriteStuck) { // trying would take ten seconds
		r.log.Warn("the projections are not written", "err", stuck)
		return r.ground.Close(ctx)
	}
	_, err := r.view.Flush(ctx)
	return errors.Join(err, r.ground.Close(ctx))
}

// Store returns the open store, for checks, copies and repairs; nothing is appended there.
func (r *Recorder) Store() *embedded.Server { return r.ground }

// View returns the projections, for reading, writing, comparing and rebuilding them; nothing is applied there.
func (r *Recorder) View() *projector.View { return r.view }

// Newest returns the time at which the newest record was appended.
func (r *Recorder) Newest() time.Time {
	r.order.Lock()
	defer r.order.Unlock()
	return r.last
}

// resume brings the view to the end of the log.
func (r *Recorder) resume(ctx context.Context) error {
	view, err := projector.OpenView(ctx, r.ground.Store(), tables.All())
	if err != nil {
		return err
	}
	r.view = view
	view.Durable = r.stream.Sync
	view.Log = r.stream.Select

	began := r.opts.Now()
	why, err := r.forgetFalse(ctx)
	if err == nil {
		err = r.catchUp(ctx)
	}
	if err == nil {
		err = r.noteRebuilt(ctx, why, began)
	}
	if err == nil {
		err = r.fillWindow(ctx)
	}
	if err != nil {
		return err
	}

	return view.Read(ctx, func(rd projector.Reader) error { // loads the indexes, or the first hook would wait for it
		_ = projector.Lookup(rd, session.Name, session.Alive)
		_ = projector.Lookup(rd, project.Name, project.Known)
		return nil
	})
}

// forgetFalse has the projections folded anew where the log has lost something, which none of them may know, or where they
// are of another log. It returns why; the zero value where they stay.
func (r *Recorder) forgetFalse(ctx context.Context) (reason, error) {
	rep := r.ground.Report()
	if rep.Restored || len(rep.Found.Lost) > 0 {
		return reason{cause: logDamaged}, r.view.Forget(ctx)
	}
	return r.checkPositions(ctx)
}

// checkPositions compares each position with the log: a sequence that the log does not have, or that belongs to another
// event, means that the projections are of another log. They are folded anew.
func (r *Recorder) checkPositions(ctx context.Context) (reason, error) {
	last, _ := r.stream.Last()
	for name, p := range r.view.Positions() {
		if p.Seq == 0 {
			continue
		}
		ok := p.Seq <= last
		if ok {
			rec, err := r.stream.Get(ctx, p.Seq)
			ok = errors.Is(err, embedded.ErrNoRecord) || err == nil && rec.ID == p.ID
		}
		if !ok {
			r.log.Warn("position is not of this log; folding again", "projection", name, "seq", p.Seq, "last", last)
			detail := fmt.Sprintf("the position of %s, %d, is of another event", name, p.Seq)
			return reason{events.RebuiltOtherLog, detail}, r.view.Forget(ctx)
		}
	}
	return reason{}, nil
}

func (r *Recorder) catchUp(ctx context.Context) error {
	from := r.view.Position().Seq + 1
	last, _ := r.stream.Last()
	if from > last {
		return nil
	}

	err := r.stream.ReadLent(ctx, from, 0, func(rec events.Record) error {
		if (rec.Seq-from)%saidEvery == saidEvery-1 {
			r.doing(fmt.Sprintf("reading the log (%d of %d)", rec.Seq-from+1, last-from+1))
		}
		r.last = rec.Appended
		return r.view.Apply(ctx, rec)
	})
	if err != nil {
		return fmt.Errorf("fold the log from %d: %w", from, err)
	}
	if last-from >= saidEvery {
		r.doing("")
	}
	return nil
}

// saidEvery is the number of records between two reports of the folding's progress to a waiting caller: a fraction of a second.
const saidEvery = 20_000

// doing writes what takes long where those who wait for the store read it.
func (r *Recorder) doing(words string) {
	if err := r.ground.Doing(words); err != nil {
		r.log.Warn("say what is being done", "err", err)
	}
}

// warmWindow is the number of records that the window starts with: enough for the retries of the last seconds at a few
// milliseconds of start-up; an older frame is looked up in the log.
const warmWindow = 1024

// fillWindow feeds the newest records to the window of taken frames.
func (r *Recorder) fillWindow(ctx context.Context) error {
	last, _ := r.stream.Last()
	if last == 0 {
		return nil
	}
	from := last - min(last, warmWindow) + 1
	return r.stream.ReadRaw(ctx, from, 0, func(rec events.Record) error {
		r.last = rec.Appended
		r.window.Add(&rec.Envelope, rec.Seq, rec.Appended, digestOf(rec.Data), "")
		return nil
	})
}

// Heal folds broken cells anew, while hooks go on being recorded.
func (r *Recorder) Heal(ctx context.Context) {
	broken := r.view.Broken()
	if len(broken) == 0 {
		return
	}

	cells := fmt.Sprintf("%s.v%d.", identity.Name, identity.Version)
	for _, key := range broken {
		if id, ok := strings.CutPrefix(key, cells); ok {
			r.log.Warn("Corrupted identity snapshot: cannot deserialize session " + id) // S0 ERR-SESSION-02
		}
	}

	r.log.Warn("cells could not be read; rebuilding from the log", "cells", broken)
	began := r.opts.Now()
	position, diffs, err := r.view.Rebuild(ctx, r.stream.ReadLent, "", nil)
	if err != nil {
		r.log.Error("rebuild", "err", err)
		return
	}
	detail := "cells that cannot be read: " + strings.Join(broken[:min(len(broken), brokenTold)], ", ")
	e := &events.BucketRebuilt{Cause: events.RebuiltUnreadable, Detail: detail, Changed: len(diffs), Seq: position.Seq}
	if err := r.NoteRebuilt(ctx, e, "", began); err != nil {
		r.log.Error("record that cells were rebuilt", "err", err)
	}
}
