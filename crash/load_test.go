//go:build linux

package crash

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookline/hookctl/wire"
)

// hooksAtOnce is how many hooks run side by side.
const hooksAtOnce = 8

// payload is the input of one PostToolUse hook; noise bytes of it do not compress.
func payload(call string, noise int) []byte {
	response := map[string]any{"type": "text"}
	if noise > 0 {
		response["content"] = noiseOf(noise)
	}
	body, err := json.Marshal(map[string]any{"session_id": "crash-session", "hook_event_name": "PostToolUse", "tool_name": "Read",
		"tool_use_id": call, "tool_input": map[string]any{"file_path": "/app/" + call}, "tool_response": response})
	if err != nil {
		panic(err) // of strings and maps
	}
	return body
}

// noiseOf is n characters with six random bits each.
func noiseOf(n int) string {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(rand.Uint32())
	}
	return base64.StdEncoding.EncodeToString(raw)[:n]
}

// frame is a frame of its own id.
func (h *home) frame(call string, noise int) wire.Frame {
	now := time.Now().UnixMilli()
	body := payload(call, noise)
	return wire.Frame{ID: wire.NewID(now), Args: []string{"hook", "PostToolUse"}, Cwd: h.root, Time: now, Env: map[string]string{},
		Complete: true, Size: int64(len(body)), Body: body}
}

// outcome is what the caller of a program sees.
type outcome struct {
	exit int
	said string // stdout and stderr
	took time.Duration
}

// kept tells whether the caller may rely on it that the hook is or will be in the log.
func (o outcome) kept() bool {
	return o.exit == 0 && !strings.Contains(o.said, "is lost") && !strings.Contains(o.said, "not recorded")
}

// hook runs the real client on a payload. Its input is a file: a busy test must not be late in feeding it.
func (h *home) hook(call string, noise int) (outcome, error) {
	in, err := os.CreateTemp(h.root, "in")
	if err != nil {
		return outcome{}, err
	}
	defer os.Remove(in.Name())
	defer in.Close()
	if _, err := in.Write(payload(call, noise)); err != nil {
		return outcome{}, err
	}
	if _, err := in.Seek(0, 0); err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := h.command(ctx, "hookctl", "hook", "PostToolUse")
	cmd.Stdin = in
	return finished(cmd)
}

// deliver hands a frame to "hookd deliver", as the client does in trouble, and waits for its end.
func (h *home) deliver(f wire.Frame) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := h.command(ctx, "hookd", "deliver", "--until", strconv.FormatInt(time.Now().Add(2*time.Second).UnixMilli(), 10))
	cmd.Stdin = bytes.NewReader(append(append(f.Header(), '\n'), f.Body...))
	return finished(cmd)
}

// finished runs cmd; a program that a signal ended, or that took longer than [within], is an error.
func finished(cmd *exec.Cmd) (outcome, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	o := outcome{said: out.String(), took: time.Since(begin)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		o.exit, err = exit.ExitCode(), nil
	}
	return o, err
}

// load is eight hooks at once, again and again, until it is told to stop: half of them the real client's
// processes, half frames of this process, whose answer is known to be the daemon's.
type load struct {
	h      *home
	ledger *ledger
	noise  int
	quit   chan struct{}
	group  sync.WaitGroup

	mu      sync.Mutex
	slowest time.Duration // of the real client's hooks
	wrong   []error       // real hooks that did not exit 0
}

func (h *home) load(l *ledger, noise int) *load {
	w := &load{h: h, ledger: l, noise: noise, quit: make(chan struct{})}
	for i := range hooksAtOnce {
		w.group.Go(func() { w.work(i%2 == 0) })
	}
	return w
}

// stop waits for the hooks under way, and tells the slowest one and what was wrong.
func (w *load) stop() (time.Duration, error) {
	close(w.quit)
	w.group.Wait()
	return w.slowest, errors.Join(w.wrong...)
}

func (w *load) work(real bool) {
	for {
		if real {
			w.runHook()
		} else {
			w.sendFrame()
		}
		select {
		case <-w.quit:
			return
		case <-time.After(time.Duration(rand.IntN(8)) * time.Millisecond): // a session, not a flood
		}
	}
}

func (w *load) runHook() {
	call := w.ledger.next()
	out, err := w.h.hook(call, w.noise)
	if err == nil && out.kept() {
		w.ledger.promise(call, byClient)
	}
	if err == nil && out.exit != 0 {
		err = errors.New("hook " + call + ": exit " + strconv.Itoa(out.exit) + ": " + out.said)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slowest = max(w.slowest, out.took)
	if err != nil && len(w.wrong) < 10 {
		w.wrong = append(w.wrong, err)
	}
}

// sendFrame sends a frame; without an answer it goes to the delivery under the same id, as the client does.
func (w *load) sendFrame() {
	call := w.ledger.next()
	f := w.h.frame(call, w.noise)
	if _, err := wire.Do(time.Now().Add(3*time.Second), w.h.door(), "PostToolUse", f); err == nil {
		w.ledger.promise(call, byDaemon)
		return
	}
	if out, err := w.h.deliver(f); err == nil && out.kept() {
		w.ledger.promise(call, byDelivery)
	}
}

// pause waits for a random part of most: the moment of a break is what is random here, no condition is
// waited for.
func pause(most time.Duration) { time.Sleep(time.Duration(rand.Int64N(int64(most) + 1))) }
