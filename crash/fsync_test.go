//go:build linux

package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// starving is an ext4 whose free blocks can be made to refuse what is written to them. The kernel then
// takes a write into its memory, fails to bring it to the disk, tells the next fsync, and goes on showing
// the file as it was written: of a second fsync it says that all is well.
type starving struct {
	*device
	under *small // what the image lies on: without room a hole of the image cannot be filled
}

// starvingSize is the size of the image in bytes; all of it takes space.
const starvingSize = 64 << 20

func newStarving(t *testing.T) starving {
	t.Helper()
	under := newSmall(t, starvingSize+1<<20)
	d := &device{image: filepath.Join(under.at, "image"), at: filepath.Join(t.TempDir(), "disk")}
	t.Cleanup(func() { _ = syscall.Unmount(d.at, syscall.MNT_DETACH) }) // it may not be mounted at the moment
	image, err := os.Create(d.image)
	if err == nil {
		err = errors.Join(image.Truncate(starvingSize), image.Close(), os.Mkdir(d.at, 0o700))
	}
	expect.OK(t, err)
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0", d.image).CombinedOutput(); err != nil {
		cannot(t, "mkfs.ext4: %v %s", err, out)
	}
	content, err := os.ReadFile(d.image)
	if err == nil {
		err = os.WriteFile(d.image, content, 0o600) // no hole is left where the file system keeps its own
	}
	expect.OK(t, err)
	d.mount(t)
	s := starving{d, under}
	s.single(t)
	return s
}

// single makes a request of each page that is written: of a request that was written in part a loop device says that
// all of it was. It is to be called after each mount.
func (s starving) single(t *testing.T) {
	t.Helper()
	source, err := exec.Command("findmnt", "-n", "-o", "SOURCE", s.at).Output()
	if err == nil {
		name := filepath.Base(strings.TrimSpace(string(source)))
		err = os.WriteFile(filepath.Join("/sys/block", name, "queue/max_sectors_kb"), []byte("4"), 0)
	}
	if err != nil {
		cannot(t, "the loop device's requests: %v", err)
	}
}

// starve makes every block that is free now refuse what is written to it.
func (s starving) starve(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("fsfreeze", "--freeze", s.at).CombinedOutput(); err != nil { // what is free stands in the journal only, else
		cannot(t, "fsfreeze: %v %s", err, out)
	}
	out, err := exec.Command("dumpe2fs", s.image).Output()
	if err != nil {
		err = fmt.Errorf("dumpe2fs: %w", err)
	}
	if thawed, thawErr := exec.Command("fsfreeze", "--unfreeze", s.at).CombinedOutput(); err != nil || thawErr != nil {
		cannot(t, "%v; thaw: %v %s", err, thawErr, thawed)
	}
	image, err := os.OpenFile(s.image, os.O_RDWR, 0)
	expect.OK(t, err)
	defer image.Close()
	for line := range strings.Lines(string(out)) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "Free blocks: ")
		if !ok || !strings.HasPrefix(line, " ") { // the file system's sum stands without indentation
			continue
		}
		for _, run := range strings.Split(list, ", ") {
			var first, last int64
			if n, _ := fmt.Sscanf(run, "%d-%d", &first, &last); n == 1 {
				last = first
			}
			expect.OK(t, unix.Fallocate(int(image.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, first*4096, (last-first+1)*4096))
		}
	}
	var used unix.Stat_t
	expect.OK(t, unix.Fstat(int(image.Fd()), &used))
	s.under.change(t, 0, int(used.Blocks*512))
}

// feed makes the disk sound again.
func (s starving) feed(t *testing.T) {
	t.Helper()
	s.under.change(t, 0, starvingSize+1<<20)
}

// control proves that this kernel fails the first fsync, not the second, and shows what the disk does not have; and that
// whoever had the file open is told of the failure, too, but nobody who opens it later.
func (s starving) control(t *testing.T) {
	t.Helper()
	path := filepath.Join(s.at, "control")
	s.starve(t)
	file := expect.Value(os.Create(path))(t)
	defer file.Close()
	earlier := expect.Value(os.Open(path))(t)
	defer earlier.Close()
	expect.Value(file.WriteString("shown"))(t)
	if err := file.Sync(); !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.ENOSPC) {
		cannot(t, "the first fsync: %v, want EIO", err)
	}
	later := expect.Value(os.Open(path))(t)
	defer later.Close()
	if e, l := earlier.Sync(), later.Sync(); e == nil || l != nil {
		cannot(t, "the fsyncs of others: %v and %v, want that of the first to fail", e, l)
	}
	s.feed(t)
	if err := file.Sync(); err != nil {
		cannot(t, "the second fsync: %v, want none", err)
	}
	if got, err := os.ReadFile(path); string(got) != "shown" {
		cannot(t, "the file is %q, %v", got, err)
	}
	expect.OK(t, unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
	if got, err := os.ReadFile(path); string(got) == "shown" {
		cannot(t, "the file is on the disk all the same, %v", err)
	}
}

// TestFailedFsync: the disk refuses what the log has written, and is sound again a moment later. Whoever sends the
// frames again, which were not answered, is promised nothing that only the kernel's memory has: the power is cut then.
func TestFailedFsync(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, true) {
		return
	}
	private(t)
	d := newStarving(t)
	d.control(t)
	h, l := newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
	for range times(2, 20) {
		p, _ := h.up(t)
		if _, refused := h.frames(l, 20); len(refused) > 0 {
			t.Fatal("no answer from a sound disk")
		}
		d.starve(t)
		calls, refused := h.frames(l, 100)
		if len(refused) == 0 {
			t.Fatal("every frame was answered, though the disk refuses what is written")
		}
		if err := eventually(within, func() error {
			if p.alive() {
				return errNotYet
			}
			return nil
		}); err != nil {
			t.Error("the daemon goes on after a failed fsync")
		}
		d.feed(t)
		h.up(t)
		if s, err := h.status(); err != nil || len(s.Damage) == 0 || !strings.Contains(strings.Join(s.Damage, "\n"), "the disk refused what was written (") {
			t.Errorf("status says %q, %v; nothing of the refusal", s.Damage, err)
		}
		for _, f := range refused {
			if _, err := wire.Do(time.Now().Add(within), h.socket(), "PostToolUse", f); err != nil {
				t.Errorf("a frame that comes again to a sound disk: %v", err)
			}
			l.promise(calls[f.ID], byDaemon)
		}
		expect.OK(t, d.cut())
		h.killAll()
		expect.OK(t, d.unmount())
		d.mount(t)
		d.single(t)
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
		if _, err := wire.Do(time.Now().Add(within), h.socket(), "PostToolUse", f); err != nil {
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
