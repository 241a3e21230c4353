package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hookline/embedded/block"
)

// What is done after a crash.

// check is measure 17: the blocks of the long log looked at as a start after a crash does, every record with its checksum.
func (b *bench) check(ctx context.Context) ([]figure, error) {
	if b.past == nil {
		return nil, errors.New("there is no long log")
	}
	msgs := filepath.Join(b.past.home.state, "store", "jetstream", "$G", "streams", "EVENTS", "msgs")
	var took []time.Duration
	var bytes int64
	for range 1 + b.reps(11, 5) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		begin := time.Now()
		rep, err := block.Check(msgs, block.Options{Stream: "EVENTS", Parallel: 1})
		if err == nil && len(rep.Damage)+len(rep.Holes) > 0 {
			err = fmt.Errorf("the long log is damaged: %+v", rep)
		}
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
		bytes = 0
		for _, one := range rep.Blocks {
			bytes += one.Size
		}
	}
	took = took[1:] // the first one has read the files into the page cache
	return []figure{{17, "block check, every checksum verified, one processor", atLeast(500, "MB/s"), float64(bytes) / 1e6 / median(took).Seconds(),
		fmt.Sprintf("%.0f MB in %s, %d times", float64(bytes)/1e6, ms(median(took)), len(took))}}, nil
}

// hooksAtKill is how many hooks are under way at once when the daemon is killed.
const hooksAtKill = 8

// killed is measure 18: from a kill -9 under load to the next answer.
func (b *bench) killed(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "killed")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	start := program{path: b.hookctl, args: []string{"start"}, env: h.env, dir: h.project}
	var took []time.Duration
	for round := range b.reps(11, 5) {
		var hooks []program
		for i := range 4 * hooksAtKill {
			hooks = append(hooks, h.hook("PostToolUse", h.testRun(1+round*4*hooksAtKill+i)))
		}
		wait := sideways(ctx, hooks)
		killErr := h.signal(os.Kill)
		wall, err := start.succeeds(ctx)
		if err = errors.Join(killErr, err, wait()); err != nil {
			return nil, err
		}
		took = append(took, wall)
	}
	return []figure{{18, "start after kill -9 under 8 hooks at once", atMost(2000, "ms"), inMS(median(took)),
		fmt.Sprintf("`hookctl start`, max %s, %d kills", ms(quantile(took, 1)), len(took))}}, nil
}

// sideways runs programs, hooksAtKill at once, and returns when the first have ended, so that the others are under way.
func sideways(ctx context.Context, all []program) (wait func() error) {
	todo, some := make(chan program), make(chan struct{}, len(all))
	errs := make(chan error, len(all))
	var wg sync.WaitGroup
	for range hooksAtKill {
		wg.Go(func() {
			for p := range todo {
				o, err := p.run(ctx) // what it says is another matter: its daemon was killed
				if err == nil && o.exit != 0 {
					err = fmt.Errorf("a hook's exit is %d: %s", o.exit, o.stderr)
				}
				errs <- err
				some <- struct{}{}
			}
		})
	}
	go func() {
		for _, p := range all {
			todo <- p
		}
		close(todo)
	}()
	<-some
	return func() error {
		wg.Wait()
		close(errs)
		var err error
		for e := range errs {
			err = errors.Join(err, e)
		}
		return err
	}
}
