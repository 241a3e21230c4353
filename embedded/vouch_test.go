package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"hookline/embedded/block"
	"hookline/projector"
)

// cutEnd takes bytes off the end of the log's first block.
func cutEnd(t *testing.T, s *Server, n int64) {
	t.Helper()
	path := filepath.Join(s.opts.msgsDir(), "1.blk")
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-n)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantLost asserts what is to be recorded as lost, and that the next event gets a sequence behind it.
func wantLost(t *testing.T, s *Server, lost []block.Range, next uint64) {
	t.Helper()
	if f := s.Report().Found; !reflect.DeepEqual(f.Lost, lost) || len(f.Torn) != 0 || len(f.ID) != 26 {
		t.Errorf("found %+v, want lost %v", f, lost)
	}
	got, err := s.Stream().Append(t.Context(), event(next))
	if err != nil || got[0].Seq != next {
		t.Errorf("the next event: %+v, %v, want sequence %d", got, err, next)
	}
}

// The end of the newest block is cut off after a clean exit, whose marker vouches for sequence 20: what is missing is
// lost by name, and its sequences are not given to other events.
func TestCutEndAfterCleanExit(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 20, 1000)
	closeStore(t, s)
	cutEnd(t, s, 2800) // of records of some 1,270 bytes

	s = open(t, dir)
	wantLost(t, s, []block.Range{{First: 18, Last: 20}}, 21)
	closeStore(t, s) // without having recorded it

	s = open(t, dir)
	first := s.Report().Found
	if !reflect.DeepEqual(first.Lost, []block.Range{{First: 18, Last: 20}}) {
		t.Errorf("an opener that tells nobody hides %+v", first)
	}
	if err := s.Recorded(); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	s = open(t, dir)
	if f := s.Report().Found; !f.Empty() {
		t.Errorf("told again: %+v", f)
	}
	if last, _ := s.Stream().Last(); last != 21 {
		t.Errorf("last %d, want 21", last)
	}
	closeStore(t, s)
}

// A sealed block that is gone, the first one too, and that no archive has, is lost by name, once: later openings do not
// find it again. When somebody brings it back it is whole.
func TestLostBlockIsToldOnce(t *testing.T) {
	whole := storeDir(t)
	s := open(t, whole)
	fill(t, s, 60, 512<<10) // 30 MiB: four blocks
	closeStore(t, s)
	if err := os.RemoveAll(s.opts.archiveDir()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.blk", "2.blk"} {
		dir := copyOf(t, whole)
		s.opts.Dir = dir
		path := filepath.Join(s.opts.msgsDir(), name)
		content, err := os.ReadFile(path)
		if err = errors.Join(err, os.Remove(path)); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
		lost := s.Report().Found.Lost
		if len(lost) != 1 || lost[0].Last-lost[0].First < 10 || (lost[0].First == 1) != (name == "1.blk") {
			t.Errorf("%s: lost %v", name, lost)
		}
		if err := s.Recorded(); err != nil {
			t.Error(err)
		}
		closeStore(t, s)
		for _, clean := range []bool{true, false} {
			if !clean {
				if err := os.Remove(filepath.Join(dir, block.MarkerFile)); err != nil {
					t.Fatal(err)
				}
			}
			s = open(t, dir)
			if f := s.Report().Found; !f.Empty() {
				t.Errorf("%s: told again: %+v", name, f)
			}
			if n := count(t, s, lost[0].Last+1, 60); n != 60-lost[0].Last {
				t.Errorf("%s: %d events behind the hole, want %d", name, n, 60-lost[0].Last)
			}
			if last, _ := s.Stream().Last(); last != 60 {
				t.Errorf("%s: last %d, want 60", name, last)
			}
			closeStore(t, s)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
		if n := count(t, s, 1, 60); n != 60 {
			t.Errorf("%s: %d of 60 events after it was brought back", name, n)
		}
		closeStore(t, s)
	}
}

// After an exit out of order it is a bucket's position that vouches.
func TestCutEndBehindPosition(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 20, 1000)
	cell := projector.Cell{Key: "position.session.v1", Value: []byte(`{"seq":19,"id":"x"}`)}
	if err := s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell}); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	if err := block.RemoveMarker(dir); err != nil {
		t.Fatal(err)
	}
	cutEnd(t, s, 2800)
	s = open(t, dir)
	wantLost(t, s, []block.Range{{First: 18, Last: 19}}, 20)
	closeStore(t, s)
}

// A log that was put back to an earlier time together with its marker: the buckets, written after it, know that it was longer.
func TestLogOfAnotherTime(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 20, 1000)
	closeStore(t, s)
	old, marker := filepath.Join(t.TempDir(), "EVENTS"), filepath.Join(dir, block.MarkerFile)
	was, err := os.ReadFile(marker)
	if err = errors.Join(err, copyTree(s.opts.eventsDir(), old)); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	fill(t, s, 5, 1000)
	cell := projector.Cell{Key: "position.session.v1", Value: []byte(`{"seq":24,"id":"x"}`)}
	if err := s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell}); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	err = errors.Join(os.RemoveAll(s.opts.archiveDir()), os.RemoveAll(s.opts.eventsDir()), copyTree(old, s.opts.eventsDir()), os.WriteFile(marker, was, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	wantLost(t, s, []block.Range{{First: 21, Last: 24}}, 25)
	closeStore(t, s)
}

// A torn end that nothing vouches for is found, and costs no sequence.
func TestTornEndIsNotLost(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 20, 1000)
	closeStore(t, s)
	if err := block.RemoveMarker(dir); err != nil {
		t.Fatal(err)
	}
	cutEnd(t, s, 100)
	s = open(t, dir)
	f := s.Report().Found
	if len(f.Lost) != 0 || !reflect.DeepEqual(f.Torn, []block.Range{{First: 20, Last: 20}}) || len(f.Damage) != 1 {
		t.Errorf("found %+v", f)
	}
	if got, err := s.Stream().Append(t.Context(), event(20)); err != nil || got[0].Seq != 20 {
		t.Errorf("%+v, %v", got, err)
	}
	closeStore(t, s)
}

// A log of which nothing is left is not begun anew unasked; with consent it begins behind what it had.
func TestGoneLog(t *testing.T) {
	for _, what := range []string{"marker", "position", "emptied"} {
		t.Run(what, func(t *testing.T) {
			dir := storeDir(t)
			s := open(t, dir)
			fill(t, s, 20, 100)
			cell := projector.Cell{Key: "position.session.v1", Value: []byte(`{"seq":20,"id":"x"}`)}
			if err := s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell}); err != nil {
				t.Fatal(err)
			}
			closeStore(t, s)
			err := os.RemoveAll(s.opts.archiveDir())
			switch what {
			case "emptied":
				err = errors.Join(err, os.Truncate(filepath.Join(s.opts.msgsDir(), "1.blk"), 0))
			case "position":
				err = errors.Join(err, os.RemoveAll(s.opts.eventsDir()), block.RemoveMarker(dir))
			default:
				err = errors.Join(err, os.RemoveAll(s.opts.eventsDir()))
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err := Open(t.Context(), Options{Dir: dir})
				var damage *DamageError
				if !errors.Is(err, ErrLogGone) || !errors.Is(err, ErrLogDamaged) || !errors.As(err, &damage) || damage.FirstSeq != 1 || damage.LastSeq != 20 {
					t.Fatalf("opening: %v", err)
				}
			}
			s, err = Open(t.Context(), Options{Dir: dir, Renew: true})
			if err != nil {
				t.Fatal(err)
			}
			if f := s.Report().Found; !f.Renewed || len(f.SetAside) != 1 {
				t.Errorf("found %+v", f)
			}
			wantLost(t, s, []block.Range{{First: 1, Last: 20}}, 21)
			closeStore(t, s)
			s = open(t, dir)
			if last, id := s.Stream().Last(); last != 21 || id != event(21).ID {
				t.Errorf("last %d %s", last, id)
			}
			closeStore(t, s)
		})
	}
}

// The newest block is emptied, and the archive is gone: what was in that block is lost, no more.
func TestEmptiedNewestBlock(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 40, 512<<10) // 20 MiB: three blocks
	closeStore(t, s)
	sealed, err := block.Check(s.opts.msgsDir(), block.Options{Stream: streamName})
	if err != nil || len(sealed.Blocks) != 3 {
		t.Fatalf("%+v, %v", sealed, err)
	}
	if err := errors.Join(os.RemoveAll(s.opts.archiveDir()), os.Truncate(filepath.Join(s.opts.msgsDir(), "3.blk"), 0)); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	wantLost(t, s, []block.Range{{First: sealed.Blocks[1].Last + 1, Last: 40}}, 41)
	closeStore(t, s)
}

// A look finds what an opening would find, and changes nothing.
func TestLook(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 40, 512<<10) // 20 MiB: three blocks
	if _, err := Look(Options{Dir: dir}); !errors.Is(err, ErrLocked) {
		t.Errorf("a store in use: %v", err)
	}
	closeStore(t, s)
	if rep, err := Look(Options{Dir: dir}); err != nil || !rep.Found.Empty() {
		t.Errorf("a sound store: %+v, %v", rep, err)
	}

	damageMiddle(t, filepath.Join(s.opts.msgsDir(), "2.blk"))
	cutNewest(t, s)
	before := t.TempDir()
	if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	rep, err := Look(Options{Dir: dir})
	if err != nil || len(rep.Found.Lost) != 2 {
		t.Errorf("found %+v, %v", rep.Found, err)
	}
	for _, name := range []string{"1.blk", "2.blk", "3.blk"} {
		was, errWas := os.ReadFile(filepath.Join(Options{Dir: before}.msgsDir(), name))
		is, errIs := os.ReadFile(filepath.Join(s.opts.msgsDir(), name))
		if errors.Join(errWas, errIs) != nil || string(was) != string(is) {
			t.Errorf("%s has changed: %v %v", name, errWas, errIs)
		}
	}
	if err := block.Distrust(dir); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if got := s.Report().Found.Lost; !reflect.DeepEqual(got, rep.Found.Lost) {
		t.Errorf("the opening lost %v, the look %v", got, rep.Found.Lost)
	}
	closeStore(t, s)
}

// cutNewest takes the newest block's last bytes away.
func cutNewest(t *testing.T, s *Server) {
	t.Helper()
	blocks, err := block.List(s.opts.msgsDir())
	if err != nil {
		t.Fatal(err)
	}
	newest := blocks[len(blocks)-1]
	if err := os.Truncate(filepath.Join(s.opts.msgsDir(), newest.Name), newest.Size-100); err != nil {
		t.Fatal(err)
	}
}

// Nothing but the marker, or the archive, is left of a store: a look says so.
func TestLookAtGoneLog(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 20, 100)
	closeStore(t, s)
	if _, err := block.Archive(s.opts.msgsDir(), s.opts.archiveDir(), false); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.opts.jetstreamDir()); err != nil {
		t.Fatal(err)
	}
	if rep, err := Look(Options{Dir: dir}); err != nil || !rep.Found.Whole {
		t.Errorf("found %+v, %v", rep.Found, err)
	}
	if err := os.RemoveAll(s.opts.archiveDir()); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	if _, err := Look(Options{Dir: dir}); !errors.Is(err, ErrLogGone) || !errors.As(err, &damage) || damage.FirstSeq != 1 || damage.LastSeq != 20 {
		t.Error(err)
	}
}

// A store that was killed before anything vouched for its log, and whose log and archive were removed, says that there
// was one as long as its large contents are there.
func TestForgottenLog(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	if _, err := s.Blobs().Put([]byte("a large string")); err != nil {
		t.Fatal(err)
	}
	add(t, s, 1, 3)
	at := killed(t, dir)
	for _, gone := range []string{"jetstream", "archive"} {
		if err := os.RemoveAll(filepath.Join(at, gone)); err != nil {
			t.Fatal(err)
		}
	}
	for _, recorded := range []bool{false, true} {
		s = open(t, at)
		if f := s.Report().Found; !f.Forgot || f.Renewed || f.Whole || len(f.Lost) > 0 || len(f.ID) != 26 {
			t.Errorf("found %+v", f)
		}
		if recorded {
			add(t, s, 1, 1)
			if err := s.Recorded(); err != nil {
				t.Fatal(err)
			}
		}
		closeStore(t, s)
	}
	s = open(t, at)
	if f := s.Report().Found; !f.Empty() {
		t.Errorf("found again: %+v", f)
	}
	wantLog(t, s, 1)
}

// A store that is removed whole while it is in use is noticed, and no new log begins by itself: what lies beside it knows
// that there was one. Whoever wants a new one gets it behind the old one's sequences.
func TestRemovedStore(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 5)
	if err := s.Stream().Sync(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	s.noteLog() // the archiver does, once a minute and with each new block
	if seen := LogSeen(s.opts.Lock); seen != 5 {
		t.Fatalf("noted %d", seen)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Health(); !errors.Is(err, ErrLogGone) {
		t.Errorf("in use: %v", err)
	}
	closeBroken(t, s)

	var damage *DamageError
	_, err := Open(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrLogGone) || !errors.As(err, &damage) || damage.LastSeq != 5 {
		t.Errorf("the next start: %v", err)
	}
	if _, err := Look(Options{Dir: dir}); !errors.Is(err, ErrLogGone) {
		t.Errorf("a look: %v", err)
	}
	s, err = Open(t.Context(), Options{Dir: dir, Renew: true})
	if err != nil {
		t.Fatal(err)
	}
	wantLost(t, s, []block.Range{{First: 1, Last: 5}}, 6)
	closeStore(t, s)
}

// closeBroken closes a store that cannot be closed in order.
func closeBroken(t *testing.T, s *Server) {
	t.Helper()
	_ = s.Close(t.Context())
	if exists(filepath.Join(s.opts.Dir, block.MarkerFile)) {
		t.Error("the exit vouches for a log that is gone")
	}
}
