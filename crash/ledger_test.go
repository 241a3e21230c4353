//go:build linux

package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
)

// ledger is what was promised, and what was found of it. A hook is known by its tool_use_id, which no
// two hooks of a test share. Safe for concurrent use.
type ledger struct {
	mu       sync.Mutex
	sent     int
	promised map[string]string // by whom
	heard    func(call string) // told of each promise
}

func newLedger() *ledger { return &ledger{promised: map[string]string{}} }

// next is the id of a new hook.
func (l *ledger) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	return fmt.Sprintf("call_%07d", l.sent)
}

// Who promises that a hook is kept.
const (
	byDaemon   = "the daemon's answer"
	byDelivery = "a delivery that ended well"
	byClient   = "a client that ended well"
	bySpool    = "the spool"
)

// promise notes that somebody was told by whom that this hook is kept.
func (l *ledger) promise(call, whom string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promised[call] = whom
	if l.heard != nil {
		l.heard(call)
	}
}

// untilNow is what was promised by now.
func (l *ledger) untilNow() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.promised)
}

// only takes every other promise back.
func (l *ledger) only(promised map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promised = promised
}

// counts are how many hooks were sent and promised.
func (l *ledger) counts() (sent, promised int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent, len(l.promised)
}

// row is what the oracle reads of a record.
type row struct {
	Seq  uint64 `json:"seq"`
	ID   string `json:"id"`
	Type string `json:"type"`
	Call string `json:"tool_use_id"`
	raw  []byte
}

// rows reads the log from a sequence on.
func (h *home) rows(from uint64) ([]row, error) {
	answer, err := h.ask("GET", fmt.Sprintf("/v1/events?n=0&since=%d", max(from, 1)))
	if err != nil {
		return nil, err
	}
	var list []row
	for line := range bytes.Lines(answer) {
		r := row{raw: bytes.TrimSpace(line)}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("record %.200q: %w", line, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// reading is the log as far as it was read: of an append-only log only the new part is read again.
type reading struct {
	last  uint64
	ids   map[string]uint64
	calls map[string]uint64
	torn  bool // of what was not synced any page may be lost: a record that is cut out is no fault where an event says so
}

func newReading() *reading { return &reading{ids: map[string]uint64{}, calls: map[string]uint64{}} }

// goOn reads what is new. Records that double others, and sequences that are not there, are an error.
func (r *reading) goOn(h *home) error {
	list, err := h.rows(r.last + 1)
	if err != nil {
		return err
	}
	var wrong []error
	for _, row := range list {
		if row.Seq <= r.last {
			continue // since=N of an empty rest
		}
		if row.Seq != r.last+1 && !r.torn {
			wrong = append(wrong, fmt.Errorf("sequence %d follows %d", row.Seq, r.last))
		}
		r.last = row.Seq
		if other, twice := r.ids[row.ID]; twice {
			wrong = append(wrong, fmt.Errorf("event %s is at %d and at %d", row.ID, other, row.Seq))
		}
		r.ids[row.ID] = row.Seq
		if row.Type != "tool.succeeded" || row.Call == "" {
			continue
		}
		if other, twice := r.calls[row.Call]; twice {
			wrong = append(wrong, fmt.Errorf("hook %s counts at %d and at %d", row.Call, other, row.Seq))
		}
		r.calls[row.Call] = row.Seq
	}
	return errors.Join(wrong...)
}

// missing is the promised hooks that are not in the log, at most ten of them by name.
func (r *reading) missing(l *ledger) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	n := 0
	for call, whom := range l.promised {
		if _, there := r.calls[call]; !there {
			if n++; len(names) < 10 {
				names = append(names, call+" by "+whom)
			}
		}
	}
	if n > 0 {
		return fmt.Errorf("%d promised hooks of %d are not in the log: %s", n, len(l.promised), strings.Join(names, ", "))
	}
	return nil
}

// check is the oracle: the daemon runs, and what waits in the spool has come.
func (r *reading) check(h *home, l *ledger) error {
	if err := h.quiet(); err != nil {
		return err
	}
	err := eventually(within, func() error {
		s, err := h.status()
		if err == nil && s.Spool > 0 {
			err = fmt.Errorf("%d frames wait in the spool", s.Spool)
		}
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(r.goOn(h), r.missing(l), h.wantVerified(r.torn))
}

// wantVerified wants a verification without objection, but for holes that the log explains where it may be torn.
func (h *home) wantVerified(torn bool) error {
	v, err := h.verify()
	if err != nil {
		return err
	}
	explained := torn && len(v.New) == 0
	if v.Exit != 0 || len(v.Diffs) > 0 || !explained && (!v.Clean || v.Holes != 0) {
		return fmt.Errorf("verify: exit %d, %d holes, damage %q, %d differences: %.2000s", v.Exit, v.Holes, v.Damage, len(v.Diffs), fmt.Sprintf("%+v", v.Diffs))
	}
	return nil
}

// finish holds the whole log against the ledger once more, read from its beginning.
func finish(t *testing.T, h *home, l *ledger) {
	t.Helper()
	whole := newReading()
	if err := whole.check(h, l); err != nil {
		t.Error(err)
	}
	sent, promised := l.counts()
	t.Logf("%d hooks sent, %d promised, %d events in the log", sent, promised, whole.last)
	if promised == 0 {
		t.Error("nothing was promised: the test proves nothing")
	}
}
