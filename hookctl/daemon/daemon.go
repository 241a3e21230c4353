// Package daemon serves the recorder: a frame comes in, is redacted and decoded, recorded, answered. It owns everything
// that runs beside a hook.
//
//	Open     the recorder and what is asked of the machine, without a socket (also used in process by `replay`)
//	Serve    the same with the unix socket and the loops, until there is a reason to stop
//	Take     one frame
//	Handler  the HTTP surface: hooks, status, tail, cells, and what takes long: verify, rebuild, import, backup, repair
//
// Recovery is done by the packages check, carry and mend. They get the store, and functions to append by: the order of the
// log is the recorder's.
package daemon

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/recorder"
	"hookline/hookctl/redact"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/replay/check"
)

// Options of a daemon. The zero value of a field means its default.
type Options struct {
	Home     string        // folder of all state, 0700
	Fsync    string        // shared (default) or always
	IdleExit time.Duration // without a live session; default 12 h, negative: never
	Flush    time.Duration // longest time that folded cells stay unwritten; default 2 s
	Redact   []string      // the user's own patterns of secrets, RE2
	Notify   string        // a command or URL that is told of sessions that wait for the user; "" or off: none
	Listen   string        // host and port for clients of NATS; "" or off: none
	Otel     string        // the receiver of traces; "" or off: none
	Renew    bool          // begin a new log where nothing is left of the old one; never without consent
	Log      *slog.Logger
	Now      func() time.Time

	listenWrong string // why what the configuration says of Listen does not count

	unpacked bool // the log is taken from the archive because a backup was put there
}

// Daemon is the recorder with what surrounds it: a socket, loops, effects. Its methods are safe for concurrent use.
type Daemon struct {
	opts    Options
	log     *slog.Logger
	rec     *recorder.Recorder
	ground  *embedded.Server // of the recorder, like the next two: to check, copy and mend
	stream  *embedded.Stream
	view    *projector.View
	world   *facts.World
	spool   *spool.Spool
	started time.Time
	mark    string // of the home, which a caller may compare
	serving bool   // a daemon has it open, not a command for its own time

	redactor *redact.Redactor            // without what a project adds
	projects facts.Cache[*projectConfig] // by the folder that the client was launched in
	rules    facts.Cache[*gateRules]     // by the top of the work tree
	memories facts.Cache[*redact.Memory] // by session: a secret is also replaced where it recurs without its name
	clients  facts.Cache[knownClient]    // by CLAUDE_PID
	meters   facts.Cache[*meter]         // by session
	visits   facts.Cache[bool]           // paths of projects that git was asked about
	said     facts.Cache[string]         // to users, by session and what it is about
	hooks    hookCounts
	large    large
	drainer  drainer
	touched  atomic.Int64 // Unix ms of the newest frame
	freed    uint64       // bytes allocated until the last [Daemon.giveBack]

	warnings     *check.Warnings // about damage
	mayDamage    sync.Mutex      // guards warnings and what follows
	damaged      string          // what a session's start says of the log's damage
	damagedTo    string          // that session
	clockTold    atomic.Bool
	failedDreams sync.Map      // words that users have not been told yet, by session
	consolidate  consolidation // identity.Dream, but for tests

	carrying  sync.Mutex // held by an import, a backup or a repair: one at a time
	notifier  notifier
	listening atomic.Pointer[api.Listening] // the socket for clients of NATS; nil where the configuration has none
	paths     home.Paths
	door      atomic.Pointer[door] // nil: in process, or not open yet

	effects   sync.WaitGroup
	following atomic.Int32 // effects of hooks that are not appended yet
	life      context.Context
	end       context.CancelFunc
	handOver  atomic.Pointer[string]
	stopping  chan string
}

// Open opens the store, checks and resumes the projections, and records what was wrong with the log.
func Open(ctx context.Context, o Options) (*Daemon, error) {
	o.IdleExit = cmp.Or(o.IdleExit, 12*time.Hour)
	o.Flush = cmp.Or(o.Flush, 2*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := home.Make(o.Home); err != nil {
		return nil, fmt.Errorf("create home: %w", err)
	}
	store := embedded.Options{Dir: filepath.Join(o.Home, "store"), Log: o.Log, Always: o.Fsync == "always", Renew: o.Renew, Now: o.Now, Holder: "hookd " + wire.Build}

	d := &Daemon{opts: o, log: o.Log, consolidate: identity.Dream, world: facts.New(), redactor: redact.New().With(redact.Extra{User: redact.Compile(o.Redact)}),
		spool: spool.Open(home.PathsOf(o.Home, os.Getenv)), started: o.Now(), mark: wire.Mark(o.Home), warnings: check.OpenWarnings(o.Home, o.Log),
		stopping: make(chan string, 1), drainer: drainer{turn: make(chan struct{}, 1), later: map[string]time.Time{}}, large: large{slots: make(chan struct{}, largeAtOnce)}}
	d.projects.Most, d.rules.Most = maxRoots, maxRoots
	d.memories.Most = 64 // each up to 100 KB
	d.clients.Most = 256
	d.meters.Most = 1024 // beyond, the ends of the transcripts are read once more
	rec, err := recorder.Open(ctx, recorder.Options{Store: store, Log: o.Log, Now: o.Now, Begin: d.emitDamage})
	if err != nil {
		return nil, err
	}

	d.rec, d.ground, d.stream, d.view = rec, rec.Store(), rec.Store().Stream(), rec.View()
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	return d, nil
}

// Close writes the projections and closes the store; nothing is taken any more.
func (d *Daemon) Close(ctx context.Context) error {
	d.end()
	d.effects.Wait()
	return d.rec.Close(ctx)
}

// emitDamage records, once, what was lost, healed or brought back, and keeps the words for the user: by the opening that
// found it, before anything else is appended. They are said at the start of the next session, by this daemon or a later one. Nothing is
// appended where an opening that was killed before it could say so has done it.
func (d *Daemon) emitDamage(ctx context.Context, rec *recorder.Recorder) error {
	f := rec.Store().Report().Found
	if d.opts.unpacked {
		f.Did = nil // a backup has no log beside its archive
	}
	known := map[string]uint64{}
	var err error
	if f.ID != "" {
		known, err = rec.Find(ctx, f.ID)
	}
	if err == nil && !f.Empty() && len(known) == 0 {
		d.warnings.Add(f.ID, check.Told(f))
		var envs []events.Envelope
		envs, err = recorder.Envelopes(d.opts.Now(), events.Envelope{ID: f.ID}, check.EventOf(f))
		if err == nil {
			_, err = rec.Import(ctx, envs)
		}
	}
	if err == nil {
		err = rec.Store().Recorded()
	}
	if err != nil {
		return fmt.Errorf("record the log's damage: %w", err)
	}
	return nil
}

// seen returns what fn returns for the states as they are, at one position; the zero value where they cannot be read. Maps and
// slices of a state are for fn alone: the next record may change them.
func seen[T any](ctx context.Context, d *Daemon, fn func(projector.Reader) T) (out T) {
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		out = fn(r)
		return nil
	})
	return out
}

// stateOf returns the state of one cell, and whether there is one. What it holds in maps and slices may change: see [seen].
func stateOf[S any](ctx context.Context, d *Daemon, table, key string) (s S, found bool) {
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s, found = projector.State[S](r, table, key)
		return nil
	})
	return s, found
}

// session returns what the log has of a session.
func (d *Daemon) session(ctx context.Context, id string) (session.State, bool) {
	return stateOf[session.State](ctx, d, session.Name, id)
}
