package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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
	closeStore(t, s)
	s = open(t, s.opts.Dir)
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
	fill(t, s, 100, 100) // the newest block: more than is fetched one by one
	for _, c := range []struct{ from, to, want uint64 }{
		{0, 0, 170}, {1, 170, 170}, {1, 1, 1}, {31, 33, 3}, {32, 32, 1}, {60, 0, 111}, {170, 0, 1}, {171, 0, 0}, {5, 4, 0},
		{160, 5000, 11}, {1, 69, 69}, {65, 169, 105},
	} {
		if n := count(t, s, c.from, c.to); n != c.want {
			t.Errorf("read %d to %d: %d events, want %d", c.from, c.to, n, c.want)
		}
	}
}

func TestReadEndsEarly(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 50, 256<<10)
	fill(t, s, 600, 10)
	mine := errors.New("mine")
	n := 0
	err := s.Stream().Read(t.Context(), 0, 0, func(events.Record) error {
		if n++; n == 7 {
			return mine
		}
		return nil
	})
	if !errors.Is(err, mine) || n != 7 {
		t.Errorf("%v after %d events, want mine after 7", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = s.Stream().Read(ctx, 0, 0, func(r events.Record) error {
		if r.Seq == 600 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled read: %v", err)
	}
}

// A reading of a few asks the server, one of many reads the files: both pass over what was erased.
func TestReadPassesErasedEvents(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 40, 512<<10)
	fill(t, s, 50, 10)
	for _, seq := range []uint64{1, 7, 20, 89, 90} {
		expect.OK(t, s.stream.handle.SecureDeleteMsg(t.Context(), seq))
	}
	for _, c := range []struct{ from, to, want uint64 }{{0, 0, 85}, {5, 9, 4}, {80, 90, 9}} {
		expect.Equal(t, count(t, s, c.from, c.to), c.want, "events from", c.from, "to", c.to)
	}
}

func TestFindIDs(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 40, 512<<10)
	fill(t, s, 60, 10)
	ids := map[string]struct{}{event(2).ID: {}, event(40).ID: {}, event(99).ID: {}, "never": {}}
	got, err := s.Stream().FindIDs(t.Context(), 0, ids)
	if err != nil || len(got) != 3 || got[event(2).ID] != 2 || got[event(40).ID] != 40 || got[event(99).ID] != 99 {
		t.Errorf("found %v, %v", got, err)
	}
	got, err = s.Stream().FindIDs(t.Context(), 41, ids)
	if err != nil || len(got) != 1 || got[event(99).ID] != 99 {
		t.Errorf("found from 41: %v, %v", got, err)
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

// TestSyncerCoversEveryBlock drives the syncer over files alone.
func TestSyncerCoversEveryBlock(t *testing.T) {
	dir := t.TempDir()
	touch := func(n int) {
		expect.OK(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.blk", n)), []byte("x"), 0o600))
	}
	rolls, refused := 0, 0
	y := newSyncer(dir, 0, func() { rolls++ }, func(error) { refused++ })
	touch(1)
	for seq, newest := range []int{1, 1, 4, 5} {
		for n := 1; n <= newest; n++ {
			touch(n)
		}
		expect.OK(t, y.wait(t.Context(), uint64(seq+1)))
		expect.Equal(t, y.newest, newest, "newest")
	}
	if rolls != 3 {
		t.Errorf("%d rolls, want 3", rolls)
	}
	expect.OK(t, os.RemoveAll(dir))
	if err := y.wait(t.Context(), 4); err != nil {
		t.Errorf("what is on disk already: %v", err)
	}
	for range 2 { // the failure stays
		if err := y.wait(t.Context(), 5); !errors.Is(err, ErrWriteStuck) {
			t.Errorf("sync without files: %v, want ErrWriteStuck", err)
		}
	}
	y.stop()
	if refused != 1 {
		t.Errorf("the failure was told %d times, want 1", refused)
	}
}

// While a block is being synced the server fills it and begins the next. What it wrote into the first is on disk before
// anybody is told so, and before the first is given up for the next.
func TestSyncerLeavesNoBlockUnfinished(t *testing.T) {
	dir := t.TempDir()
	add := func(n int) {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%d.blk", n)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString("x")
			err = errors.Join(err, f.Close())
		}
		expect.OK(t, err)
	}
	y := newSyncer(dir, 0, func() {}, func(err error) { t.Error(err) })
	defer y.stop()
	synced := map[int]int64{} // sizes by block
	beside := func() {}       // what the server does while a block is synced
	y.toDisk = func(n int, path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		synced[n] = info.Size()
		beside()
		beside = func() {}
		return nil
	}
	add(1)
	y.newest = 1
	beside = func() {
		add(1)
		add(2)
	}
	for seq := 1; seq <= 3; seq++ {
		expect.OK(t, y.wait(t.Context(), uint64(seq)))
	}
	if synced[1] != 2 || synced[2] != 1 || y.newest != 2 {
		t.Errorf("synced %v, newest %d; want two bytes of the first block, one of the second", synced, y.newest)
	}
}

// A caller that waits for the next round while the disk refuses the one under way is refused with it: a second fsync
// finds no dirty page and succeeds.
func TestSyncerFailsWhatWasQueuedBehindAFailure(t *testing.T) {
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(dir, "1.blk"), []byte("x"), 0o600))
	refused := 0
	y := newSyncer(dir, 0, func() {}, func(error) { refused++ })
	y.newest = 1
	syncs, begun, queued := 0, make(chan struct{}), make(chan struct{})
	y.toDisk = func(int, string) error {
		syncs++
		if syncs > 1 {
			return nil
		}
		close(begun)
		<-queued
		return syscall.EIO
	}

	y.begin(1)
	<-begun
	y.begin(2) // joins the next round
	second := make(chan error, 1)
	y.mu.Lock()
	next := y.next
	y.mu.Unlock()
	go func() { second <- y.wait(t.Context(), 2) }()
	close(queued)
	<-next.done

	if err := <-second; !errors.Is(err, ErrWriteStuck) || !errors.Is(next.err, ErrWriteStuck) {
		t.Errorf("the second round: %v, its caller: %v, want ErrWriteStuck", next.err, err)
	}
	y.stop()
	if syncs != 1 || refused != 1 || y.durable != 0 {
		t.Errorf("%d syncs, told %d times, durable to %d; want 1, 1, 0", syncs, refused, y.durable)
	}
}

// The server makes a block before it has anything to put into it, which cannot be archived yet: the archiver is woken
// until there is something.
func TestSyncerTellsOfABlockThatHasContent(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	rolls := 0
	y := newSyncer(dir, 0, func() { rolls++ }, func(err error) { t.Error(err) })
	defer y.stop()
	write("1.blk", "x")
	for seq, step := range []struct {
		name, content string
		rolls         int
	}{{"1.blk", "xx", 1}, {"1.blk", "xxx", 1}, {"2.blk", "", 2}, {"1.blk", "xxxx", 3}, {"2.blk", "x", 4}, {"2.blk", "xx", 4}} {
		write(step.name, step.content)
		expect.OK(t, y.wait(t.Context(), uint64(seq+1)))
		expect.Equal(t, rolls, step.rolls, "step", seq, "rolls")
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
