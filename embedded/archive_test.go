package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// A log that never had a complete block is in the archive all the same: its files may be removed after a kill, in the
// first run of a store.
func TestYoungLogIsRestored(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 3)
	s.archive.round()
	add(t, s, 4, 5)
	at := killed(t, dir)
	expect.OK(t, os.RemoveAll(filepath.Join(at, "jetstream")))
	s = open(t, at)
	if f := s.Report().Found; !f.Whole || len(f.Lost) > 0 {
		t.Errorf("found %+v", f)
	}
	wantLog(t, s, 5)
	add(t, s, 6, 6)
}

// The first block is archived while a server appends to it, and checked when it is complete.
func TestArchivedNewestIsCheckedWhenComplete(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 10, 512<<10)
	expect.OK(t, s.Stream().Sync(t.Context(), 10))
	s.archive.round()
	damageMiddle(t, filepath.Join(s.opts.msgsDir(), "1.blk"))
	fill(t, s, 20, 512<<10)
	expect.OK(t, s.Stream().Sync(t.Context(), 30))
	s.archive.round()
	if !s.damaged.Load() {
		t.Error("the damage was not met")
	}
}
