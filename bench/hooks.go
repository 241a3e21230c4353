package main

import (
	"bufio"
	"bytes"
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

func (b *bench) brief() []float64 {
	h := b.running()
	return h.againstEmpty(func(int) outcome {
		o := h.run("hookctl", "consciousness", "brief")
		if !bytes.HasPrefix(o.stdout, []byte("[C:")) || bytes.HasPrefix(o.stdout, []byte("[C:?")) {
			check(fmt.Errorf("the brief is %q", o.stdout))
		}
		return o
	})
}

func (b *bench) postToolUse() []float64 {
	h := b.running()
	return h.againstEmpty(func(n int) outcome { return h.hook("PostToolUse", h.testRun(n)) })
}

// againstEmpty compares a process with the empty program, and ends the daemon. The runs have numbers from 1 on.
func (h *home) againstEmpty(run func(n int) outcome) []float64 {
	defer h.stop()
	n := 0
	p := take(5, 100, func() time.Duration {
		n++
		return run(n).wall
	}, h.empty)
	return []float64{p.ratio()}
}

func (b *bench) largeWrite() []float64 {
	h := b.running()
	defer h.stop()
	took := repeat(20, func(i int) time.Duration { return h.hook("PostToolUse", h.write(i, 3_000_000)).wall })
	return []float64{ms(took, .5)}
}

// session plays the hooks in order, and keeps the home for [bench.size].
func (b *bench) session() []float64 {
	h := b.newHome()
	took := h.play()
	h.stop()
	b.played = h
	return []float64{ms(took, .99)}
}

// play sends all recorded hooks to a daemon that it starts.
func (h *home) play() (took []time.Duration) {
	h.run("hookctl", "start")
	for _, c := range h.hooks {
		took = append(took, h.hook(c.event, c.body).wall)
	}
	return took
}

// size compares the files of the store after the session with what was sent.
func (b *bench) size() []float64 {
	if b.played == nil {
		b.session()
	}
	input := 0
	for _, c := range b.hooks {
		input += len(c.body)
	}
	return []float64{float64(apparentBytes(filepath.Join(b.played.state, "store"))) / float64(input)}
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
func (b *bench) atOnce() []float64 {
	const burst = 32
	h := b.running()
	defer h.stop()
	sent := 0
	p := take(1, 20, func() time.Duration {
		sent += burst
		return sideBySide(burst, h.testRuns(sent, burst), func(body []byte) error {
			_, err := h.tryHook("PostToolUse", body)
			return err
		})
	}, func() time.Duration {
		return quantile(repeat(3, func(int) time.Duration {
			sent++
			return h.hook("PostToolUse", h.testRun(sent)).wall
		}), .5)
	})
	return []float64{p.ratio()}
}

// testRuns are n test runs, each a call of its own: the numbers up to last.
func (h *home) testRuns(last, n int) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = h.testRun(last - i)
	}
	return bodies
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
func (b *bench) tailDelay() []float64 {
	h := b.running()
	defer h.stop()
	tail := h.command("hookctl", "tail", "-f", "-o", "json")
	lines := bufio.NewScanner(must(tail.StdoutPipe()))
	check(tail.Start())
	late := time.AfterFunc(time.Minute, func() { _ = tail.Process.Kill() })
	defer late.Reset(0)
	await := func(words string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return
			}
		}
		check(errors.New("tail does not show " + words))
	}
	await(h.session)
	took := repeat(60, func(i int) time.Duration {
		h.hook("PostToolUse", h.testRun(i))
		begin := time.Now()
		await(toolUseID(i))
		return time.Since(begin)
	})
	return []float64{ms(took, .5)}
}

// gates times a hook at a list of gates that are all open, on a branch where much has happened.
func (b *bench) gates() []float64 {
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
		h.append(st, repeated(h.like(own), past, events.TypeGateSatisfied, func(i int) string {
			return fmt.Sprintf(`{"name":"gate_%02d","scope":"branch","level":"branch","by":"cli"}`, i%count)
		}))
	})
	h.run("hookctl", "start")
	return h.againstEmpty(func(n int) outcome {
		o := h.hook("PreToolUse", h.edit("PreToolUse", n, "main.go"))
		if strings.Contains(string(o.stdout), "deny") {
			check(fmt.Errorf("an open gate denied: %s", o.stdout))
		}
		return o
	})
}

// killed takes the time from a kill -9 of the daemon under load to the next answer.
func (b *bench) killed() []float64 {
	const clients, hooks = 8, 32
	h := b.running()
	defer h.stop()
	took := repeat(11, func(round int) time.Duration {
		first := make(chan struct{})
		var once sync.Once
		var wg sync.WaitGroup
		bodies := h.testRuns((round+1)*hooks, hooks)
		wg.Go(func() {
			sideBySide(clients, bodies, func(body []byte) error {
				_, _ = h.tryHook("PostToolUse", body) // what it says is another matter: its daemon was killed
				once.Do(func() { close(first) })
				return nil
			})
		})
		<-first // so that others are under way
		defer wg.Wait()
		h.kill()
		return h.run("hookctl", "start").wall
	})
	return []float64{ms(took, .5)}
}
