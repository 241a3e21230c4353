package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/config"
	"hookline/hookctl/home"
	"hookline/hookctl/redact"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// memoryLimit bounds the server's elastic block caches; the goal is 64 MiB resident when idle. Large
// frames need several times their size for a moment: while one is taken the limit is largeLimit, or
// the collector would run all the time. So it is until the start is over.
const (
	memoryLimit = 96 << 20
	memorySpare = 32 << 20 // between what is in use and a limit; with less the collector would hardly rest
	largeLimit  = 768 << 20
	largeFrame  = 1 << 20
)

// large counts the large frames under way. No more than four are in memory at a time.
type large struct {
	once  sync.Once
	slots chan struct{}
	mu    sync.Mutex
	n     int
	quiet int64 // the limit without a large frame; 0 until the start is over
}

const largeAtOnce = 4

// enter is called with the size of a frame; the function it gives is called when the frame is done.
func (l *large) enter(size int64) func() {
	if size < largeFrame {
		return func() {}
	}
	l.once.Do(func() { l.slots = make(chan struct{}, largeAtOnce) })
	l.slots <- struct{}{}
	l.add(1)
	return func() {
		l.add(-1)
		<-l.slots
	}
}

func (l *large) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += n
	switch {
	case l.n == 1 && n > 0:
		debug.SetMemoryLimit(largeLimit)
	case l.n == 0:
		debug.SetMemoryLimit(max(memoryLimit, l.quiet))
	}
}

// settle fits the limit to what is in use: a million ids that came within two minutes (an import) are 200 MiB, which
// the server gives up when they are older. Without a limit (no daemon, but a process that has the store open) there
// is nothing to fit.
func (l *large) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 || debug.SetMemoryLimit(-1) == math.MaxInt64 {
		return
	}
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // as the last collection found it
	metrics.Read(inUse)
	l.quiet = quietLimit(inUse[0].Value.Uint64())
	debug.SetMemoryLimit(l.quiet)
}

// quietLimit is the limit for so many bytes in use; a quarter on top is the collector's own share and what it needs.
func quietLimit(inUse uint64) int64 {
	return max(memoryLimit, int64(inUse+inUse/4)+memorySpare)
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// Serve runs the daemon of this environment's home until it is told to stop. It is what
// `hookd serve` does; its stdio is the log.
func Serve(ctx context.Context, _ []string) int {
	p := home.Locate(os.Getenv)
	if err := p.Check(); err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).Error("serve", "err", err)
		return 1
	}
	rotate(p.Log)
	cfg := config.Load(config.Options{Getenv: os.Getenv})
	clean := redactedLog{to: os.Stderr, with: redact.New().With(redact.Extra{User: redact.Compile(cfg.Values.RedactExtra)})}
	log := slog.New(slog.NewTextHandler(clean, &slog.HandlerOptions{Level: levels[cfg.Values.LogLevel]}))
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
	if saveErr := p.StartFailed(home.Attempt{Reason: err.Error(), Damaged: errors.Is(err, embedded.ErrLogDamaged), Gone: errors.Is(err, embedded.ErrLogGone)}); saveErr != nil {
		log.Error("keep the reason", "err", saveErr)
	}
	if errors.Is(err, embedded.ErrLogDamaged) {
		return 2
	}
	return 1
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

// readerWait is how long a start waits for a command that reads the store in its own process.
const readerWait = 3 * time.Second

// openPatiently opens the store; where another process has the lock but no daemon listens, it is a reading
// command or a daemon that is ending, and soon over.
func openPatiently(ctx context.Context, p home.Paths, o Options) (*Daemon, error) {
	for until := time.Now().Add(readerWait); ; {
		d, err := Open(ctx, o)
		var locked *embedded.LockedError
		if !errors.As(err, &locked) || time.Now().After(until) || answers(ctx, p.Socket) {
			return d, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answers tells a daemon that serves from one that is gone: for a moment after a kill the socket still
// takes connections and the lock is still held.
func answers(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	c := client.Over(socket)
	defer func() { _ = c.Close() }()
	return c.Get(ctx, "/v1/status", nil, nil) == nil
}

// run is the daemon's life between the opening of the socket and the reason to end.
func (d *Daemon) run(ctx context.Context, door *door) string {
	loops, stop := context.WithCancel(d.life)
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { d.loops(loops) })
	beside.Go(func() { door.watch(loops) })
	if d.opts.listenWrong != "" {
		d.listener.set(client.Listening{Problem: d.opts.listenWrong})
	} else if d.opts.Listen != "" && d.opts.Listen != "off" {
		beside.Go(func() { d.listen(loops) })
	}
	if d.opts.Otel != "" && d.opts.Otel != "off" {
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

// rotate keeps the daemon's log below a bound: above it, at a start, its content moves to hookd.log.1.
// Our own stdio is that file, opened for appending, so it is emptied and not renamed.
func rotate(path string) {
	const most = 8 << 20
	if info, err := os.Stat(path); err == nil && info.Size() > most {
		_ = copyLog(path)
	}
}

func copyLog(path string) error {
	in, err := safeopen.Open(safeopen.Own, path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := safeopen.Write(path+".1", os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return errors.Join(out.Close(), os.Truncate(path, 0))
}

// What runs beside the hooks.
const (
	reapEvery   = 30 * time.Second
	healthEvery = 30 * time.Second
	drainEvery  = 2 * time.Second
	notifyEvery = 5 * time.Second
	warmAfter   = 500 * time.Millisecond
)

// loops runs everything periodic in one goroutine, so that none of it runs twice at once.
func (d *Daemon) loops(ctx context.Context) {
	flush, reap, health, drain := time.NewTicker(d.opts.Flush), time.NewTicker(reapEvery), time.NewTicker(healthEvery), time.NewTicker(drainEvery)
	defer flush.Stop()
	defer reap.Stop()
	defer health.Stop()
	defer drain.Stop()
	var look <-chan time.Time // at the sessions that wait for the user
	if d.notifies() {
		ticker := time.NewTicker(notifyEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	d.drain(ctx)
	d.firstRound(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-flush.C:
			d.rec.Heal(ctx)
			if _, err := d.view.Flush(ctx); err != nil && ctx.Err() == nil {
				d.log.Warn("write projections", "err", err)
			}
		case <-reap.C:
			d.reap(ctx)
			d.exitWhenIdle(ctx)
		case <-health.C:
			d.checkHealth()
			d.large.settle()
			d.giveBack()
		case <-drain.C:
			d.drain(ctx)
		case <-look:
			d.notify(ctx)
		}
	}
}

// firstRound is what a start leaves for later, so that the first hook does not wait for it.
func (d *Daemon) firstRound(ctx context.Context) {
	select { // the session that started us is served first
	case <-ctx.Done():
		return
	case <-time.After(warmAfter):
	}
	d.warmLive(ctx)
	d.rec.Heal(ctx)
	d.reap(ctx)
	debug.FreeOSMemory() // what the start needed once
	d.large.settle()
}

// freeAtRest is how many bytes a daemon without hooks may hold that nobody uses.
const freeAtRest = 8 << 20

// giveBack returns memory that nobody uses to the system, where no hook came for a while: the collector, which runs every two
// minutes at least, keeps as much again as is in use.
func (d *Daemon) giveBack() {
	quiet := d.opts.Now().Sub(time.UnixMilli(d.touched.Load())) > healthEvery
	free := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(free)
	if quiet && free[0].Value.Uint64() > freeAtRest {
		debug.FreeOSMemory()
	}
}

// warmLive fills the cache for the sessions that live. Of a long log those are a few in thousands, and
// whoever compares all of the cache fills all of it first.
func (d *Daemon) warmLive(ctx context.Context) {
	live := d.liveIDs(ctx, session.Alive)
	if len(live) == 0 { // without keys it would be all
		return
	}
	if err := d.view.WarmCache(ctx, live...); err != nil && ctx.Err() == nil {
		d.log.Warn("warm the cache", "err", err)
	}
}

// checkHealth asks the server; a sticky write error (a full disk) only goes away with a restart of
// the server, so the daemon ends in order and the next hook starts it anew.
func (d *Daemon) checkHealth() {
	if err := d.ground.Health(); err != nil {
		d.log.Error("store", "err", err)
		d.stop("unhealthy")
	}
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

// clockWentBack records, once a run, that the clock is behind the log's newest record by more than a second.
func (d *Daemon) clockWentBack(ctx context.Context) {
	back := d.rec.Newest().Sub(d.opts.Now())
	if back <= time.Second || d.clockTold.Swap(true) {
		return
	}
	if _, err := d.rec.Note(ctx, events.Envelope{}, &events.ClockJumped{BackMS: back.Milliseconds()}); err != nil {
		d.log.Warn("record clock jump", "err", err)
	}
}
