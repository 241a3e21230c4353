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
