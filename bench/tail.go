package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// tailDelay is measure 13: from the end of a hook to its line on the screen of `tail -f`.
func (b *bench) tailDelay(ctx context.Context) ([]figure, error) {
	h, err := b.running(ctx, "tail")
	if err != nil {
		return nil, err
	}
	defer h.stop()
	w, err := h.watch(ctx)
	if err != nil {
		return nil, err
	}
	defer w.end()
	var took []time.Duration
	early := 0
	warm, n := 2, b.reps(60, 30)
	for i := range warm + n {
		o, err := h.hook("PostToolUse", h.testRun(i)).run(ctx)
		if err = errors.Join(err, o.ok()); err != nil {
			return nil, err
		}
		seen, err := w.await(ctx, toolUseID(i))
		if err != nil {
			return nil, err
		}
		if i < warm {
			continue
		}
		if seen.Before(o.ended) {
			early++ // the daemon tells followers before it answers
		}
		took = append(took, max(0, seen.Sub(o.ended)))
	}
	late, err := h.recorded(ctx, "PostToolUse", warm+n)
	return []figure{{13, "delay of an event in `tail -f`", atMost(100, "ms"), inMS(median(took)),
		fmt.Sprintf("p90 %s, max %s, %d events, %d seen before the hook's process had ended%s", ms(quantile(took, .9)), ms(quantile(took, 1)), n, early, late.note())}}, err
}

// watcher is a running `hookctl tail -f` and the times at which its lines came.
type watcher struct {
	cmd  *exec.Cmd
	out  *os.File
	done chan struct{}

	mu    sync.Mutex
	lines []seenLine
	wait  chan struct{} // closed and made anew with every line
}

type seenLine struct {
	at   time.Time
	text []byte
}

// watch starts it and waits for the session's first event, which is there already.
func (h *home) watch(ctx context.Context) (*watcher, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(h.bench.hookctl, "tail", "-f", "-o", "json")
	cmd.Env, cmd.Dir, cmd.Stdout = h.env, h.project, w
	var words bytes.Buffer
	cmd.Stderr = &words
	err = cmd.Start()
	w.Close()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	t := &watcher{cmd: cmd, out: r, done: make(chan struct{}), wait: make(chan struct{})}
	go t.read()
	if _, err := t.await(ctx, h.session); err != nil {
		t.end()
		return nil, fmt.Errorf("%w; it says %q", err, words.String())
	}
	return t, nil
}

func (t *watcher) read() {
	defer close(t.done)
	in := bufio.NewReaderSize(t.out, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.add([]byte(err.Error()))
			}
			return
		}
		t.add(line)
	}
}

func (t *watcher) add(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, seenLine{time.Now(), line})
	close(t.wait)
	t.wait = make(chan struct{})
}

// await gives the time at which a line with these words came.
func (t *watcher) await(ctx context.Context, words string) (time.Time, error) {
	limit := time.After(5 * time.Second)
	for next := 0; ; {
		t.mu.Lock()
		for ; next < len(t.lines); next++ {
			if bytes.Contains(t.lines[next].text, []byte(words)) {
				at := t.lines[next].at
				t.mu.Unlock()
				return at, nil
			}
		}
		changed := t.wait
		t.mu.Unlock()
		select {
		case <-changed:
		case <-t.done:
			return time.Time{}, errors.New("tail has ended")
		case <-limit:
			return time.Time{}, errors.New("tail does not show " + words)
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		}
	}
}

// end kills the process and waits for it.
func (t *watcher) end() {
	_ = t.cmd.Process.Kill()
	_ = t.cmd.Wait()
	<-t.done
	t.out.Close()
}
