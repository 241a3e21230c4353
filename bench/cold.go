package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// idsRemembered is how long the server remembers the ids of events, to recognise repeated ones. A
// daemon that starts in that time loads all 100,000 again: 20 MiB and 0.25 s that no real day has.
const idsRemembered = 2 * time.Minute

// forget waits until the server has forgotten the ids of the long log. A quick run has no time for
// that; the note says so.
func (b *bench) forget(ctx context.Context) (note string, err error) {
	if b.quick {
		return "; with the ids of all events loaded, since they are younger than two minutes", nil
	}
	return "", rest(ctx, time.Until(b.past.made.Add(idsRemembered)))
}

// coldStart is measure 8: the first hook of the day, which starts the daemon and waits for it.
func (b *bench) coldStart(ctx context.Context) ([]figure, error) {
	if b.past == nil {
		return nil, errors.New("there is no long log")
	}
	h := b.past.home
	remembered, err := b.forget(ctx)
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for range b.reps(11, 5) {
		wall, err := h.wake(ctx)
		if err != nil {
			return nil, err
		}
		took = append(took, wall)
		h.stop()
	}
	return []figure{{8, "SessionStart with the daemon down, 100,000 events", atMost(500, "ms"), inMS(median(took)),
		fmt.Sprintf("max %s, %d starts, %d events%s", ms(quantile(took, 1)), len(took), b.past.events, remembered)}}, nil
}

// wake sends the SessionStart of a new session to a home without a daemon. A degraded answer is an
// error: the time counts only with the real one.
func (h *home) wake(ctx context.Context) (time.Duration, error) {
	h.session = newSession()
	o, err := h.hook("SessionStart", h.sessionStart()).run(ctx)
	if err = errors.Join(err, o.ok()); err != nil {
		return 0, err
	}
	if !bytes.Contains(o.stdout, []byte("session initialized")) && !bytes.Contains(o.stdout, []byte("Identity restored from")) {
		return 0, fmt.Errorf("after %s the answer is %q", o.wall, o.stdout)
	}
	_, err = h.recorded(ctx, "SessionStart", 1)
	return o.wall, err
}

// idle is measure 9: what a daemon with nothing to do costs.
func (b *bench) idle(ctx context.Context) ([]figure, error) {
	if b.past == nil {
		return nil, errors.New("there is no long log")
	}
	h := b.past.home
	remembered, err := b.forget(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := h.wake(ctx); err != nil {
		return nil, err
	}
	defer h.stop()
	s, err := h.status()
	if err != nil || s.PID == nil {
		return nil, errors.Join(err, errors.New("the daemon does not tell its pid"))
	}
	if err := rest(ctx, 10*time.Second); err != nil {
		return nil, err
	}
	before, err := usageOf(*s.PID)
	if err != nil {
		return nil, err
	}
	span := time.Duration(b.reps(60, 10)) * time.Second
	if err := rest(ctx, span); err != nil {
		return nil, err
	}
	after, err := usageOf(*s.PID)
	load := 100 * float64(after.cpu-before.cpu) / float64(span)
	return []figure{
		{9, "hookd idle, 100,000 events: resident memory", atMost(64, "MiB"), before.rss,
			fmt.Sprintf("after 10 s; %.1f MiB of it are the program's file; %.1f MiB after %s more%s", before.file, after.rss, span, remembered)},
		{9, "hookd idle, 100,000 events: CPU", atMost(.5, "%"), load, fmt.Sprintf("%s of processor time in %s", after.cpu-before.cpu, span)},
	}, err
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// usage is what a process has and has used, by Linux's /proc.
type usage struct {
	rss, file float64       // MiB: VmRSS, and the part of it that is mapped files
	cpu       time.Duration // user and system since its start
}

func usageOf(pid int) (usage, error) {
	var u usage
	dir := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return u, fmt.Errorf("the use of memory is read from /proc: %w", err)
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return u, err
	}
	return parseUsage(string(status), string(stat))
}

func parseUsage(status, stat string) (usage, error) {
	var u usage
	for _, line := range strings.Split(status, "\n") {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" {
			continue
		}
		kb, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return u, err
		}
		switch f[0] {
		case "VmRSS:":
			u.rss = kb / 1024
		case "RssFile:":
			u.file = kb / 1024
		}
	}
	f := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // the name before it may hold blanks
	if len(f) < 13 || u.rss == 0 {
		return u, fmt.Errorf("/proc has no such numbers: %q", stat)
	}
	for _, ticks := range f[11:13] { // utime and stime, in 1/100 s on every Linux
		n, err := strconv.ParseInt(ticks, 10, 64)
		if err != nil {
			return u, err
		}
		u.cpu += time.Duration(n) * 10 * time.Millisecond
	}
	return u, nil
}
