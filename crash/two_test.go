//go:build linux

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"hookline/embedded"
	"hookline/expect"
)

// Two daemons, one of an older and one of a newer build, are started at the same moment, while hooks of
// both clients come in: the home has one owner at a time, and nothing is lost.
func TestTwoDaemons(t *testing.T) {
	t.Parallel()
	older := newHome(t, need(t, oldBuild, newBuild), "")
	newer := *older
	newer.bin = filepath.Join(binaries, newBuild)
	l := newLedger()
	r := newReading()
	for i := range times(5, 100) {
		older.race(t, &newer, l)
		if err := older.oneOwner(); err != nil {
			t.Fatalf("round %d: %v\n%s", i, err, older.lastWords())
		}
		if err := r.check(older, l); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		older.stop(t)
	}
	older.up(t)
	finish(t, older, l)
	older.wantTurns(t)
}

// race starts both, and a few hooks of both clients meanwhile.
func (h *home) race(t *testing.T, other *home, l *ledger) {
	t.Helper()
	gate := make(chan struct{})
	var group sync.WaitGroup
	for i := range 6 {
		who := h
		if i%2 == 1 {
			who = other
		}
		group.Go(func() {
			<-gate
			if i < 2 {
				who.serve(t)
				return
			}
			for range 4 { // the first meet no daemon, the last perhaps one that is to hand over
				call := l.next()
				out, err := who.hook(call, 0)
				if err != nil || out.exit != 0 {
					t.Errorf("hook: %v, exit %d, %s", err, out.exit, out.said)
				} else if out.kept() {
					l.promise(call, byClient)
				}
			}
		})
	}
	close(gate)
	group.Wait()
}

// oneOwner waits until one daemon is left, and it is the one that answers and holds the lock.
func (h *home) oneOwner() error {
	if err := h.quiet(); err != nil {
		return err
	}
	return eventually(within, func() error {
		running := h.running("serve")
		s, err := h.status()
		if err != nil {
			return err
		}
		pid, _, held, err := embedded.Holder(h.paths().Lock)
		if err != nil {
			return err
		}
		if len(running) != 1 || s.PID == nil || *s.PID != running[0] || !held || pid != running[0] {
			return fmt.Errorf("daemons %v run, %v answers, %d holds the lock (%v)", running, s.PID, pid, held)
		}
		return nil
	})
}

// wantTurns reads from the log that daemons took turns: between two starts there is one end. All of them
// ended in order, so two starts in a row were two owners at once.
func (h *home) wantTurns(t *testing.T) {
	t.Helper()
	answer := expect.Value(h.ask("GET", "/v1/events?n=0&type=daemon.%2A"))(t)
	before, starts, handed := "daemon.stopped", 0, 0
	for line := range bytes.Lines(answer) {
		var r struct {
			Seq  uint64 `json:"seq"`
			Type string `json:"type"`
			Data struct {
				Reason string `json:"reason"`
			} `json:"data"`
		}
		expect.OK(t, json.Unmarshal(line, &r))
		if r.Type == before {
			t.Errorf("%s at %d follows another", r.Type, r.Seq)
		}
		before = r.Type
		if r.Type == "daemon.started" {
			starts++
		}
		if r.Data.Reason == "hand_over" {
			handed++
		}
	}
	t.Logf("%d daemons took turns, %d of them handed over", starts, handed)
}
