package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

// ingest is measure 6: what the daemon does with a hook beyond storing it.
func (b *bench) ingest(ctx context.Context) ([]figure, error) {
	h, err := b.newHome("ingest")
	if err == nil {
		err = h.age()
	}
	if err != nil {
		return nil, err
	}
	d, err := daemon.Open(ctx, daemon.Options{Home: h.state})
	if err != nil {
		return nil, err
	}
	var out []figure
	for _, always := range []bool{true, false} {
		r, err := openRaw(ctx, filepath.Join(b.temp, "ingest", fmt.Sprint("raw-", always)), always)
		if err != nil {
			return nil, errors.Join(err, d.Close(ctx))
		}
		part, err := b.ingestAgainst(ctx, h, d, r)
		r.close()
		if err != nil {
			return nil, errors.Join(err, d.Close(ctx))
		}
		out = append(out, part...)
	}
	return out, d.Close(context.WithoutCancel(ctx))
}

// age makes the project an hour old: one that was made this moment is looked at anew by every hook for two
// seconds, since its files' times prove nothing yet, and the first figures would be of that.
func (h *home) age() error {
	old := time.Now().Add(-time.Hour)
	return filepath.WalkDir(h.project, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
}

func (b *bench) ingestAgainst(ctx context.Context, h *home, d *daemon.Daemon, r *raw) ([]figure, error) {
	if _, err := d.Take(ctx, h.frame("SessionStart", h.sessionStart())); err != nil {
		return nil, err
	}
	subject := "ev.project." + h.session
	takeOne := func(body []byte) error {
		_, err := d.Take(ctx, h.frame("PostToolUse", body))
		return err
	}
	publishOne := func(body []byte) error { return r.publish(ctx, subject, body) }
	sent := 0
	block := func(side, n int, call func([]byte) error) func(int) (time.Duration, error) {
		return func(int) (time.Duration, error) {
			bodies := make([][]byte, n) // made outside of what is timed
			for i := range bodies {
				sent++
				bodies[i] = h.testRun(sent)
			}
			return sideBySide(side, bodies, call)
		}
	}
	against := "JetStream publish with an fsync shared as ours"
	if r.always {
		against = "JetStream publish, SyncAlways"
	}
	var out []figure
	for _, side := range []int{1, 8, 32} {
		n := 100 * min(side, 8)
		p, err := take(1, b.reps(11, 5), block(side, n, publishOne), block(side, n, takeOne))
		if err != nil {
			return out, err
		}
		out = append(out, figure{6, fmt.Sprintf("ingest in the daemon / %s, %d at once", against, side), atLeast(.8, ""), p.ratio(),
			fmt.Sprintf("%s/s against %s/s, %d blocks of %d", perSecond(n, median(p.b)), perSecond(n, median(p.a)), len(p.a), n)})
	}
	return out, nil
}

func perSecond(n int, took time.Duration) string {
	return fmt.Sprintf("%.0f", float64(n)/took.Seconds())
}

// sideBySide calls once for each body, on `side` goroutines, and gives the time of all.
func sideBySide(side int, bodies [][]byte, call func([]byte) error) (time.Duration, error) {
	var next atomic.Int64
	errs := make([]error, side)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range side {
		wg.Go(func() {
			for errs[i] == nil {
				n := int(next.Add(1)) - 1
				if n >= len(bodies) {
					return
				}
				errs[i] = call(bodies[n])
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs...)
}

// frame is what hookctl would send for a hook of this home.
func (h *home) frame(event string, body []byte) wire.Frame {
	now := time.Now().UnixMilli()
	return wire.Frame{ID: wire.NewID(now), Args: []string{"hook", event}, Cwd: h.project, PPID: os.Getppid(), Time: now,
		Env:    map[string]string{"CLAUDE_PROJECT_DIR": h.project, "CLAUDE_PID": h.getenv("CLAUDE_PID"), "CLAUDE_CODE_SESSION_ID": h.session},
		Binary: h.bench.hookctl, Complete: true, Size: int64(len(body)), Body: body}
}
