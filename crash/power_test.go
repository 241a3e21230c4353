//go:build linux

package crash

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// A power cut is an ext4 that is shut down without its log (the ioctl that xfstests uses for the same
// purpose): at one moment, dirty pages and the journal in memory are cut off from the device for good,
// and the next mount recovers from what the device has.
//
// It proves that everything acknowledged was fsynced with the folders on the way to it, and that what
// was half written then is coped with. It does not prove anything of a device that lies: what the file
// system had flushed counts as stored, so a disk that loses its cache in spite of a flush, and torn
// sectors, are not in it. What counts is what was promised before the cut: a real one ends the machine,
// here processes live on, and an fsync that is under way may return without an error although the
// journal has just been given up: jbd2 does not wait for a transaction that is neither running nor
// committing any more. (A bare loop of write and fsync, Linux 6.18: 60 such answers in 728 cuts, and
// nothing lost of what was answered before the cut.) Control, before each use: a file that was written and not synced must be gone
// or empty, else the method would prove nothing on this kernel.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, true) {
		return
	}
	d := newDevice(t)
	d.control(t)
	for range times(2, 20) {
		d.format(t)
		h := newHome(t, bin, filepath.Join(d.at, "state"))
		l := newLedger()
		h.losePower(t, d, l, 1500*time.Millisecond) // a new store: its own files are the youngest
	}
	d.format(t) // a ledger begins to number its hooks anew
	h, l := newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
	for i := range times(3, 20) {
		h.losePower(t, d, l, time.Duration(times(700, 4000))*time.Millisecond) // each time an older store
		if i%3 == 2 {
			h.up(t)
			h.stop(t) // and now and then one that was closed in order
		}
	}
}

// control proves that this kernel's shutdown drops what was not synced and keeps what was.
func (d *device) control(t *testing.T) {
	t.Helper()
	synced, lazy := filepath.Join(d.at, "synced"), filepath.Join(d.at, "lazy")
	file, err := os.Create(synced)
	if err == nil {
		_, err = file.WriteString("kept")
		err = errors.Join(err, file.Sync(), file.Close(), syncFolder(d.at), os.WriteFile(lazy, []byte("lost"), 0o600))
	}
	expect.OK(t, err)
	if err := d.cut(); err != nil {
		cannot(t, "%v", err)
	}
	if err := os.WriteFile(lazy, nil, 0o600); !errors.Is(err, syscall.EIO) {
		t.Fatalf("a file system without power: %v, want EIO", err)
	}
	expect.OK(t, d.unmount())
	d.mount(t)
	if got, err := os.ReadFile(synced); err != nil || string(got) != "kept" {
		t.Fatalf("the synced file: %q, %v", got, err)
	}
	if got, _ := os.ReadFile(lazy); len(got) != 0 {
		t.Fatalf("what was not synced survived: %q; the method proves nothing here", got)
	}
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// losePower cuts the power at a random moment under load, and holds the next start against what was
// promised until then.
func (h *home) losePower(t *testing.T, d *device, l *ledger, within time.Duration) {
	t.Helper()
	h.serve(t)
	w := h.load(l, rand.IntN(2)*4000)
	pause(within)
	promised := l.untilNow()
	expect.OK(t, d.cut())
	if _, err := w.stop(); err != nil {
		t.Error(err)
	}
	l.only(promised)
	if err := h.quiet(); err != nil {
		t.Error(err)
	}
	h.killAll()
	expect.OK(t, d.unmount())
	d.mount(t)
	_, took := h.up(t)
	r := newReading()
	expect.OK(t, r.check(h, l))
	t.Logf("%d promised, %d events, start after the cut %v", len(promised), r.last, took.Round(time.Millisecond))
	h.kill(t)
}
