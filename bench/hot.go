package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// brief is measure 1: the line that a PreToolUse prints, answered from memory.
func (b *bench) brief(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "brief")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	prog := program{path: b.hookctl, args: []string{"consciousness", "brief"}, env: h.env, dir: h.project}
	p, err := take(5, b.reps(100, 60), func(int) (time.Duration, error) {
		o, err := prog.run(ctx)
		if err == nil && (!bytes.HasPrefix(o.stdout, []byte("[C:")) || bytes.HasPrefix(o.stdout, []byte("[C:?"))) {
			err = fmt.Errorf("the brief is %q", o.stdout)
		}
		return o.wall, errors.Join(err, o.ok())
	}, h.empty(ctx))
	return []figure{{1, "process `consciousness brief`, warm / empty Go program", atMost(2, ""), p.ratio(), p.note("brief", "empty")}}, err
}

// empty is the other half of the pairs.
func (h *home) empty(ctx context.Context) func(int) (time.Duration, error) {
	prog := h.emptyProgram()
	return func(int) (time.Duration, error) { return prog.timed(ctx) }
}

// postToolUse is measure 2: the hook that fires most, on disk when its process ends.
func (b *bench) postToolUse(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "hook")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	warm, n := 5, b.reps(100, 60)
	p, err := take(warm, n, func(i int) (time.Duration, error) {
		return h.hook("PostToolUse", h.testRun(i)).timed(ctx)
	}, h.empty(ctx))
	if err != nil {
		return nil, err
	}
	late, err := h.recorded(ctx, "PostToolUse", warm+n)
	return []figure{{2, fmt.Sprintf("process `hook PostToolUse` (%.1f KB, durable) / empty Go program", float64(len(h.testRun(0)))/1e3), atMost(3, ""),
		p.ratio(), p.note("hook", "empty") + late.note()}}, err
}

// largeWrite is measure 3.
func (b *bench) largeWrite(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "large")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	var took, cpu []time.Duration
	warm, n := 2, b.reps(20, 8)
	size := 0
	for i := range warm + n {
		body := h.write(i, 3_000_000)
		o, err := h.hook("PostToolUse", body).run(ctx)
		if err = errors.Join(err, o.ok()); err != nil {
			return nil, err
		}
		if size = len(body); i >= warm {
			took, cpu = append(took, o.wall), append(cpu, o.cpu)
		}
	}
	late, err := h.recorded(ctx, "PostToolUse", warm+n)
	return []figure{{3, fmt.Sprintf("the same with %.1f MB", float64(size)/1e6), atMost(150, "ms"), inMS(median(took)),
		fmt.Sprintf("p90 %s, %s of it the client's processor time, %d hooks%s", ms(quantile(took, .9)), ms(median(cpu)), n, late.note())}}, err
}

// burst is how many hooks measure 5 starts at once.
const burst = 32

// atOnce is measure 5.
func (b *bench) atOnce(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "burst")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	warm, n := 1, b.reps(20, 8)
	sent := 0
	next := func() program {
		sent++
		return h.hook("PostToolUse", h.testRun(sent))
	}
	var nothing []time.Duration // the same with the empty program: what the machine takes for 32 processes
	p, err := take(warm, n, func(int) (time.Duration, error) {
		return together(ctx, burstOf(next))
	}, func(int) (time.Duration, error) {
		wall, err := together(ctx, burstOf(h.emptyProgram))
		if err != nil {
			return 0, err
		}
		nothing = append(nothing, wall)
		var alone []time.Duration
		for range 3 {
			wall, err := next().timed(ctx)
			if err != nil {
				return 0, err
			}
			alone = append(alone, wall)
		}
		return median(alone), nil
	})
	if err != nil {
		return nil, err
	}
	late, err := h.recorded(ctx, "PostToolUse", sent)
	return []figure{{5, "32 hooks at once, wall / one", atMost(10, ""), p.ratio(),
		fmt.Sprintf("%s; 32 empty programs at once %s%s", p.note("32", "one"), ms(median(nothing)), late.note())}}, err
}

func burstOf(next func() program) []program {
	all := make([]program, burst)
	for i := range all {
		all[i] = next()
	}
	return all
}

// together starts all programs at once and gives the time until the last has ended.
func together(ctx context.Context, all []program) (time.Duration, error) {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	begin := time.Now()
	for i, p := range all {
		wg.Go(func() { _, errs[i] = p.timed(ctx) })
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs...)
}
