package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Measure 16 is a log of a million events, some years of one person's work. It takes ten minutes and
// 4 GB of disk, so it is taken only with -million.

// millionEvents is how long that log is at least.
const millionEvents = 1_000_000

// million makes the log and takes every figure of it.
func (b *bench) million(ctx context.Context) ([]figure, error) {
	log, err := b.longLog(ctx, "million", millionEvents)
	if err != nil {
		return nil, err
	}
	if err := rest(ctx, time.Until(log.made.Add(idsRemembered))); err != nil {
		return nil, err
	}
	var out []figure
	for _, f := range []func(context.Context, *history) ([]figure, error){b.millionStarts, b.millionPast, b.millionFolds} {
		got, err := f(ctx, log)
		out = append(out, got...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// millionStarts times `hookctl start`, after an exit in order and after kill -9.
func (b *bench) millionStarts(ctx context.Context, log *history) ([]figure, error) {
	start := program{path: b.hookctl, args: []string{"start"}, env: log.home.env, dir: log.home.project}
	var clean, killed []time.Duration
	for range b.reps(5, 3) {
		wall, err := start.succeeds(ctx)
		if err != nil {
			return nil, err
		}
		clean = append(clean, wall)
		if err := log.home.kill(ctx); err != nil {
			return nil, err
		}
		if wall, err = start.succeeds(ctx); err != nil {
			return nil, err
		}
		killed = append(killed, wall)
		log.home.stop()
	}
	note := func(took []time.Duration) string {
		return fmt.Sprintf("`hookctl start`, max %s, %d starts, %d events", ms(quantile(took, 1)), len(took), log.events)
	}
	return []figure{
		{16, "1 M events: start after an exit in order", atMost(500, "ms"), inMS(median(clean)), note(clean)},
		{16, "1 M events: start after kill -9", atMost(3000, "ms"), inMS(median(killed)), note(killed)},
	}, nil
}

// millionPast times one session's state and what changed in it, without a daemon and with one.
func (b *bench) millionPast(ctx context.Context, log *history) ([]figure, error) {
	point := log.events / 2
	session, err := log.home.sessionAt(ctx, point)
	if err != nil {
		return nil, err
	}
	ask := func(args ...string) program {
		return program{path: b.replay, args: args, env: log.home.env, dir: log.home.project}
	}
	at := ask("at", strconv.FormatUint(point, 10), "identity", session)
	diff := ask("diff", strconv.FormatUint(point-300, 10), strconv.FormatUint(point, 10), "identity")
	var times [4][]time.Duration
	round := func(first int) error {
		for i := range 1 + b.reps(11, 5) {
			for k, p := range []program{at, diff} {
				wall, err := p.succeeds(ctx)
				if err != nil {
					return err
				}
				if i > 0 {
					times[first+k] = append(times[first+k], wall)
				}
			}
		}
		return nil
	}
	if err := round(0); err != nil {
		return nil, err
	}
	if err := log.home.start(ctx); err != nil {
		return nil, err
	}
	err = round(2)
	log.home.stop()
	if err != nil {
		return nil, err
	}
	note := func(alone []time.Duration) string {
		return fmt.Sprintf("with a daemon; without %s; %d of each", ms(median(alone)), len(alone))
	}
	return []figure{
		{16, "1 M events: `replay at` of one session", atMost(200, "ms"), inMS(median(times[2])), note(times[0])},
		{16, "1 M events: `replay diff` of 300 events, one projection", atMost(200, "ms"), inMS(median(times[3])), note(times[1])},
	}, nil
}

// millionFolds compares verify and rebuild, whole processes, with an ordered consumer that discards.
func (b *bench) millionFolds(ctx context.Context, log *history) ([]figure, error) {
	store, other := filepath.Join(log.home.state, "store"), filepath.Join(b.temp, "million-copy")
	defer os.RemoveAll(other)
	r, err := openCopy(ctx, store, other)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var out []figure
	for _, verb := range []string{"verify", "rebuild"} {
		p, err := take(0, b.reps(3, 1), func(int) (time.Duration, error) {
			begin := time.Now()
			err := r.discard(ctx, log.events)
			return time.Since(begin), err
		}, func(int) (time.Duration, error) {
			return program{path: b.replay, args: []string{verb}, env: log.home.env, dir: log.home.project}.succeeds(ctx)
		})
		if err != nil {
			return out, err
		}
		out = append(out, figure{16, "1 M events: replay " + verb + ", events/s / ordered consumer that discards", atLeast(.8, ""), p.ratio(),
			fmt.Sprintf("%s against %s, %d pairs", median(p.b).Round(100*time.Millisecond), median(p.a).Round(100*time.Millisecond), len(p.a))})
	}
	return out, nil
}

// succeeds is timed for a verb of people: words on stderr (progress) are no trouble.
func (p program) succeeds(ctx context.Context) (time.Duration, error) {
	o, err := p.run(ctx)
	if err == nil && o.exit != 0 {
		err = fmt.Errorf("%s: exit %d, stdout %q, stderr %q", p.args[0], o.exit, o.stdout, o.stderr)
	}
	return o.wall, err
}

// kill ends the daemon by its pid, without a chance to write anything.
func (h *home) kill(ctx context.Context) error {
	if err := h.signal(os.Kill); err != nil {
		return err
	}
	return until(ctx, 10*time.Second, "the killed daemon", h.gone)
}

// signal sends a signal to the daemon.
func (h *home) signal(sig os.Signal) error {
	s, err := h.status()
	if err != nil || s.PID == nil {
		return errors.Join(err, errors.New("the daemon does not tell its pid"))
	}
	p, err := os.FindProcess(*s.PID)
	if err != nil {
		return err
	}
	return p.Signal(sig)
}
