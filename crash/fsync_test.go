//go:build linux

package crash

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/hookctl/wire"
)

// TestFailedFsync: the disk refuses what the log has written, and is sound again a moment later; [ramdisk] says how the
// kernel behaves then. Whoever sends the frames again, which were not answered, is promised nothing that only the kernel's
// memory has: the power is cut then.
func TestFailedFsync(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t) {
		return
	}
	d := mountRamdisk(t).control(t)
	h, l := newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
	for range times(2, 20) {
		p, _ := h.up(t)
		if _, refused := h.frames(l, 20); len(refused) > 0 {
			t.Fatal("no answer from a sound disk")
		}
		d.refuse(&refusal{op: "fsync", path: regexp.MustCompile(`(EVENTS/msgs|archive)/.*\.blk$`), errno: syscall.EIO})
		calls, refused := h.frames(l, 100)
		if len(refused) == 0 {
			t.Fatal("every frame was answered, though the disk refuses what is written")
		}
		select {
		case <-p.ended:
		case <-time.After(within):
			t.Error("the daemon goes on after a failed fsync")
		}
		d.refuse(nil)

		h.up(t)
		if s, err := h.status(); err != nil || !strings.Contains(strings.Join(s.Damage, "\n"), "the disk refused what was written (") {
			t.Errorf("status says %q, %v; nothing of the refusal", s.Damage, err)
		}
		for _, f := range refused {
			if _, err := wire.Do(time.Now().Add(within), h.door(), "PostToolUse", f); err != nil {
				t.Errorf("a frame that comes again to a sound disk: %v", err)
			}
			l.promise(calls[f.ID], byDaemon)
		}
		d.cutNow(0)
		h.killAll()
		d = d.restart(t)
		h.up(t)
		if err := h.keptOnce(l); err != nil {
			t.Error(err)
		}
		h.kill(t)
	}
}

// frames sends frames until one is not answered, at most n, and promises those that are.
func (h *home) frames(l *ledger, n int) (calls map[string]string, refused []wire.Frame) {
	calls = map[string]string{}
	for ; n > 0 && len(refused) == 0; n-- {
		call := l.next()
		f := h.frame(call, 4000)
		calls[f.ID] = call
		if _, err := wire.Do(time.Now().Add(within), h.door(), "PostToolUse", f); err != nil {
			refused = append(refused, f)
		} else {
			l.promise(call, byDaemon)
		}
	}
	return calls, refused
}

// keptOnce is the oracle for a log that may have holes, each of which it explains itself: what the disk refused had a
// sequence, and was promised to nobody.
func (h *home) keptOnce(l *ledger) error {
	rows, err := h.rows(1)
	if err != nil {
		return err
	}
	r := newReading()
	for _, row := range rows {
		if other, twice := r.calls[row.Call]; twice && row.Call != "" {
			return fmt.Errorf("hook %s counts at %d and at %d", row.Call, other, row.Seq)
		}
		r.calls[row.Call] = row.Seq
	}
	v, err := h.verify()
	if err == nil && v.Exit != 0 {
		err = fmt.Errorf("verify: exit %d, %d new holes, %d differences, first %+v", v.Exit, len(v.New), len(v.Diffs), v.Diffs[:min(4, len(v.Diffs))])
	}
	return errors.Join(err, r.missing(l))
}
