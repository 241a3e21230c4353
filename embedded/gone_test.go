package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"hookline/embedded/block"
	"hookline/expect"
	"hookline/projector"
)

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

// The log's end is missing: what an exit in order or the lock file vouches for is lost by name, the rest is free.
func TestEndThatIsVouchedFor(t *testing.T) {
	for name, c := range map[string]struct {
		noted      uint64 // in the lock file
		marker     bool
		lost, torn []block.Range
	}{
		"by the lock file": {noted: 19, lost: []block.Range{{First: 18, Last: 19}}},
		"by nothing":       {torn: []block.Range{{First: 18, Last: 18}}},
		"by the marker":    {noted: 12, marker: true, lost: []block.Range{{First: 18, Last: 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t, 20, 1000)
			dir := s.opts.Dir
			expect.OK(t, os.WriteFile(s.opts.lockPath(), fmt.Appendf(nil, "1\nx\nlog %d\n", c.noted), 0o600))
			if !c.marker {
				expect.OK(t, block.RemoveMarker(dir))
			}
			expect.OK(t, shorten(filepath.Join(s.opts.msgsDir(), "1.blk"), 2800)) // of records of some 1,270 bytes

			look, err := Look(Options{Dir: dir})
			if err != nil || !reflect.DeepEqual(look.Found.Lost, c.lost) || !reflect.DeepEqual(look.Found.Torn, c.torn) {
				t.Errorf("a look finds %+v, %v", look.Found, err)
			}
			s = open(t, dir)
			if f := s.Report().Found; !reflect.DeepEqual(f.Lost, c.lost) || !reflect.DeepEqual(f.Torn, c.torn) {
				t.Errorf("found %+v", f)
			}
			next := uint64(18)
			if c.lost != nil {
				next = c.lost[0].Last + 1
			}
			if got, err := s.Stream().Append(t.Context(), event(next)); err != nil || got[0].Seq != next {
				t.Errorf("the next event: %+v, %v, want sequence %d", got, err, next)
			}
			closeStore(t, s) // without having recorded it

			s = open(t, dir)
			if f := s.Report().Found; !reflect.DeepEqual(f.Lost, c.lost) {
				t.Errorf("an opener that tells nobody hides %+v", f)
			}
			expect.OK(t, s.Recorded())
			s = reopen(t, s)
			if f := s.Report().Found; !f.Empty() {
				t.Errorf("told again: %+v", f)
			}
		})
	}
}

// wantGone fails unless an opening and a look say that a log is gone, and how far it had come.
func wantGone(t *testing.T, dir string, last uint64) {
	t.Helper()
	if _, err := Look(Options{Dir: dir}); !errors.Is(err, ErrLogGone) {
		t.Errorf("a look: %v", err)
	}
	_, err := Open(t.Context(), Options{Dir: dir})
	var damage *DamageError
	if !errors.Is(err, ErrLogGone) || !errors.Is(err, ErrLogDamaged) || !errors.As(err, &damage) || damage.FirstSeq != 1 || damage.LastSeq != last {
		t.Errorf("opening: %v", err)
	}
}

// A log of which nothing is left is not begun anew unasked; with consent it begins behind what it had.
func TestGoneLog(t *testing.T) {
	for _, what := range []string{"marker", "lock file", "emptied"} {
		t.Run(what, func(t *testing.T) {
			s := filled(t, 20, 100)
			dir := s.opts.Dir
			err := os.RemoveAll(s.opts.archiveDir())
			switch what {
			case "emptied":
				err = errors.Join(err, os.Truncate(filepath.Join(s.opts.msgsDir(), "1.blk"), 0))
			case "lock file":
				err = errors.Join(err, os.RemoveAll(s.opts.eventsDir()), block.RemoveMarker(dir))
			default:
				err = errors.Join(err, os.RemoveAll(s.opts.eventsDir()))
			}
			expect.OK(t, err)
			for range 2 {
				wantGone(t, dir, 20)
			}
			s, err = Open(t.Context(), Options{Dir: dir, Renew: true})
			expect.OK(t, err)
			if f := s.Report().Found; len(f.Did) != 2 || f.EndUnknown {
				t.Errorf("found %+v", f)
			}
			wantLost(t, s, []block.Range{{First: 1, Last: 20}}, 21)
			if info, err := os.Stat(filepath.Join(dir, "aside")); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("what is set aside: %v, %v", info, err)
			}
			s = reopen(t, s)
			if last, id := s.Stream().Last(); last != 21 || id != event(21).ID {
				t.Errorf("last %d %s", last, id)
			}
		})
	}
}

// A store that is removed whole while it is in use is noticed, and no new log begins by itself: what lies beside it knows
// that there was one. Whoever wants a new one gets it behind the old one's sequences.
func TestRemovedStore(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 5)
	expect.OK(t, s.Stream().Sync(t.Context(), 5))
	cell := projector.Cell{Key: "position.session.v1", Value: []byte(`{"seq":5,"id":"x"}`)}
	expect.OK(t, s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell}))
	expect.EqualNow(t, LogSeen(s.opts.lockPath()), 5, "noted")
	eventually(t, "the store is removed, whatever the server writes meanwhile", func() bool { return os.RemoveAll(dir) == nil })
	if err := s.Health(); !errors.Is(err, ErrLogGone) {
		t.Errorf("in use: %v", err)
	}
	_ = s.Close(t.Context())
	if exists(filepath.Join(s.opts.Dir, block.MarkerFile)) {
		t.Error("the exit vouches for a log that is gone")
	}

	wantGone(t, dir, 5)
	s = expect.Value(Open(t.Context(), Options{Dir: dir, Renew: true}))(t)
	wantLost(t, s, []block.Range{{First: 1, Last: 5}}, 6)
}
