// Package daemon wires the straight line: a frame comes in, is redacted, decoded, decided, appended,
// folded, answered. It owns the store, the projections and everything that runs beside a hook.
//
//	Open     the house without a door: store, view, facts (also used in process by `replay`)
//	Serve    the same behind the unix socket, with its loops, until it is told to stop
//	Take     one frame
//	Handler  the HTTP surface: hooks, status, tail, cells, and what takes long: verify, rebuild, import, backup, repair
//
// Recovery is done by the packages verify, importer, backup, repair and recovery. They get the store, and functions to
// append by: the order of the log stays here.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/redact"
	"hookline/hookctl/socket"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/intake"
	"hookline/projector/project"
	"hookline/projector/session"
)

// Options of a daemon. The zero value of a field means its default.
type Options struct {
	Home     string        // folder of all state, 0700
	Fsync    string        // shared (default) or always
	IdleExit time.Duration // without a live session; default 12 h, negative: never
	Flush    time.Duration // longest time that folded cells stay unwritten; default 2 s
	Redact   []string      // the user's own patterns of secrets, RE2
	Renew    bool          // begin a new log where nothing is left of the old one; never without consent
	Log      *slog.Logger
	Now      func() time.Time

	unpacked bool // the log is taken from the archive because a backup was put there
}

func (o Options) withDefaults() Options {
	if o.IdleExit == 0 {
		o.IdleExit = 12 * time.Hour
	}
	if o.Flush == 0 {
		o.Flush = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Daemon is the running house. Its methods are safe for concurrent use; frames are recorded one at
// a time, everything before and after that runs side by side.
type Daemon struct {
	opts     Options
	log      *slog.Logger
	ground   *embedded.Server
	stream   *embedded.Stream
	view     *projector.View
	world    *facts.World
	redactor *redact.Redactor // without what a project adds
	extras   redactors
	memories memories
	spool    *spool.Spool

	mu           sync.Mutex // the order of the log: judge, decide, append and fold are one step
	window       *intake.Window
	visits       visits
	notices      map[string]bool // told to the user, by session and cause
	last         time.Time       // newest append
	clockTold    bool
	untold       *damage.Untold // about damage
	recorded     bool           // what the opening found is in the log
	draining     sync.Mutex
	later        map[string]time.Time // when a frame in the spool whose file was in the way is tried again; behind draining
	failedDreams failedDreams
	heard        heard
	consolidate  consolidation // nil: identity.Dream
	carrying     sync.Mutex    // held by an import, a backup or a repair: one at a time
	large        large
	clients      clientCache
	gates        gateFiles
	lookedUp     map[string]uint64 // waiting frames that were looked up in the log: sequence, 0 = not there
	paths        home.Paths
	door         atomic.Pointer[socket.Door] // nil: in process, or not open yet

	hub      *hub
	hooks    hookCounts
	effects  sync.WaitGroup
	life     context.Context
	end      context.CancelFunc
	started  time.Time
	touched  atomic.Int64 // Unix ms of the newest frame
	handedBy string       // build that handed over
	mark     string       // of the home, which a caller may compare
	serving  bool         // a daemon has it open, not a command for its own time
	handOver atomic.Pointer[string]
	stopping chan string
}

// Open opens the store, checks and resumes the projections, and records what was wrong with the log.
func Open(ctx context.Context, o Options) (*Daemon, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(o.Home, 0o700); err != nil {
		return nil, fmt.Errorf("create home: %w", err)
	}
	mode := embedded.Shared
	if o.Fsync == "always" {
		mode = embedded.Always
	}
	ground := embedded.Options{Dir: filepath.Join(o.Home, "store"), Log: o.Log, Fsync: mode, Renew: o.Renew, Now: o.Now, Holder: "hookd " + wire.Build}
	d, met, err := openOn(ctx, o, ground)
	if met { // while reading what an exit in order had vouched for: now every block is checked
		o.Log.Warn("damage was met; checking the whole log", "err", err)
		d, _, err = openOn(ctx, o, ground)
	}
	return d, err
}

// openOn opens the house on a store. met tells that the store opened and damage was met while it was
// read: another opening checks all of it. A store that does not open is not tried again.
func openOn(ctx context.Context, o Options, place embedded.Options) (d *Daemon, met bool, err error) {
	ground, err := embedded.Open(ctx, place)
	if err != nil {
		return nil, false, err
	}
	d = &Daemon{opts: o, log: o.Log, ground: ground, stream: ground.Stream(), world: facts.New(facts.Options{}), redactor: redact.New().With(redact.Compile(o.Redact)),
		spool: spool.Open(home.PathsOf(o.Home, os.Getenv)), window: intake.New(intake.Size), notices: map[string]bool{}, hub: newHub(), started: o.Now(),
		stopping: make(chan string, 1)}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	d.untold = damage.OpenUntold(o.Home, o.Log)
	d.mark = wire.Mark(o.Home)
	err = d.resume(ctx)
	if err == nil {
		err = d.emitDamage(ctx)
	}
	if err != nil {
		d.end()
		return nil, errors.Is(err, embedded.ErrLogDamaged), errors.Join(err, ground.Close(ctx))
	}
	return d, false, nil
}

// Close writes the projections and closes the store; nothing is taken any more.
func (d *Daemon) Close(ctx context.Context) error {
	d.end()
	d.effects.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) { // trying would take ten seconds
		d.log.Warn("the projections are not written", "err", err)
		return d.ground.Close(ctx)
	}
	d.heal(ctx) // what is broken is not written
	_, err := d.view.Flush(ctx)
	return errors.Join(err, d.ground.Close(ctx))
}

// resume brings the view to the end of the log.
func (d *Daemon) resume(ctx context.Context) error {
	view, err := projector.OpenView(ctx, d.ground.Store(), projector.Tables())
	if err != nil {
		return err
	}
	d.view = view
	view.Durable = d.stream.Sync
	rep := d.ground.Report()
	if rep.BucketsMade || rep.Restored || len(rep.Fixed.Lost) > 0 { // what the log has lost no projection may know
		if err := view.Forget(ctx); err != nil {
			return err
		}
	}
	if err := d.checkPositions(ctx); err != nil {
		return err
	}
	if err := d.catchUp(ctx); err != nil {
		return err
	}
	if err := d.fillWindow(ctx); err != nil {
		return err
	}
	return view.Read(ctx, func(r projector.Reader) error { // loads the indexes, or the first hook would wait for it
		_ = projector.Lookup(r, session.Name, session.Alive)
		_ = projector.Lookup(r, project.Name, project.Known)
		return nil
	})
}

// checkPositions compares each position with the log: a sequence that the log does not have, or
// that belongs to another event, means that the projections are of another log. They are folded anew.
func (d *Daemon) checkPositions(ctx context.Context) error {
	last, _ := d.stream.Last()
	for name, p := range d.view.Positions() {
		if p.Seq == 0 {
			continue
		}
		ok := p.Seq <= last
		if ok {
			rec, err := d.stream.Get(ctx, p.Seq)
			ok = errors.Is(err, embedded.ErrNoRecord) || err == nil && rec.ID == p.ID
		}
		if !ok {
			d.log.Warn("position is not of this log; folding again", "projection", name, "seq", p.Seq, "last", last)
			return d.view.Forget(ctx)
		}
	}
	return nil
}

func (d *Daemon) catchUp(ctx context.Context) error {
	from := d.view.Position().Seq + 1
	if last, _ := d.stream.Last(); from > last {
		return nil
	}
	err := d.stream.ReadLent(ctx, from, 0, func(r events.Record) error {
		d.last = r.Appended
		return d.view.Apply(ctx, r)
	})
	if err != nil {
		return fmt.Errorf("fold the log from %d: %w", from, err)
	}
	return nil
}

// fillWindow feeds the newest records to the window of taken frames.
func (d *Daemon) fillWindow(ctx context.Context) error {
	last, _ := d.stream.Last()
	if last == 0 {
		return nil
	}
	from := uint64(1)
	if last > warmWindow {
		from = last - warmWindow + 1
	}
	return d.stream.ReadRaw(ctx, from, 0, func(seq uint64, appended time.Time, env events.Envelope) error {
		d.last = appended
		d.window.Add(&env, seq, appended, intake.DigestOf(env.Data), "")
		return nil
	})
}

// warmWindow is how many records the window starts with: enough for the retries of the last seconds
// at a few milliseconds of start-up; an older frame is looked up in the log.
const warmWindow = 1024

// heal folds broken cells anew, beside the running line.
func (d *Daemon) heal(ctx context.Context) {
	broken := d.view.Broken()
	if len(broken) == 0 {
		return
	}
	cells := fmt.Sprintf("%s.v%d.", identity.Name, identity.Version)
	for _, key := range broken {
		if id, ok := strings.CutPrefix(key, cells); ok {
			d.log.Warn("Corrupted identity snapshot: cannot deserialize session " + id) // S0 ERR-SESSION-02
		}
	}
	d.log.Warn("cells could not be read; rebuilding from the log", "cells", broken)
	if _, err := d.view.Rebuild(ctx, d.stream.ReadLent, "", nil); err != nil {
		d.log.Error("rebuild", "err", err)
	}
}
