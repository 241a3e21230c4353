package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// refuseReads has the files of a folder that match give an error to whoever reads them, as a disk does that cannot: a
// folder stands in the place of each. The function it gives brings them back.
func refuseReads(t *testing.T, pattern string) (mend func()) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	for _, f := range files {
		expect.OK(t, errors.Join(os.Rename(f, f+".away"), os.MkdirAll(filepath.Join(f, "not empty"), 0o700)))
	}
	return func() {
		t.Helper()
		for _, f := range files {
			expect.OK(t, errors.Join(os.RemoveAll(f), os.Rename(f+".away", f)))
		}
	}
}

// A cell that the disk does not give is not taken for one that is new: whoever folds it would begin with nothing.
func TestUnreadCell(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	save(t, s, projector.BucketSnapshot, projector.Cell{Key: "n.v1.a", Value: []byte("folded")})
	save(t, s, projector.BucketSnapshot, projector.Cell{Key: "n.v1.c", Value: []byte("other")})
	s = reopen(t, s)

	mend := refuseReads(t, filepath.Join(s.opts.streamsDir(), "KV_snapshot", "msgs", "*.blk"))
	if got, err := s.Store().Load(t.Context(), projector.BucketSnapshot, "n.v1.a"); err == nil || errors.Is(err, projector.ErrNoCell) {
		t.Errorf("the cell is %q, %v", got, err)
	}
	if _, err := s.Store().Load(t.Context(), projector.BucketSnapshot, "n.v1.b"); !errors.Is(err, projector.ErrNoCell) {
		t.Errorf("the one that was never written: %v", err)
	}
	if err := s.buckets.Scan(t.Context(), projector.BucketSnapshot, "n.v1.", func(string, []byte) error { return nil }); err == nil {
		t.Error("the cells were scanned")
	}

	mend()
	if got, err := s.Store().Load(t.Context(), projector.BucketSnapshot, "n.v1.a"); err != nil || string(got) != "folded" {
		t.Errorf("on a sound disk the cell is %q, %v", got, err)
	}
	if got := scanned(t, s, projector.BucketSnapshot, "n.v1."); len(got) != 2 {
		t.Errorf("on a sound disk there are %v", got)
	}
}

// sealedLog is the log of mixed events, of which no more than the newest are in memory.
func sealedLog(t *testing.T) *Server {
	t.Helper()
	s := open(t, storeDir(t))
	addMixed(t, s)
	closeStore(t, s)
	return open(t, s.opts.Dir)
}

// An event that the disk does not give is an error for whoever asks for it, and no gap in a reading.
func TestUnreadEvent(t *testing.T) {
	s := sealedLog(t)
	st := s.Stream()
	mend := refuseReads(t, filepath.Join(s.opts.msgsDir(), "[23].blk"))
	session := []projector.Selector{{Session: "s-1"}}
	ignore := func(events.Record) error { return nil }
	reads := map[string]func() error{
		"get":          func() error { _, err := st.Get(t.Context(), 20); return err },
		"time":         func() error { _, err := st.SeqAtTime(t.Context(), epoch); return err },
		"many":         func() error { return st.Read(t.Context(), 1, 80, ignore) },
		"many of one":  func() error { return st.Select(t.Context(), 20, 86, session, ignore) },
		"all from one": func() error { return st.Select(t.Context(), 20, 0, session, ignore) },
	}
	for name, read := range reads {
		if err := read(); err == nil || errors.Is(err, ErrNoRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := st.Get(t.Context(), 89); !errors.Is(err, ErrNoRecord) {
		t.Errorf("what was never written: %v", err)
	}

	mend()
	for name, read := range reads {
		if err := read(); err != nil {
			t.Errorf("%s on a sound disk: %v", name, err)
		}
	}
}

// The server passes over an event that is damaged when it looks for those of one session, and the files do not give it.
func TestDamagedEventOfSession(t *testing.T) {
	s := sealedLog(t)
	flipIn(t, filepath.Join(s.opts.msgsDir(), "2.blk"), mixed(19, 8).ID)
	for _, want := range []projector.Selector{{Session: "s-1"}, {Types: []string{mixed(19, 8).Type}}} {
		for _, to := range []uint64{0, 86} {
			err := s.Stream().Select(t.Context(), 1, to, []projector.Selector{want}, func(events.Record) error { return nil })
			var damage *DamageError
			if !errors.As(err, &damage) || damage.FirstSeq != 19 || !s.damaged.Load() {
				t.Errorf("%+v up to %d: %v", want, to, err)
			}
		}
	}
}

// A damaged event is an error of every reading that wants it, after those before it.
func TestDamagedEventOfRange(t *testing.T) {
	s := sealedLog(t)
	flipIn(t, filepath.Join(s.opts.msgsDir(), "3.blk"), mixed(40, 8).ID) // the block has 31 to 45

	for _, c := range []struct {
		from, to, events uint64
		lost             bool
	}{{1, 39, 39, false}, {1, 40, 39, true}, {5, 48, 35, true}, {40, 88, 0, true}, {41, 88, 48, false}} {
		n := uint64(0)
		err := s.Stream().Read(t.Context(), c.from, c.to, func(events.Record) error {
			n++
			return nil
		})
		if errors.Is(err, ErrLogDamaged) != c.lost || !c.lost && err != nil || n != c.events {
			t.Errorf("%d to %d: %d events, %v; want %d", c.from, c.to, n, err, c.events)
		}
	}
}

// flipIn changes a byte behind the words in a file.
func flipIn(t *testing.T, path, words string) {
	t.Helper()
	b := expect.Value(os.ReadFile(path))(t)
	b[bytes.Index(b, []byte(words))+1000] ^= 1
	expect.OK(t, os.WriteFile(path, b, 0o600))
}
