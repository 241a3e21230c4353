package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hookline/events"
)

func (b *bench) brief() []float64 {
	h := b.running()
	return []float64{ratio(100, func(int) float64 { return h.run("hookctl", "consciousness", "brief").says("r=1.00").wall }, h.empty)}
}

func (b *bench) postToolUse() []float64 {
	h := b.running()
	return []float64{ratio(100, h.tool, h.empty)}
}

func (b *bench) largeWrite() []float64 {
	h := b.running()
	return []float64{median(20, func(i int) float64 { return h.hook("PostToolUse", h.write(i)).wall })}
}

// session plays the hooks in order.
func (b *bench) session() []float64 {
	return []float64{quantile(b.newHome().play(), .99)}
}

// play sends all recorded hooks to a daemon that it starts.
func (h *home) play() (took []float64) {
	h.run("hookctl", "start")
	for _, c := range h.hooks {
		took = append(took, h.hook(c.event, c.body).wall)
	}
	return took
}

// size compares the files of the store after the session with what was sent.
func (b *bench) size() []float64 {
	h := b.newHome()
	h.play()
	h.stop()
	input := 0
	for _, c := range b.hooks {
		input += len(c.body)
	}
	return []float64{float64(apparentBytes(filepath.Join(h.state, "store"))) / float64(input)}
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
	many := func(round int) float64 { return sideBySide(burst, h.testRuns(round*burst, burst), h.send) }
	return []float64{ratio(20, many, func(round int) float64 { return h.tool(-1 - round) })}
}

// testRuns are n test runs, each a call of its own, numbered from first on.
func (h *home) testRuns(first, n int) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = h.testRun(first + i)
	}
	return bodies
}

// sideBySide calls once for each body, at most `side` at a time, and gives the time of all.
func sideBySide(side int, bodies [][]byte, call func([]byte) error) float64 {
	var g errgroup.Group
	g.SetLimit(side)
	begin := time.Now()
	for _, body := range bodies {
		g.Go(func() error { return call(body) })
	}
	check(g.Wait())
	return since(begin)
}

// tailDelay waits for each hook's line in a running `tail -f`.
func (b *bench) tailDelay() []float64 {
	h := b.running()
	tail := h.command("hookctl", "tail", "-f", "-o", "json")
	tail.Env = h.env
	lines := bufio.NewScanner(must(tail.StdoutPipe()))
	check(tail.Start())
	defer func() { _ = tail.Process.Kill() }()
	await := func(words string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return
			}
		}
		check(errors.New("tail does not show " + words))
	}
	await(h.session)
	return []float64{median(60, func(i int) float64 {
		h.tool(i)
		begin := time.Now()
		await(toolUseID(i))
		return since(begin)
	})}
}

// gates times a hook at a list of gates that are all open, on a branch where much has happened.
func (b *bench) gates() []float64 {
	const count, past = 20, 10_000
	h := b.running()
	rules := "requirements:\n"
	for i := range count {
		rules += fmt.Sprintf("  gate_%02d:\n    enabled: true\n    scope: branch\n    message: Do number %d first.\n", i, i)
	}
	path := filepath.Join(h.project, ".claude", "requirements.yaml")
	check(os.MkdirAll(filepath.Dir(path), 0o700))
	check(os.WriteFile(path, []byte(rules), 0o600))
	h.age()

	h.repeated(past, events.TypeGateSatisfied, func(i int) string {
		return fmt.Sprintf(`{"name":"gate_%02d","scope":"branch","level":"branch","by":"cli"}`, i%count)
	})
	h.run("hookctl", "start")
	return []float64{ratio(100, func(n int) float64 {
		o := h.hook("PreToolUse", h.edit("PreToolUse", n, "main.go"))
		if strings.Contains(o.stdout, "deny") {
			check(errors.New("an open gate denied: " + o.stdout))
		}
		return o.wall
	}, h.empty)}
}

// killed takes the time from a kill -9 of the daemon under load to the next answer.
func (b *bench) killed() []float64 {
	h := b.running()
	return []float64{median(11, func(round int) float64 {
		var load sync.WaitGroup
		defer load.Wait()
		for client := range 8 {
			load.Go(func() {
				for n := range 4 {
					_ = h.send(h.testRun(32*round + 4*client + n)) // what it says is another matter: its daemon was killed
				}
			})
		}
		rest(h.ctx, 10*time.Millisecond) // so that they are under way
		h.kill()
		return h.run("hookctl", "start").wall
	})}
}
