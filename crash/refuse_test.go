//go:build linux

package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookline/expect"
)

// control proves that the ramdisk behaves as its words say, through the kernel.
func (m *mounted) control(t *testing.T) *mounted {
	t.Helper()
	synced, lazy, nameless := filepath.Join(m.at, "synced"), filepath.Join(m.at, "lazy"), filepath.Join(m.at, "nameless")
	expect.OK(t, errors.Join(os.WriteFile(synced, []byte("kept"), 0o600), os.WriteFile(lazy, []byte("lost"), 0o600), syncFolder(synced), syncFolder(m.at)))
	expect.OK(t, errors.Join(os.WriteFile(nameless, []byte("x"), 0o600), syncFolder(nameless)))
	m.refusedFsync(t, synced)

	m.cutIn(1, nil)
	if err := os.WriteFile(lazy, []byte("x"), 0o600); !errors.Is(err, syscall.EIO) {
		t.Fatalf("without power: %v, want EIO", err)
	}
	m = m.restart(t)
	if got, err := os.ReadFile(synced); err != nil || string(got) != "kept" {
		t.Fatalf("the synced file: %q, %v", got, err)
	}
	return m
}

// refusedFsync proves that a failed fsync is told to each handle once, succeeds then, and has brought nothing to the disk.
func (m *mounted) refusedFsync(t *testing.T, path string) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f := expect.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
		defer f.Close()
		files[i] = f
	}
	expect.Value(files[0].WriteString("gone"))(t)
	m.refuse(&refusal{op: "fsync", path: regexp.MustCompile("synced"), errno: syscall.EIO})
	first := files[0].Sync()
	expect.EqualNow(t, m.refuse(nil), 1, "refusals, want 1")
	if second, other, later := files[0].Sync(), files[1].Sync(), files[1].Sync(); first == nil || second != nil || other == nil || later != nil {
		t.Fatalf("the fsyncs say %v, %v, %v and %v", first, second, other, later)
	}
	expect.OK(t, unix.Fadvise(int(files[0].Fd()), 0, 0, unix.FADV_DONTNEED))
	if got, err := os.ReadFile(path); string(got) != "kept" {
		t.Fatalf("the disk has %q, %v", got, err)
	}
}

// errnoOf is what a disk says that refuses.
var errnoOf = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS}

// placesOf are what of a home a disk refuses.
var placesOf = []string{`.`, `/store/`, `/store/.*msgs`, `/spool`, `\.blk$`}

// TestRefusals: the disk refuses one kind of operation for a while, on all of the home or a part of it, while hooks come and
// processes are killed. Whoever was not told that a hook is lost finds it in the log, once. Each part has a disk of its own, since a
// round reads the whole log that its part has made.
func TestRefusals(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, false) {
		return
	}
	private(t)
	parts, rounds := times(1, 60), times(2, 5)
	for part := range parts {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			refusals(t, bin, rounds)
		})
	}
}

// refusals goes through all kinds of operations that often.
func refusals(t *testing.T, bin string, rounds int) {
	d := mountRamdisk(t).control(t)
	h, l := newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
	for round := range rounds {
		hits := 0
		for _, op := range opNames {
			hits += h.refusedFor(t, d, l, op)
		}
		if err := h.recovered(t, l); err != nil {
			t.Fatalf("round %d, with %d refusals: %v", round, hits, err)
		}
	}
	sent, promised := l.counts()
	t.Logf("%d windows of each kind, %d hooks sent, %d promised", rounds, sent, promised)
}

// refusedFor has a daemon run, and the disk refuse an operation for a moment under load.
func (h *home) refusedFor(t *testing.T, d *mounted, l *ledger, op string) int {
	t.Helper()
	if len(h.running("serve")) == 0 {
		h.serve(t)
	}
	w := h.load(l, rand.IntN(2)*3000)
	pause(200 * time.Millisecond)
	rule := &refusal{op: op, path: regexp.MustCompile(placesOf[rand.IntN(len(placesOf))]), errno: errnoOf[rand.IntN(len(errnoOf))]}
	d.refuse(rule)
	pause(300 * time.Millisecond)
	if rand.IntN(3) == 0 {
		h.killSome()
	}
	pause(100 * time.Millisecond)
	hits := d.refuse(nil)
	pause(100 * time.Millisecond)
	if _, err := w.stop(); err != nil {
		t.Errorf("%s of %s refused with %v: %v", op, rule.path, rule.errno, err)
	}
	return hits
}

// killSome ends some processes of this home at once.
func (h *home) killSome() {
	verb := []string{"serve", "deliver", "deliver"}[rand.IntN(3)]
	for _, pid := range h.running(verb) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // one that has just ended is no failure
	}
}

// recovered starts a daemon on a sound disk and holds its log against the ledger.
func (h *home) recovered(t *testing.T, l *ledger) error {
	t.Helper()
	if err := h.quiet(); err != nil {
		return err
	}
	h.up(t)
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

	// A daemon that met a refused write of a bucket ends itself within ten seconds, and breaks off a reading under way.
	for {
		before, err := h.status()
		if err == nil {
			err = h.keptOnce(l)
		}
		h.up(t)
		after, gone := h.status()
		if err == nil || gone == nil && before.PID != nil && *before.PID == *after.PID {
			return err
		}
		t.Logf("the daemon ended while the log was read, which is read again: %v", err)
	}
}

// TestCuts: the power is cut before any change of the disk, of a new store and of one that grows over the ends of blocks.
func TestCuts(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, false) {
		return
	}
	private(t)
	var d *mounted
	var h *home
	var l *ledger
	cuts := times(4, 1000)
	for i := range cuts {
		if i%50 == 0 {
			d = mountRamdisk(t).control(t)
			h, l = newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
		}
		d = h.cutUnder(t, d, l)
		if err := h.recovered(t, l); err != nil {
			t.Fatalf("cut %d: %v", i, err)
		}
		h.kill(t)
	}
	sent, promised := l.counts()
	t.Logf("%d cuts; the newest store: %d hooks sent, %d promised", cuts, sent, promised)
}

// cutUnder cuts the power under load, ends all processes, and gives the disk as it is found then.
func (h *home) cutUnder(t *testing.T, d *mounted, l *ledger) *mounted {
	t.Helper()
	h.serve(t)
	promised := make(chan map[string]string, 1)
	d.cutIn(1+rand.IntN(1500), func() { promised <- l.untilNow() })
	w := h.load(l, rand.IntN(2)*8000)
	select {
	case list := <-promised:
		promised <- list
	case <-time.After(1500 * time.Millisecond): // the moment is random either way
		_ = d.cutNow() // it may just have been
	}
	_, _ = w.stop() // without power a hook may say anything
	l.only(<-promised)
	h.killAll()
	return d.restart(t)
}
