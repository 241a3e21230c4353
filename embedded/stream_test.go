package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// eventually polls a condition; it fails the test after thirty seconds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within thirty seconds: %s", what)
		}
	}
}

func TestAppendDuplicate(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 3)
	first, err := s.Stream().Append(t.Context(), event(2))
	if err != nil || first[0].Seq != 2 || !first[0].Duplicate {
		t.Fatalf("the same id again: %+v, %v; want a duplicate of 2", first, err)
	}
	rec, err := s.Stream().Get(t.Context(), 2)
	if err != nil || rec.ID != event(2).ID || rec.Appended.IsZero() {
		t.Errorf("%+v: %v", rec, err)
	}
	if seq, id := s.Stream().Last(); seq != 3 || id != event(3).ID {
		t.Errorf("last = %d %s", seq, id)
	}
	wantLog(t, s, 3)
	s = reopen(t, s)
	if r, err := s.Stream().Append(t.Context(), event(3)); err != nil || !r[0].Duplicate || r[0].Seq != 3 {
		t.Errorf("the same id after a restart: %+v, %v", r, err)
	}
}

// Events that do not belong together are appended each for itself: those that the log has are told as such.
func TestAppendEach(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 3)
	many := []events.Envelope{event(4), event(2)}
	for n := uint64(5); n <= 2*maxUnderWay; n++ {
		many = append(many, event(n))
	}
	r, err := s.Stream().AppendEach(t.Context(), many...)
	if err != nil || len(r) != len(many) || r[0] != (Receipt{Seq: 4}) || r[1] != (Receipt{2, true}) || r[len(r)-1] != (Receipt{Seq: 2 * maxUnderWay}) {
		t.Fatalf("%d receipts, %v", len(r), err)
	}
	wantLog(t, s, 2*maxUnderWay)
	if r, err = s.Stream().Append(t.Context(), many...); err != nil || !r[0].Duplicate || !r[len(r)-1].Duplicate {
		t.Errorf("more than a group, again: %v", err)
	}
	wantLog(t, s, 2*maxUnderWay)
}

func TestBadEnvelopes(t *testing.T) {
	s := open(t, storeDir(t))
	large := event(1)
	large.Data = incompressible(strings.Repeat("0", 9<<20), 1)
	for name, c := range map[string]struct {
		env  events.Envelope
		want error
	}{
		"no id": {events.Envelope{Type: "a.b"}, ErrBadEnvelope}, "no type": {events.Envelope{ID: "1"}, ErrBadEnvelope},
		"newline":      {events.Envelope{ID: "1\r\nNats-Rollup: all", Type: "a.b"}, ErrBadEnvelope},
		"long subject": {events.Envelope{ID: "1", Type: "a.b", Session: strings.Repeat("ü", 2000)}, ErrBadEnvelope},
		"too large":    {large, ErrTooLarge},
	} {
		if _, err := s.Stream().Append(t.Context(), c.env); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if r, err := s.Stream().Append(t.Context()); err != nil || len(r) != 0 {
		t.Errorf("no events: %v, %v", r, err)
	}
}

// TestReadRanges reads across sealed blocks and the newest one, with every kind of border.
func TestReadRanges(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 70, 256<<10)
	fill(t, s, 100, 100)
	for _, c := range []struct{ from, to, want uint64 }{
		{0, 0, 170}, {1, 1, 1}, {31, 33, 3}, {60, 0, 111}, {170, 0, 1}, {171, 0, 0}, {5, 4, 0}, {160, 5000, 11}, {65, 169, 105},
	} {
		expect.Equal(t, count(t, s, c.from, c.to), c.want, "events from", c.from, "to", c.to)
	}
	ids := map[string]struct{}{event(2).ID: {}, event(40).ID: {}, event(169).ID: {}, "never": {}}
	for from, want := range map[uint64]int{0: 3, 41: 1} {
		got, err := s.Stream().FindIDs(t.Context(), from, ids)
		if err != nil || len(got) != want || got[event(169).ID] != 169 {
			t.Errorf("found from %d: %v, %v", from, got, err)
		}
	}
	for _, seq := range []uint64{1, 7, 20, 169, 170} { // what was erased is passed over
		expect.OK(t, s.stream.handle.SecureDeleteMsg(t.Context(), seq))
	}
	for _, c := range []struct{ from, to, want uint64 }{{0, 0, 165}, {5, 9, 4}, {160, 170, 9}} {
		expect.Equal(t, count(t, s, c.from, c.to), c.want, "events from", c.from, "to", c.to)
	}
}

func TestReadEndsEarly(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 600, 10)
	mine := errors.New("mine")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, want := range []error{mine, context.Canceled} {
		err := s.Stream().Read(ctx, 0, 0, func(r events.Record) error {
			if errors.Is(want, mine) {
				return mine
			}
			cancel()
			return nil
		})
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// TestSyncWhileBlocksRoll has writers that sync each append while blocks are sealed under them, and
// looks at what the syncer brought to disk: every block, whichever was the newest at the time.
func TestSyncWhileBlocksRoll(t *testing.T) {
	s := open(t, storeDir(t))
	junk := strings.Repeat("0", 100<<10)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 40 {
				env := event(uint64(w*1000 + i))
				env.Data = incompressible(junk, uint64(w*1000+i))
				r, err := s.Stream().Append(t.Context(), env)
				if err == nil {
					err = s.Stream().Sync(t.Context(), r[0].Seq)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	names, err := block.Numbers(s.opts.msgsDir())
	if err != nil || len(names) < 3 {
		t.Fatalf("blocks %v, %v; want at least 3", names, err)
	}
	y := s.stream.sync
	y.stop()
	if last, _ := s.Stream().Last(); y.durable != last || y.newest != names[len(names)-1] {
		t.Errorf("durable to %d of %d, newest block %d of %v", y.durable, last, y.newest, names)
	}
}

func TestAlwaysMode(t *testing.T) {
	s := expect.Value(Open(t.Context(), Options{Dir: storeDir(t), Always: true}))(t)
	defer closeStore(t, s)
	add(t, s, 1, 5)
	wantLog(t, s, 5)
	free, total, err := s.Free()
	if err != nil || free <= 0 || total < free {
		t.Errorf("free %d of %d, %v", free, total, err)
	}
}

// TestBucketsStaySmall overwrites cells as the write-behind does and looks at the files.
func TestBucketsStaySmall(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	value := func(i, r int) []byte { return incompressible(strings.Repeat("0", 4<<10), uint64(i*1000+r)) }
	for r := range 100 {
		for i := range 10 {
			cells := []projector.Cell{{Key: fmt.Sprintf("identity.v1.%d", i), Value: value(i, r)}, {Key: "position", Value: []byte(fmt.Sprint(r))}}
			expect.OK(t, s.Store().Save(t.Context(), projector.BucketSnapshot, cells))
		}
	}
	closeStore(t, s)
	after := int64(0)
	for _, b := range expect.Value(block.List(filepath.Join(s.opts.streamsDir(), "KV_snapshot", "msgs")))(t) {
		after += b.Size
	}
	if after > 64<<10 {
		t.Errorf("%d bytes after the close; want at most 64 KiB for 40 KiB of cells", after)
	}
	s = open(t, dir)
	for i := range 10 {
		got, err := s.Store().Load(t.Context(), projector.BucketSnapshot, fmt.Sprintf("identity.v1.%d", i))
		if err != nil || string(got) != string(value(i, 99)) {
			t.Errorf("cell %d after compaction: %d bytes, %v", i, len(got), err)
		}
	}
}
