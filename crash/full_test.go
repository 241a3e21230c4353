//go:build linux

package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// inTime is how long a hook may take in trouble. Its own deadline is half a second; the rest is for a
// machine that is busy, and the slowest is printed.
const inTime = 20 * time.Second

// healing is how long a daemon may take to find out that the disk has room again, without anybody's
// help: it looks every 30 s, and failed starts are repeated after at most a minute.
const healing = 3 * time.Minute

// Disks of twenty sizes fill up under the recorder. Hooks go on to exit 0 in time, their frames wait in
// the spool's second place, and when there is room again everything is recorded, without a hand.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, false) {
		return
	}
	var group sync.WaitGroup
	turn := make(chan struct{}, 5)
	for i := range times(2, 20) {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			size := 256 << 10 * (i + 1) * (i + 1) / 2 // 128 KiB: not even a store; up to 50 MiB: several blocks
			if !long() {
				size = []int{512 << 10, 6 << 20}[i]
			}
			t.Run(fmt.Sprintf("%dKiB", size>>10), func(t *testing.T) { fillUp(t, bin, size) })
		})
	}
	group.Wait()
}

// small is a tmpfs of a size.
type small struct{ at string }

func newSmall(t *testing.T, size int) *small {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "hls"))(t)
	s := &small{dir}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		cannot(t, "a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return s
}

// change mounts it anew with other options, as it is.
func (s *small) change(t *testing.T, flags uintptr, size int) {
	t.Helper()
	remount := func() error {
		return syscall.Mount("tmpfs", s.at, "tmpfs", syscall.MS_REMOUNT|flags, fmt.Sprintf("size=%d", size))
	}
	err := remount()
	for until := time.Now().Add(within); errors.Is(err, syscall.EBUSY) && time.Now().Before(until); err = remount() {
		time.Sleep(20 * time.Millisecond) // a process that is ending still has a file open for writing
	}
	expect.OK(t, err)
}

func fillUp(t *testing.T, bin string, size int) {
	disk := newSmall(t, size)
	h := newHome(t, bin, filepath.Join(disk.at, "state"))
	l := newLedger()
	ballast(t, disk.at)
	slowest, err := h.whileFull(l, disk.at)
	if err != nil {
		t.Error(err)
	}
	if slowest > inTime {
		t.Errorf("a hook took %v", slowest)
	}
	disk.change(t, 0, 256<<20)
	h.healsAlone(t, l, slowest)
}

// ballast fills the disk but for at most a megabyte, so that hooks have to fill only that; sometimes not
// even the store's own files have room.
func ballast(t *testing.T, dir string) {
	t.Helper()
	var stat syscall.Statfs_t
	expect.OK(t, syscall.Statfs(dir, &stat))
	if free := int64(stat.Bavail)*stat.Bsize - rand.Int64N(1<<20); free > 0 {
		expect.OK(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, free), 0o600))
	}
}

// whileFull runs hooks until the disk is full, and two seconds more.
func (h *home) whileFull(l *ledger, dir string) (time.Duration, error) {
	w := h.load(l, 12000)
	full := eventually(within, func() error {
		probe := filepath.Join(dir, "probe")
		err := os.WriteFile(probe, make([]byte, 16<<10), 0o600)
		_ = os.Remove(probe) // what of it was written is room for the hooks
		if errors.Is(err, syscall.ENOSPC) {
			return nil
		}
		return errNotYet
	})
	pause(2 * time.Second)
	slowest, err := w.stop()
	if full != nil {
		err = errors.Join(err, errors.New("the disk did not fill up"))
	}
	return slowest, err
}

// healsAlone sends a hook now and then, as a session does, and waits until one of them was taken by a
// daemon; then everything must be there.
func (h *home) healsAlone(t *testing.T, l *ledger, slowest time.Duration) {
	t.Helper()
	begin := time.Now()
	err := eventually(healing, func() error {
		call := l.next()
		out, err := h.hook(call, 0)
		if err != nil || out.exit != 0 {
			return fmt.Errorf("hook: %w, exit %d, %s", err, out.exit, out.said)
		}
		if out.kept() {
			l.promise(call, byClient)
		}
		time.Sleep(300 * time.Millisecond) // a session's pace, or the spool would grow by hundreds
		s, err := h.status()
		if err == nil && s.Spool > 0 {
			err = fmt.Errorf("%d frames wait", s.Spool)
		}
		return err
	})
	if err != nil {
		t.Fatalf("it did not heal: %v", err)
	}
	healed := time.Since(begin)
	r := newReading()
	if err := r.check(h, l); err != nil {
		t.Error(err)
	}
	sent, promised := l.counts()
	t.Logf("%d hooks, %d promised, slowest in trouble %v, healed after %v", sent, promised, slowest.Round(time.Millisecond), healed.Round(time.Second))
	if promised < sent*9/10 {
		t.Errorf("only %d of %d hooks were kept, although the second place has room", promised, sent)
	}
	h.killAll()
}

// A file system that is mounted read-only while no daemon runs: hooks go to the second place, no daemon
// can start, and when it is writable again it heals.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, false) {
		return
	}
	disk := newSmall(t, 64<<20)
	h := newHome(t, bin, filepath.Join(disk.at, "state"))
	l := newLedger()
	h.up(t)
	h.runHooks(t, l, 300*time.Millisecond)
	h.stop(t)
	expect.OK(t, h.quiet())
	disk.change(t, syscall.MS_RDONLY, 64<<20)
	slowest := h.runHooks(t, l, time.Second)
	expect.OK(t, h.quiet())
	disk.change(t, 0, 64<<20)
	h.healsAlone(t, l, slowest)
}

// runHooks runs the load for a while; every hook must exit 0 in time.
func (h *home) runHooks(t *testing.T, l *ledger, while time.Duration) time.Duration {
	t.Helper()
	w := h.load(l, 1000)
	time.Sleep(while) // the load's length
	slowest, err := w.stop()
	if err != nil {
		t.Error(err)
	}
	if slowest > inTime {
		t.Errorf("a hook took %v", slowest)
	}
	return slowest
}

// A disk that fails under a running daemon, in the two ways in which it does: every call gives EIO, or
// the file system turns read-only by itself. Hooks exit 0 in time and wait in the second place; when the
// disk was repaired and mounted again, everything promised is there.
func TestFailingDisk(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, true) {
		return
	}
	d := newDevice(t)
	h := newHome(t, bin, filepath.Join(d.at, "state"))
	l := newLedger()
	for i := range times(2, 10) {
		h.up(t)
		h.runHooks(t, l, 300*time.Millisecond)
		fail, how := d.cut, "EIO"
		if i%2 == 1 {
			fail, how = d.turnReadOnly, "read-only"
		}
		expect.OK(t, fail())
		slowest := h.runHooks(t, l, 1500*time.Millisecond)
		if err := h.quiet(); err != nil {
			t.Error(err)
		}
		h.killAll()
		d.repair(t)
		h.up(t)
		r := newReading()
		if err := r.check(h, l); err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		h.kill(t)
		t.Logf("%s: slowest hook %v, %d events", how, slowest.Round(time.Millisecond), r.last)
	}
}
