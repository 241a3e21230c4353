package embedded

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// fill appends n events of size bytes that do not compress, in batches, after the log's end.
func fill(t testing.TB, s *Server, n, size int) {
	t.Helper()
	rnd := rand.NewChaCha8([32]byte{1})
	for range n {
		last, _ := s.Stream().Last()
		env := event(last + 1)
		junk := make([]byte, size)
		_, _ = rnd.Read(junk)
		env.Data = append([]byte(`"`), append(junk, '"')...)
		expect.Value(s.Stream().Append(t.Context(), env))(t)
	}
}

func count(t testing.TB, s *Server, from, to uint64) (n uint64) {
	t.Helper()
	prev := uint64(0)
	expect.OK(t, s.Stream().ReadRaw(t.Context(), from, to, func(r events.Record) error {
		if r.Seq <= prev || r.ID != event(r.Seq).ID {
			t.Errorf("sequence %d (%s) after %d", r.Seq, r.ID, prev)
		}
		prev = r.Seq
		n++
		return nil
	}))
	return n
}

func (o Options) eventsDir() string { return filepath.Join(o.streamsDir(), streamName) }

func TestCleanExitSparesTheCheck(t *testing.T) {
	s := filled(t, 60, 512<<10) // 30 MiB: four blocks
	dir := s.opts.Dir

	s = open(t, dir)
	if r := s.Report(); !r.Clean || r.Checked != 1 {
		t.Errorf("after a clean exit: clean %v, %d blocks checked, want 1", r.Clean, r.Checked)
	}
	closeStore(t, s)
	expect.OK(t, os.Remove(filepath.Join(dir, "clean.json")))
	s = open(t, dir)
	if r := s.Report(); r.Clean || r.Checked != 4 {
		t.Errorf("without the marker: clean %v, %d blocks checked, want 4", r.Clean, r.Checked)
	}
	expect.Equal(t, count(t, s, 0, 0), 60, "events, want 60")
	if _, err := os.Stat(filepath.Join(dir, "clean.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the marker is there while the store runs: %v", err)
	}
}

// damageMiddle flips bytes in the middle of a block.
func damageMiddle(t *testing.T, path string) {
	t.Helper()
	b := expect.Value(os.ReadFile(path))(t)
	for i := range 64 {
		b[len(b)/2+i] ^= 0x5a
	}
	expect.OK(t, os.WriteFile(path, b, 0o600))
}

func TestWipedLogIsRestored(t *testing.T) {
	whole := filled(t, 60, 512<<10).opts.Dir
	for name, wipe := range map[string]func(o Options) error{
		"stream": func(o Options) error { return os.RemoveAll(o.eventsDir()) },
		"blocks": func(o Options) error { return os.RemoveAll(o.msgsDir()) },
		"meta":   func(o Options) error { return os.Remove(filepath.Join(o.eventsDir(), "meta.inf")) },
		"one":    func(o Options) error { return os.Remove(filepath.Join(o.msgsDir(), "2.blk")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := killed(t, whole)
			expect.OK(t, wipe(Options{Dir: dir}))
			s := open(t, dir)
			if n := count(t, s, 0, 0); n != 60 {
				t.Errorf("%d events, want 60; report %+v", n, s.Report())
			}
			if err := s.Health(); err != nil {
				t.Error(err)
			}
			fill(t, s, 1, 10)
			if last, _ := s.Stream().Last(); last != 61 {
				t.Errorf("last = %d, want 61", last)
			}
		})
	}
}

// A block that was lost, with its archived copy, and is brought back by hand is read again whole (docs/recovery.md).
func TestBlockBroughtBack(t *testing.T) {
	s := filled(t, 60, 512<<10)
	dir := s.opts.Dir
	live, kept := filepath.Join(s.opts.msgsDir(), "2.blk"), filepath.Join(s.opts.archiveDir(), "2.blk")
	away := filepath.Join(t.TempDir(), "2.blk")
	expect.OK(t, errors.Join(os.Rename(live, away), os.RemoveAll(kept)))
	s = open(t, dir)
	lost := s.Report().Found.Lost
	if len(lost) != 1 || count(t, s, 0, 0) != 60-block.Count(lost) {
		t.Fatalf("lost %v", lost)
	}
	expect.OK(t, s.Recorded())
	closeStore(t, s)

	expect.OK(t, os.Rename(away, live))
	s = open(t, dir)
	for _, from := range []uint64{0, lost[0].First + 2, lost[0].Last + 1} {
		expect.Equal(t, count(t, s, from, 0), 61-max(1, from), "events from", from)
	}
	if f := s.Report().Found; len(f.Lost) > 0 {
		t.Errorf("found %+v", f)
	}
}

// A block that the system refuses to open is no damaged one: the store is not opened, and nothing is moved or lost. A link
// to itself is refused to everybody, root included.
func TestRefusedBlockIsNoDamage(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 5)
	closeStore(t, s)
	path := filepath.Join(s.opts.msgsDir(), "1.blk")
	expect.OK(t, errors.Join(os.RemoveAll(s.opts.archiveDir()), os.Rename(path, path+".kept")))
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, block.ErrDenied) || errors.Is(err, ErrLogDamaged) {
		t.Errorf("open says %v", err)
	}
	expect.OK(t, os.Rename(path+".kept", path))
	s = open(t, dir)
	if n := count(t, s, 1, 5); n != 5 || !s.Report().Found.Empty() {
		t.Errorf("%d of 5 events, found %+v", n, s.Report().Found)
	}
	if err := classify(&fs.PathError{Err: syscall.EACCES}); !errors.Is(err, ErrDenied) {
		t.Errorf("no permission: %v", err)
	}
}

// A file where a folder belongs is told as such, and says nothing of the log.
func TestFileInAFoldersPlace(t *testing.T) {
	for _, place := range []func(Options) string{Options.archiveDir, Options.msgsDir} {
		s := filled(t, 5, 100)
		dir := s.opts.Dir
		path := place(s.opts)
		err := errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		expect.OK(t, err)
		_, err = Open(t.Context(), Options{Dir: dir})
		if !errors.Is(err, ErrMisplaced) || errors.Is(err, ErrLogDamaged) || strings.Count(err.Error(), ErrMisplaced.Error()) != 1 {
			t.Errorf("%s: %v", path, err)
		}
		expect.OK(t, errors.Join(os.Remove(path), os.Rename(path+".away", path)))
		s = open(t, dir)
		if n := count(t, s, 1, 5); n != 5 || !s.Report().Found.Empty() {
			t.Errorf("%s: %d of 5 events, found %+v", path, n, s.Report().Found)
		}
		closeStore(t, s)
	}
}

// A start that is killed right after it made a lost bucket again leaves no position that vouches for what the bucket held.
func TestLostBucketTakesThePositionsWithIt(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 3)
	for bucket, key := range map[string]string{projector.BucketLatest: "identity.p1", projector.BucketSnapshot: "position.identity.v1"} {
		expect.OK(t, s.Store().Save(t.Context(), bucket, []projector.Cell{{Key: key, Value: []byte("{}")}}))
	}
	closeStore(t, s)
	expect.OK(t, os.RemoveAll(filepath.Join(s.opts.streamsDir(), "KV_latest")))

	s = open(t, dir)
	if _, err := s.Store().Load(t.Context(), projector.BucketSnapshot, "position.identity.v1"); !errors.Is(err, projector.ErrNoCell) {
		t.Errorf("the position is still there: %v", err)
	}
	if !strings.Contains(s.Report().BucketsDropped, "bucket latest: the bucket is gone") {
		t.Errorf("dropped: %q", s.Report().BucketsDropped)
	}
	wantLog(t, s, 3)
}
