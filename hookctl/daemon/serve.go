package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/config"
	"hookline/hookctl/home"
	"hookline/hookctl/redact"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// Serve runs the daemon of this environment's home until it is told to stop. It is what
// `hookd serve` does; its stdio is the log.
func Serve(ctx context.Context) int {
	p := home.Locate(os.Getenv)
	if err := p.Check(); err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).Error("serve", "err", err)
		return 1
	}
	if info, err := os.Lstat(p.Log); err == nil && info.Mode().IsRegular() && info.Size() > mostLog {
		_ = os.Truncate(p.Log, 0) // a long log is better than none
	}
	cfg := config.Load(config.Options{Getenv: os.Getenv})
	clean := redactedLog{to: os.Stderr, with: redact.New().With(redact.Extra{User: redact.Compile(cfg.Values.RedactExtra)})}
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Values.LogLevel)) // one of its own words
	log := slog.New(slog.NewTextHandler(clean, &slog.HandlerOptions{Level: level}))
	wrong := ""
	for _, p := range cfg.Problems {
		log.Warn("configuration", "problem", p)
		if p.Key == "listen" {
			wrong = p.Message
		}
	}
	debug.SetMemoryLimit(largeLimit)
	idle := cfg.Values.IdleExit
	if idle == 0 {
		idle = -1 // the configuration's word for never
	}
	err := serve(ctx, p, Options{Home: p.Home, Fsync: cfg.Values.Fsync, IdleExit: idle, Flush: cfg.Values.FlushInterval,
		Redact: cfg.Values.RedactExtra, Notify: cfg.Values.Notify, Listen: cfg.Values.Listen, listenWrong: wrong, Otel: cfg.Values.Otel, Log: log})
	var locked *embedded.LockedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &locked):
		log.Info("another daemon has this home", "pid", locked.PID)
		return 1
	}
	log.Error("serve", "err", err)
	damaged := errors.Is(err, embedded.ErrLogDamaged)
	if saveErr := p.StartFailed(home.Attempt{Reason: err.Error(), Damaged: damaged, Gone: errors.Is(err, embedded.ErrLogGone)}); saveErr != nil {
		log.Error("keep the reason", "err", saveErr)
	}
	if damaged {
		return 2
	}
	return 1
}

// redactedLog writes lines of the log without the secrets in them.
type redactedLog struct {
	to   io.Writer
	with *redact.Redactor
}

func (l redactedLog) Write(line []byte) (int, error) {
	out, _ := l.with.Text(line)
	if _, err := l.to.Write(out); err != nil {
		return 0, err
	}
	return len(line), nil
}

func serve(ctx context.Context, p home.Paths, o Options) error {
	d, err := openPatiently(ctx, p, o)
	if err != nil {
		return err
	}
	d.paths, d.serving = p, true
	e := &events.DaemonStarted{Build: wire.Build, PID: os.Getpid(), Clean: d.ground.Report().Clean, Spooled: d.spool.Count(), After: os.Getenv("HOOKLINE_AFTER")}
	if _, err := d.rec.Note(ctx, events.Envelope{}, e); err != nil {
		d.log.Error("record start", "err", err)
	}
	srv := d.httpServer()
	door, err := openDoor(p, srv, o.Log)
	if err != nil {
		return errors.Join(err, d.Close(ctx))
	}
	if err := p.Started(); err != nil {
		o.Log.Warn("forget the failed start", "err", err)
	}
	d.door.Store(door)
	o.Log.Info("listening", "socket", door.path(), "build", wire.Build, "pid", os.Getpid())
	reason := d.run(ctx, door)
	door.shut()
	return d.shutdown(srv, reason)
}

// readerWait is the longest time that a start waits for a command that reads the store in its own process.
const readerWait = 3 * time.Second

// openPatiently opens the store; where another process has the lock but no daemon listens, it is a reading
// command or a daemon that is ending, and soon over.
func openPatiently(ctx context.Context, p home.Paths, o Options) (*Daemon, error) {
	for until := time.Now().Add(readerWait); ; {
		d, err := Open(ctx, o)
		var locked *embedded.LockedError
		if !errors.As(err, &locked) || time.Now().After(until) {
			return d, err
		}
		// A connection proves nothing: for a moment after a kill the socket still takes connections and the lock is still held.
		asked, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		c := client.Over(p.Socket)
		_, answer := api.GetStatus.Call(asked, c, api.None{})
		_ = c.Close()
		cancel()
		if answer == nil {
			return d, err
		}
		if !pause(ctx, 20*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

// pause waits for d; it reports whether ctx did not end before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// run runs the loops from the opening of the socket until there is a reason to end, which it returns.
func (d *Daemon) run(ctx context.Context, door *door) string {
	loops, stop := context.WithCancel(d.life)
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { d.loops(loops) })
	beside.Go(func() {
		for pause(loops, lookEvery) {
			door.look()
		}
	})
	if d.opts.listenWrong != "" {
		d.listening.Store(&api.Listening{Problem: d.opts.listenWrong})
	} else if wanted(d.opts.Listen) {
		beside.Go(func() { d.listen(loops) })
	}
	if wanted(d.opts.Otel) {
		beside.Go(func() { d.traces(loops) })
	}
	defer func() { stop(); beside.Wait() }()
	select {
	case <-ctx.Done():
		return "signal"
	case reason := <-d.stopping:
		return reason
	case err := <-door.failed:
		d.log.Error("serve", "err", err)
		return "socket"
	}
}

// wanted reports whether the configuration names something.
func wanted(setting string) bool { return setting != "" && setting != "off" }

// shutdown ends in order: no new frames, the running ones finish, projections and log are closed,
// the socket goes last so that a client that finds it gone can start the next daemon at once.
func (d *Daemon) shutdown(srv *http.Server, reason string) error {
	d.end() // followers go home, or Shutdown would wait for them
	polite, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if srv.Shutdown(polite) != nil {
		_ = srv.Close() // a client that stalls is no reason not to end in order
	}
	d.effects.Wait()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	var err error
	if d.ground.Health() == nil {
		_, err = d.rec.Note(ctx, events.Envelope{}, &events.DaemonStopped{Reason: reason})
	}
	err = errors.Join(err, d.Close(ctx))
	d.log.Info("stopped", "reason", reason, "err", err)
	if next := d.handOver.Load(); next != nil && err == nil {
		return home.Replace(*next, wire.Build)
	}
	return err
}

// mostLog bounds the daemon's log: above it, at a start, the log is emptied. Our own stdio is that file, opened for appending.
const mostLog = 8 << 20

// What runs beside the hooks.
const (
	reapEvery   = 30 * time.Second
	healthEvery = 30 * time.Second
	drainEvery  = 2 * time.Second
	notifyEvery = 5 * time.Second
	warmAfter   = 500 * time.Millisecond
	freeAfter   = 12 * time.Second // the server holds what a start read for ten seconds
)

// loops runs everything periodic in one goroutine, so that none of it runs twice at once.
func (d *Daemon) loops(ctx context.Context) {
	flush, reap, health, drain := time.Tick(d.opts.Flush), time.Tick(reapEvery), time.Tick(healthEvery), time.Tick(drainEvery)
	var look <-chan time.Time // at the sessions that wait for the user
	if wanted(d.opts.Notify) {
		look = time.Tick(notifyEvery)
	}
	d.drain(ctx)
	warm, spare := time.After(warmAfter), time.After(freeAfter) // the session that started us is served first
	for {
		select {
		case <-ctx.Done():
			return
		case <-warm:
			d.firstRound(ctx)
		case <-spare:
			free() // what the start needed once
			d.large.settle()
		case <-flush:
			d.rec.Heal(ctx)
			if _, err := d.view.Flush(ctx); err != nil && ctx.Err() == nil {
				d.log.Warn("write projections", "err", err)
			}
		case <-reap:
			d.reap(ctx)
			d.exitWhenIdle(ctx)
		case <-health:
			if err := d.ground.Health(); err != nil { // a write error stays until the next daemon opens the store
				d.log.Error("store", "err", err)
				d.stop("unhealthy")
			}
			d.large.settle()
			d.giveBack()
		case <-drain:
			d.drain(ctx)
		case <-look:
			d.notify(ctx)
		}
	}
}

// firstRound does what a start leaves for later, so that the first hook does not wait for it. The cache is filled for the
// sessions that live alone: of a long log those are a few in thousands, and a comparison of all of it fills it first.
func (d *Daemon) firstRound(ctx context.Context) {
	if live := d.liveIDs(ctx, session.Alive); len(live) > 0 { // without keys it would be all
		if err := d.view.WarmCache(ctx, live...); err != nil && ctx.Err() == nil {
			d.log.Warn("warm the cache", "err", err)
		}
	}
	d.rec.Heal(ctx)
	d.reap(ctx)
}

// exitWhenIdle ends the daemon when no session has lived for a while: the next hook starts it again.
func (d *Daemon) exitWhenIdle(ctx context.Context) {
	if d.opts.IdleExit < 0 || len(d.liveIDs(ctx, session.Alive)) > 0 {
		return
	}
	now := d.opts.Now()
	idle := min(now.Sub(d.started), now.Sub(time.UnixMilli(d.touched.Load())))
	if idle > d.opts.IdleExit {
		d.stop("idle")
	}
}

// stop asks the daemon to end; the first reason counts.
func (d *Daemon) stop(reason string) {
	select {
	case d.stopping <- reason:
	default:
	}
}
