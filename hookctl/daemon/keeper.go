package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/home"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// keeper is the life of the process: its socket, what runs beside the hooks, and its end.
type keeper struct {
	*core
	intake    *intake
	endpoints *endpoints
	paths     home.Paths

	listener atomic.Pointer[listener]      // nil: in process, or not open yet
	feed     atomic.Pointer[api.Listening] // the socket for clients of NATS; nil where the configuration has none
	notifier notifier
	handOver atomic.Pointer[string] // the program that takes the home from this daemon
	freed    uint64                 // bytes allocated until the last giveBack
}

// newKeeper returns a keeper of a process without a socket; the other two report to it and ask it.
func newKeeper(c *core, i *intake, ep *endpoints) *keeper {
	k := &keeper{core: c, intake: i, endpoints: ep}
	i.noticeBuild = k.noticeBuild
	ep.process.socket = k.socket
	ep.process.feed = k.feed.Load
	return k
}

// socket returns the path of the open socket, else of the one that would be opened.
func (k *keeper) socket() string {
	if l := k.listener.Load(); l != nil {
		return l.path()
	}
	return k.paths.Socket
}

func (k *keeper) httpServer() *http.Server {
	return &http.Server{
		Handler:           k.endpoints.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { // the folder and the mode of the socket already keep others out
			if u, ok := c.(*net.UnixConn); ok {
				ctx = context.WithValue(ctx, peerKey{}, peerOf(u))
			}
			return ctx
		},
	}
}

// run runs the loops from the opening of the socket until there is a reason to end, which it returns.
func (k *keeper) run(ctx context.Context, l *listener) string {
	loops, stop := context.WithCancel(k.life)
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { k.loops(loops) })
	beside.Go(func() {
		for pause(loops, ensureEvery) {
			l.ensure()
		}
	})
	if k.opts.listenWrong != "" {
		k.feed.Store(&api.Listening{Problem: k.opts.listenWrong})
	} else if wanted(k.opts.Listen) {
		beside.Go(func() { k.serveFeed(loops) })
	}
	if wanted(k.opts.Otel) {
		beside.Go(func() { k.sendTraces(loops) })
	}
	defer func() { stop(); beside.Wait() }()
	select {
	case <-ctx.Done():
		return "signal"
	case reason := <-k.stopping:
		return reason
	case err := <-l.failed:
		k.log.Error("serve", "err", err)
		return "socket"
	}
}

// wanted reports whether the configuration names something.
func wanted(setting string) bool { return setting != "" && setting != "off" }

// shutdown ends in order: no new frames, the running ones finish, projections and log are closed,
// the socket goes last so that a client that finds it gone can start the next daemon at once.
func (k *keeper) shutdown(srv *http.Server, reason string) error {
	k.end() // followers go home, or Shutdown would wait for them
	polite, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if srv.Shutdown(polite) != nil {
		_ = srv.Close() // a client that stalls is no reason not to end in order
	}
	k.effects.Wait()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	var err error
	if k.server.Health() == nil {
		_, err = k.rec.Note(ctx, events.Envelope{}, &events.DaemonStopped{Reason: reason})
	}
	err = errors.Join(err, k.close(ctx))
	k.log.Info("stopped", "reason", reason, "err", err)
	if next := k.handOver.Load(); next != nil && err == nil {
		return home.Replace(*next, wire.Build)
	}
	return err
}

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
func (k *keeper) loops(ctx context.Context) {
	flush, reap, health, drain := time.Tick(k.opts.Flush), time.Tick(reapEvery), time.Tick(healthEvery), time.Tick(drainEvery)
	var notify <-chan time.Time // of the sessions that wait for the user
	if wanted(k.opts.Notify) {
		notify = time.Tick(notifyEvery)
	}
	k.intake.drainer.drain(ctx)
	warm, spare := time.After(warmAfter), time.After(freeAfter) // the session that started us is served first
	for {
		select {
		case <-ctx.Done():
			return
		case <-warm:
			k.firstRound(ctx)
		case <-spare:
			free() // what the start needed once
			k.memory.settle()
		case <-flush:
			k.rec.Heal(ctx)
			if _, err := k.view.Flush(ctx); err != nil && ctx.Err() == nil {
				k.log.Warn("write projections", "err", err)
			}
		case <-reap:
			k.intake.reap(ctx)
			k.exitWhenIdle(ctx)
		case <-health:
			if err := k.server.Health(); err != nil { // a write error stays until the next daemon opens the store
				k.log.Error("store", "err", err)
				k.stop("unhealthy")
			}
			k.memory.settle()
			k.giveBack()
		case <-drain:
			k.intake.drainer.drain(ctx)
		case <-notify:
			k.notify(ctx)
		}
	}
}

// firstRound does what a start leaves for later, so that the first hook does not wait for it. The cache is filled for the
// sessions that live alone: of a long log those are a few in thousands, and a comparison of all of it fills it first.
func (k *keeper) firstRound(ctx context.Context) {
	if live := k.liveIDs(ctx, session.Alive); len(live) > 0 { // without keys it would be all
		if err := k.view.WarmCache(ctx, live...); err != nil && ctx.Err() == nil {
			k.log.Warn("warm the cache", "err", err)
		}
	}
	k.rec.Heal(ctx)
	k.intake.reap(ctx)
}

// exitWhenIdle ends the daemon when no session has lived for a while: the next hook starts it again.
func (k *keeper) exitWhenIdle(ctx context.Context) {
	if k.opts.IdleExit < 0 || len(k.liveIDs(ctx, session.Alive)) > 0 {
		return
	}
	now := k.opts.Now()
	idle := min(now.Sub(k.started), now.Sub(time.UnixMilli(k.intake.lastFrame.Load())))
	if idle > k.opts.IdleExit {
		k.stop("idle")
	}
}

// restless is how many bytes a daemon without hooks may allocate before it collects them.
const restless = 8 << 20

// giveBack collects what was allocated since the last time and returns it to the system, where neither a hook nor a long task came for a while. The
// collector itself, which runs every two minutes at least, keeps as much again as is in use, and leaves what a start read.
func (k *keeper) giveBack() {
	const allocated = "/gc/heap/allocs:bytes" // of the whole life of the process
	quiet := k.opts.Now().Sub(time.UnixMilli(k.intake.lastFrame.Load())) > healthEvery
	if quiet && k.memory.none() && heap(allocated)-k.freed > restless {
		free()
		k.freed = heap(allocated)
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
