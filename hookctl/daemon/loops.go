package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// What runs beside the hooks.
const (
	reapEvery   = 30 * time.Second
	healthEvery = 30 * time.Second
	drainEvery  = 2 * time.Second
	warmAfter   = 500 * time.Millisecond
)

// loops runs everything periodic in one goroutine, so that none of it runs twice at once.
func (d *Daemon) loops(ctx context.Context) {
	flush, reap, health, drain := time.NewTicker(d.opts.Flush), time.NewTicker(reapEvery), time.NewTicker(healthEvery), time.NewTicker(drainEvery)
	defer flush.Stop()
	defer reap.Stop()
	defer health.Stop()
	defer drain.Stop()
	d.drain(ctx)
	d.firstRound(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-flush.C:
			d.heal(ctx)
			if _, err := d.view.Flush(ctx); err != nil && ctx.Err() == nil {
				d.log.Warn("write projections", "err", err)
			}
		case <-reap.C:
			d.reap(ctx)
			d.exitWhenIdle()
		case <-health.C:
			d.checkHealth()
			d.large.settle()
		case <-drain.C:
			d.drain(ctx)
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
	d.heal(ctx)
	d.reap(ctx)
	debug.FreeOSMemory() // what the start needed once
	d.large.settle()
}

// warmLive fills the cache for the sessions that live. Of a long log those are a few in thousands, and
// whoever compares all of the cache fills all of it first.
func (d *Daemon) warmLive(ctx context.Context) {
	live := d.live.ids()
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
func (d *Daemon) exitWhenIdle() {
	if d.opts.IdleExit < 0 || d.live.count() > 0 {
		return
	}
	since := d.opts.Now().Sub(max2(d.started, time.UnixMilli(d.touched.Load())))
	if since > d.opts.IdleExit {
		d.stop("idle")
	}
}

func max2(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stop asks the daemon to end; the first reason counts.
func (d *Daemon) stop(reason string) {
	select {
	case d.stopping <- reason:
	default:
	}
}

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
	list = list[:min(len(list), n)]
	if err := d.lookUp(ctx, list); err != nil {
		d.endWhenBroken(err)
		d.log.Warn("look waiting frames up", "err", err)
		return 0
	}
	for _, e := range list {
		if ctx.Err() != nil {
			return taken
		}
		ok, err := d.drainOne(ctx, e)
		if err != nil {
			d.log.Warn("take from spool", "frame", e.ID, "err", err)
			return taken
		}
		if ok {
			taken++
		}
	}
	return taken
}

// lookUp asks the log once which of the waiting frames it has: each for itself would be a scan of the
// log for every frame that is older than the window.
func (d *Daemon) lookUp(ctx context.Context, list []spool.Entry) error {
	known := map[string]uint64{}
	if len(list) > 0 {
		ids := make(map[string]struct{}, len(list))
		for _, e := range list {
			ids[e.ID] = struct{}{}
		}
		from, err := d.seqBefore(ctx, list[0].ID)
		if err != nil {
			return err
		}
		if known, err = d.stream.FindIDs(ctx, from, ids); err != nil {
			return err
		}
		for id := range ids {
			if _, ok := known[id]; !ok {
				known[id] = 0
			}
		}
	}
	d.mu.Lock()
	d.lookedUp = known
	d.mu.Unlock()
	return nil
}

// seqBefore is a sequence that an event with the id cannot be before: the first appended at the id's
// time, less a minute for clocks that were set.
func (d *Daemon) seqBefore(ctx context.Context, id string) (uint64, error) {
	ms, ok := events.IDTime(id)
	if !ok {
		return 1, nil
	}
	seq, err := d.stream.SeqAtTime(ctx, time.UnixMilli(ms).Add(-time.Minute))
	return max(seq, 1), err
}

func (d *Daemon) drainOne(ctx context.Context, e spool.Entry) (bool, error) {
	f, err := d.spool.Read(e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, spool.ErrFrame):
		d.log.Error("unreadable frame set aside", "frame", e.ID, "err", err)
		d.mu.Lock()
		_, noteErr := d.appendDerived(ctx, "", "", "", &events.HookRefused{Reason: "damaged_in_spool", Given: e.ID})
		d.mu.Unlock()
		return false, errors.Join(noteErr, d.spool.Quarantine(e))
	case err != nil:
		return false, err
	}
	_, err = d.take(ctx, f, true)
	if errors.Is(err, embedded.ErrTooLarge) || errors.Is(err, embedded.ErrBadEnvelope) {
		d.log.Error("frame set aside: the log does not take it", "frame", e.ID, "err", err)
		d.mu.Lock()
		_, noteErr := d.appendDerived(ctx, "", "", "", &events.HookRefused{Reason: "not_recordable", Size: f.Size, Given: strings.Join(f.Args, " ")})
		d.mu.Unlock()
		return false, errors.Join(noteErr, d.spool.Quarantine(e))
	}
	if err != nil {
		return false, err
	}
	return true, d.spool.Remove(e)
}

// noticeBuild hands over when the client belongs to a newer build than this daemon: the daemon of
// that build, beside the client's binary, takes the home.
func (d *Daemon) noticeBuild(build, clientBinary string) {
	if !newer(build, wire.Build) || d.handOver.Load() != nil {
		return
	}
	name := "hookd"
	if runtime.GOOS == "windows" {
		name = "hookd.exe"
	}
	real, err := filepath.EvalSymlinks(clientBinary)
	if err != nil {
		return
	}
	next := filepath.Join(filepath.Dir(real), name)
	if info, err := os.Stat(next); err != nil || info.IsDir() {
		return
	}
	d.handOver.Store(&next)
	d.log.Info("handing over", "to", next, "build", build)
	d.stop("hand_over")
}

// newer compares builds by semantic versioning; what cannot be read is not newer.
func newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}

// clockWentBack is how far the clock is behind the log's newest record, 0 when it is not by more
// than a second. It is recorded once a run.
func (d *Daemon) clockWentBack(ctx context.Context) {
	back := d.last.Sub(d.opts.Now())
	if back <= time.Second || d.clockTold {
		return
	}
	d.clockTold = true
	if _, err := d.appendDerived(ctx, "", "", "", &events.ClockJumped{BackMS: back.Milliseconds()}); err != nil {
		d.log.Warn("record clock jump", "err", err)
	}
}
