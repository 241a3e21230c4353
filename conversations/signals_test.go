//go:build linux

package conversations

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// endWithin is how long a verb may take to end that is told to: what it gives itself, and a busy machine.
const endWithin = 3*time.Second + lateBy

// Every verb ends when it is told to: one that waits for its input, for the daemon, for events, and one that works.
func TestVerbsEndOnSignal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	s := expect.Value(h.status())(t)
	verbs := []string{"hookctl doctor --redaction -", "hookctl tail -f", "replay verify", "replay rebuild"}
	for _, verb := range verbs {
		endsOnSignal(t, h, verb)
	}

	expect.OK(t, syscall.Kill(s.PID, syscall.SIGSTOP))
	for _, verb := range []string{"hookctl restart", "hookctl stop", "hookctl status", "hookctl doctor", "hookctl tail -f", "replay verify"} {
		endsOnSignal(t, h, verb)
	}
	expect.OK(t, syscall.Kill(s.PID, syscall.SIGCONT))
}

// endsOnSignal starts a verb whose stdin stays open, and tells it to end by either signal.
func endsOnSignal(t *testing.T, h home, verb string) {
	t.Helper()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		words := strings.Fields(verb)
		cmd := exec.Command(filepath.Join(binaries, words[0]), words[1:]...)
		cmd.Dir, cmd.Env = h.dir, h.environ()
		stdin := expect.Value(cmd.StdinPipe())(t)
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		expect.OK(t, cmd.Start())
		ended := make(chan bool, 1)
		go func() { ended <- cmd.Wait() == nil }()

		before := ""
		_ = eventually(func() error { // until it does nothing between two looks, so that it waits for something
			now := clockOf(cmd.Process.Pid)
			quiet := now == before && now != ""
			before = now
			if len(ended) == 0 && !quiet {
				return errNotYet
			}
			return nil
		})
		_ = cmd.Process.Signal(signal)
		select {
		case <-ended:
		case <-time.After(endWithin):
			t.Errorf("%s does not end on %v", verb, signal)
			_ = cmd.Process.Kill() // it may end now
			<-ended
		}
		_ = stdin.Close() // closed with the process
	}
}

// errNotYet says that a process does something.
var errNotYet = errors.New("not yet")

// clockOf is the processor time that a process has used, "" where that cannot be seen.
func clockOf(pid int) string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
	if err != nil {
		return ""
	}
	return string(data)
}
