package daemon

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"hookline/events"
	"hookline/projector/session"
)

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
