package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/wire"
)

func (b *bench) brief(ctx context.Context) ([]reading, error) {
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	prog := h.program("hookctl", "consciousness", "brief")
	p, err := take(5, b.reps(100), func(int) (time.Duration, error) {
		o, err := prog.hook(ctx)
		if err == nil && (!bytes.HasPrefix(o.stdout, []byte("[C:")) || bytes.HasPrefix(o.stdout, []byte("[C:?"))) {
			err = fmt.Errorf("the brief is %q", o.stdout)
		}
		return o.wall, err
	}, h.empty(ctx))
	return []reading{{p.ratio(), p.note("brief", "empty")}}, errors.Join(err, h.stop(ctx))
}

func (b *bench) postToolUse(ctx context.Context) ([]reading, error) {
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	return h.againstEmpty(ctx, "PostToolUse", h.testRun)
}

// againstEmpty compares the process of a hook with the empty program, and ends the daemon.
func (h *home) againstEmpty(ctx context.Context, event string, body func(n int) []byte) ([]reading, error) {
	sent := 0
	p, err := take(5, h.bench.reps(100), func(int) (time.Duration, error) {
		sent++
		return h.hook(event, body(sent)).timed(ctx)
	}, h.empty(ctx))
	if err != nil {
		return nil, err
	}
	err = h.recorded(ctx, map[string]int{event: sent})
	return []reading{{p.ratio(), p.note("hook", "empty")}}, errors.Join(err, h.stop(ctx))
}

func (b *bench) largeWrite(ctx context.Context) ([]reading, error) {
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	var cpu []time.Duration
	n := b.reps(20)
	took, err := repeat(n, func(i int) (time.Duration, error) {
		o, err := h.hook("PostToolUse", h.write(i, 3_000_000)).hook(ctx)
		cpu = append(cpu, o.cpu)
		return o.wall, err
	})
	if err != nil {
		return nil, err
	}
	err = h.recorded(ctx, map[string]int{"PostToolUse": n + 1})
	note := fmt.Sprintf("p90 %s, %s of it the client's processor time, %d hooks", ms(quantile(took, .9)), ms(median(cpu)), n)
	return []reading{{inMS(median(took)), note}}, errors.Join(err, h.stop(ctx))
}

// session plays the hooks in order, an empty program after each: what the machine does to any process.
func (b *bench) session(ctx context.Context) ([]reading, error) {
	h, err := b.newHome()
	if err != nil {
		return nil, err
	}
	p, err := h.play(ctx)
	if err != nil {
		return nil, err
	}
	sent := map[string]int{}
	for _, c := range b.hooks {
		sent[c.event]++
	}
	err = h.recorded(ctx, sent)
	b.played = h
	note := fmt.Sprintf("median %s, p90 %s, max %s; an empty program in turn: median %s, p99 %s; %d hooks",
		ms(median(p.a)), ms(quantile(p.a, .9)), ms(quantile(p.a, 1)), ms(median(p.b)), ms(quantile(p.b, .99)), len(p.a))
	return []reading{{inMS(quantile(p.a, .99)), note}}, errors.Join(err, h.stop(ctx))
}

// play sends all recorded hooks, with an empty program after each, to a daemon that it starts.
func (h *home) play(ctx context.Context) (pairs, error) {
	if _, err := h.run(ctx, "hookctl", "start"); err != nil {
		return pairs{}, err
	}
	return take(0, len(h.bench.hooks), func(i int) (time.Duration, error) {
		c := h.bench.hooks[i]
		return h.hook(c.event, c.body).timed(ctx)
	}, h.empty(ctx))
}

// size adds up the files of the store that the session left behind, a file with several links once.
func (b *bench) size(ctx context.Context) ([]reading, error) {
	if b.played == nil {
		if _, err := b.session(ctx); err != nil {
			return nil, err
		}
	}
	input := 0
	for _, c := range b.hooks {
		input += len(c.body)
	}
	total, err := apparentBytes(filepath.Join(b.played.state, "store"))
	return []reading{{float64(total) / float64(input), fmt.Sprintf("%d of %d bytes", total, input)}}, err
}

// apparentBytes adds up the files below a folder, a file with several links once.
func apparentBytes(root string) (total int64, err error) {
	seen := map[int64][]fs.FileInfo{} // by size
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		again := slices.ContainsFunc(seen[info.Size()], func(other fs.FileInfo) bool { return os.SameFile(info, other) })
		if !again {
			seen[info.Size()] = append(seen[info.Size()], info)
			total += info.Size()
		}
		return nil
	})
	return total, err
}

// atOnce compares a burst of hooks with one.
func (b *bench) atOnce(ctx context.Context) ([]reading, error) {
	const burst = 32
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	sent := 0
	next := func(int) (time.Duration, error) {
		sent++
		return h.hook("PostToolUse", h.testRun(sent)).timed(ctx)
	}
	p, err := take(1, b.reps(20), func(int) (time.Duration, error) {
		bodies := make([][]byte, burst)
		for i := range bodies {
			sent++
			bodies[i] = h.testRun(sent)
		}
		return sideBySide(burst, bodies, func(body []byte) error {
			_, err := h.hook("PostToolUse", body).timed(ctx)
			return err
		})
	}, func(int) (time.Duration, error) {
		alone, err := repeat(3, next)
		return median(alone), err
	})
	if err != nil {
		return nil, err
	}
	nothing, err := repeat(b.reps(20), func(int) (time.Duration, error) { // what the machine takes for 32 processes
		return sideBySide(burst, make([][]byte, burst), func([]byte) error {
			_, err := h.empty(ctx)(0)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	err = h.recorded(ctx, map[string]int{"PostToolUse": sent})
	note := fmt.Sprintf("%s; 32 empty programs at once %s", p.note("32", "one"), ms(median(nothing)))
	return []reading{{p.ratio(), note}}, errors.Join(err, h.stop(ctx))
}

// sideBySide calls once for each body, on `side` goroutines, and gives the time of all.
func sideBySide(side int, bodies [][]byte, call func([]byte) error) (time.Duration, error) {
	todo := make(chan []byte, len(bodies))
	for _, body := range bodies {
		todo <- body
	}
	close(todo)
	errs := make([]error, side)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range side {
		wg.Go(func() {
			for body := range todo {
				errs[i] = errors.Join(errs[i], call(body))
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs...)
}

// tailDelay waits for each hook's line in a running `tail -f`.
func (b *bench) tailDelay(ctx context.Context) ([]reading, error) {
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel() // ends the tail
	tail := h.program("hookctl", "tail", "-f", "-o", "json").command(ctx)
	out, err := tail.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := tail.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	await := func(words string) error {
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return nil
			}
		}
		return errors.Join(errors.New("tail does not show "+words), lines.Err())
	}
	if err := await(h.session); err != nil {
		return nil, err
	}
	n := b.reps(60)
	took, err := repeat(n, func(i int) (time.Duration, error) {
		if _, err := h.hook("PostToolUse", h.testRun(i)).timed(ctx); err != nil {
			return 0, err
		}
		begin := time.Now()
		err := await(toolUseID(i))
		return time.Since(begin), err
	})
	note := fmt.Sprintf("p90 %s, max %s, %d events", ms(quantile(took, .9)), ms(quantile(took, 1)), n)
	return []reading{{inMS(median(took)), note}}, errors.Join(err, h.stop(ctx))
}

// gates asks at a list of gates that are all open, on a branch where much has happened.
func (b *bench) gates(ctx context.Context) ([]reading, error) {
	const count, past = 20, 10_000
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	rules := "requirements:\n"
	for i := range count {
		rules += fmt.Sprintf("  gate_%02d:\n    enabled: true\n    scope: branch\n    message: Do number %d first.\n", i, i)
	}
	path := filepath.Join(h.project, ".claude", "requirements.yaml")
	err = errors.Join(h.stop(ctx), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(rules), 0o600), h.age())
	if err != nil {
		return nil, err
	}
	err = h.withLog(ctx, func(st *embedded.Stream, own []events.Envelope) error {
		start := own[slices.IndexFunc(own, func(e events.Envelope) bool { return e.Session == h.session })] // it names project and branch
		at := time.Now().Add(-past * time.Second).UTC().Truncate(time.Millisecond)
		var envs []events.Envelope
		for i := range past {
			at = at.Add(time.Second)
			data := fmt.Sprintf(`{"name":"gate_%02d","scope":"branch","level":"branch","by":"cli"}`, i%count)
			envs = append(envs, events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: (*events.GateSatisfied)(nil).Type(), Version: 1, Time: at,
				Session: fmt.Sprintf("past-%d", i/50), Project: start.Project, Branch: start.Branch, Data: []byte(data)})
		}
		return appendAll(ctx, st, envs)
	})
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, "hookctl", "start"); err != nil {
		return nil, err
	}
	o, err := h.hook("PreToolUse", h.edit(0)).hook(ctx)
	if err == nil && strings.Contains(string(o.stdout), "deny") {
		err = fmt.Errorf("an open gate denied: %s", o.stdout)
	}
	if err != nil {
		return nil, err
	}
	return h.againstEmpty(ctx, "PreToolUse", h.edit)
}

// killed takes the time from a kill -9 of the daemon under load to the next answer.
func (b *bench) killed(ctx context.Context) ([]reading, error) {
	const clients, hooks = 8, 32
	h, err := b.running(ctx)
	if err != nil {
		return nil, err
	}
	n := b.reps(11)
	took, err := repeat(n, func(round int) (time.Duration, error) {
		bodies := make([][]byte, hooks)
		for i := range bodies {
			bodies[i] = h.testRun(1 + round*hooks + i)
		}
		first, done := make(chan struct{}), make(chan error, 1)
		var once sync.Once
		go func() {
			_, err := sideBySide(clients, bodies, func(body []byte) error {
				_, err := h.hook("PostToolUse", body).run(ctx) // what it says is another matter: its daemon was killed
				once.Do(func() { close(first) })
				return err
			})
			done <- err
		}()
		<-first // so that others are under way
		if err := h.kill(ctx); err != nil {
			return 0, errors.Join(err, <-done)
		}
		wall, err := h.run(ctx, "hookctl", "start")
		return wall, errors.Join(err, <-done)
	})
	note := fmt.Sprintf("`hookctl start`, max %s, %d kills", ms(quantile(took, 1)), n)
	return []reading{{inMS(median(took)), note}}, errors.Join(err, h.stop(ctx))
}
