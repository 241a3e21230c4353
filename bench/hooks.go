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
)

func (b *bench) brief() []reading {
	h := b.running()
	p := take(5, b.reps(100), func() time.Duration {
		o := must(h.program("hookctl", "consciousness", "brief").run(h.ctx))
		if !bytes.HasPrefix(o.stdout, []byte("[C:")) || bytes.HasPrefix(o.stdout, []byte("[C:?")) {
			check(fmt.Errorf("the brief is %q", o.stdout))
		}
		return o.wall
	}, h.empty)
	h.stop()
	return []reading{{p.ratio(), p.note("brief", "empty")}}
}

func (b *bench) postToolUse() []reading {
	h := b.running()
	return h.againstEmpty("PostToolUse", h.testRun)
}

// againstEmpty compares the process of a hook with the empty program, and ends the daemon.
func (h *home) againstEmpty(event string, body func(n int) []byte) []reading {
	sent := 0
	p := take(5, h.reps(100), func() time.Duration {
		sent++
		return h.hook(event, body(sent)).wall
	}, h.empty)
	h.recorded(map[string]int{event: sent})
	h.stop()
	return []reading{{p.ratio(), p.note("hook", "empty")}}
}

func (b *bench) largeWrite() []reading {
	h := b.running()
	var cpu []time.Duration
	n := b.reps(20)
	took := repeat(n, func(i int) time.Duration {
		o := h.hook("PostToolUse", h.write(i, 3_000_000))
		cpu = append(cpu, o.cpu)
		return o.wall
	})
	h.recorded(map[string]int{"PostToolUse": n + 1})
	h.stop()
	return []reading{times(took, fmt.Sprintf("; %s of it the client's processor time", ms(median(cpu))))}
}

// session plays the hooks in order, an empty program after each: what the machine does to any process.
func (b *bench) session() []reading {
	h := b.newHome()
	p := h.play()
	sent := map[string]int{}
	for _, c := range b.hooks {
		sent[c.event]++
	}
	h.recorded(sent)
	h.stop()
	b.played = h
	return []reading{{inMS(quantile(p.a, .99)), fmt.Sprintf("max %s, empty p99 %s; ", ms(quantile(p.a, 1)), ms(quantile(p.b, .99))) + p.note("hook", "empty")}}
}

// play sends all recorded hooks, with an empty program after each, to a daemon that it starts.
func (h *home) play() pairs {
	h.run("hookctl", "start")
	i := -1
	return take(0, len(h.hooks), func() time.Duration {
		i++
		return h.hook(h.hooks[i].event, h.hooks[i].body).wall
	}, h.empty)
}

// size adds up the files of the store that the session left behind.
func (b *bench) size() []reading {
	if b.played == nil {
		b.session()
	}
	input := 0
	for _, c := range b.hooks {
		input += len(c.body)
	}
	total := apparentBytes(filepath.Join(b.played.state, "store"))
	return []reading{{float64(total) / float64(input), fmt.Sprintf("%d of %d bytes", total, input)}}
}

// apparentBytes adds up the files below a folder, a file with several links once.
func apparentBytes(root string) (total int64) {
	var seen []fs.FileInfo
	check(filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			seen = append(seen, info)
			total += info.Size()
		}
		return nil
	}))
	return total
}

// atOnce compares a burst of hooks with one.
func (b *bench) atOnce() []reading {
	const burst = 32
	h := b.running()
	sent := 0
	next := func() []byte {
		sent++
		return h.testRun(sent)
	}
	p := take(1, b.reps(20), func() time.Duration {
		bodies := make([][]byte, burst)
		for i := range bodies {
			bodies[i] = next()
		}
		return sideBySide(burst, bodies, func(body []byte) error {
			_, err := h.hookProgram("PostToolUse", body).run(h.ctx)
			return err
		})
	}, func() time.Duration {
		return median(repeat(3, func(int) time.Duration { return h.hook("PostToolUse", next()).wall }))
	})
	h.recorded(map[string]int{"PostToolUse": sent})
	h.stop()
	return []reading{{p.ratio(), p.note("32", "one")}}
}

// sideBySide calls once for each body, on `side` goroutines, and gives the time of all.
func sideBySide(side int, bodies [][]byte, call func([]byte) error) time.Duration {
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
	took := time.Since(begin)
	check(errors.Join(errs...))
	return took
}

// tailDelay waits for each hook's line in a running `tail -f`.
func (b *bench) tailDelay() []reading {
	h := b.running()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel() // ends the tail
	tail := h.program("hookctl", "tail", "-f", "-o", "json").command(ctx)
	lines := bufio.NewScanner(must(tail.StdoutPipe()))
	check(tail.Start())
	await := func(words string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return
			}
		}
		check(errors.New("tail does not show " + words))
	}
	await(h.session)
	took := repeat(b.reps(60), func(i int) time.Duration {
		h.hook("PostToolUse", h.testRun(i))
		begin := time.Now()
		await(toolUseID(i))
		return time.Since(begin)
	})
	h.stop()
	return []reading{times(took, "")}
}

// gates asks at a list of gates that are all open, on a branch where much has happened.
func (b *bench) gates() []reading {
	const count, past = 20, 10_000
	h := b.running()
	h.stop()
	rules := "requirements:\n"
	for i := range count {
		rules += fmt.Sprintf("  gate_%02d:\n    enabled: true\n    scope: branch\n    message: Do number %d first.\n", i, i)
	}
	path := filepath.Join(h.project, ".claude", "requirements.yaml")
	check(os.MkdirAll(filepath.Dir(path), 0o700))
	check(os.WriteFile(path, []byte(rules), 0o600))
	h.age()

	h.withLog(func(st *embedded.Stream, own []events.Envelope) {
		h.append(st, repeated(h.like(own), past, (*events.GateSatisfied)(nil).Type(), func(i int) string {
			return fmt.Sprintf(`{"name":"gate_%02d","scope":"branch","level":"branch","by":"cli"}`, i%count)
		}))
	})
	h.run("hookctl", "start")
	if o := h.hook("PreToolUse", h.edit(0)); strings.Contains(string(o.stdout), "deny") {
		check(fmt.Errorf("an open gate denied: %s", o.stdout))
	}
	return h.againstEmpty("PreToolUse", h.edit)
}

// killed takes the time from a kill -9 of the daemon under load to the next answer.
func (b *bench) killed() []reading {
	const clients, hooks = 8, 32
	h := b.running()
	took := repeat(b.reps(11), func(round int) time.Duration {
		bodies := make([][]byte, hooks)
		for i := range bodies {
			bodies[i] = h.testRun(1 + round*hooks + i)
		}
		first := make(chan struct{})
		var once sync.Once
		var wg sync.WaitGroup
		wg.Go(func() {
			sideBySide(clients, bodies, func(body []byte) error {
				_ = h.hookProgram("PostToolUse", body).command(h.ctx).Run() // what it says is another matter: its daemon was killed
				once.Do(func() { close(first) })
				return nil
			})
		})
		<-first // so that others are under way
		defer wg.Wait()
		h.kill()
		return h.run("hookctl", "start")
	})
	h.stop()
	return []reading{times(took, "")}
}
