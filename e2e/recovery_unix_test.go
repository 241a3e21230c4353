//go:build unix

package e2e

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestRealClientLateStart holds the daemon while a client starts, until the client has given up waiting for the answer: what
// the start had to say comes with the next prompt, once.
func TestRealClientLateStart(t *testing.T) {
	needTmux(t)
	w := newWorld(t).start()
	first := uuid()
	_, err := w.run(Options{Scenario: "write", Keys: "retries", Vars: map[string]string{"NAME": "one"}, Args: []string{"--session-id", first}})
	must(t, err)

	w.signal(syscall.SIGSTOP)
	wait := w.background(Options{Scenario: "said", Keys: "late"})
	hold := filepath.Join(w.root, "run2", "started")
	w.heldAt(hold)
	w.signal(syscall.SIGCONT)
	w.release(hold)
	r := wait()
	w.toldOnce(r, "What comes next",
		`\[PHASE: SESSION_START\] From session `+shortID(first)+`, moments ago\. Goal: Add retries to the upload client`,
		`Edited: one\.txt`)
	w.finish()
}

// signal sends a signal to the daemon.
func (w *world) signal(s syscall.Signal) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	if w.daemon == 0 {
		running := w.status().PID
		if running == nil {
			w.t.Fatal("status: the daemon is down")
		}
		w.daemon = *running
	}
	must(w.t, syscall.Kill(w.daemon, s))
}
