package embedded

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// mixed is the n-th event of a log of three sessions, two projects and three types, captured a second apart, but
// for one that came an hour late and one from a clock that was ahead.
func mixed(n uint64, size int) events.Envelope {
	env := event(n)
	env.Session, env.Project = fmt.Sprintf("s-%d", n%3), fmt.Sprintf("p-%d", n%2)
	env.Type = []string{events.TypeToolRequested, events.TypePromptSubmitted, events.TypeGateSatisfied}[n/2%3]
	env.Time = epoch.Add(time.Duration(n) * time.Second)
	switch n {
	case 20:
		env.Time = env.Time.Add(-time.Hour)
	case 30:
		env.Time = env.Time.Add(time.Hour)
	}
	rnd, junk := rand.NewChaCha8([32]byte{byte(n)}), make([]byte, size)
	_, _ = rnd.Read(junk)
	env.Data = append([]byte(`"`), append(junk, '"')...)
	return env
}

var epoch = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// mixedLog is a store with three sealed blocks and a newest one: 88 events, of which 5 and 80 were deleted and 7
// and 85 erased.
func mixedLog(t *testing.T) *Server {
	s := open(t, storeDir(t))
	for n := uint64(1); n <= 88; n++ {
		size := 512 << 10
		if n > 48 {
			size = 10
		}
		if _, err := s.Stream().Append(t.Context(), mixed(n, size)); err != nil {
			t.Fatal(err)
		}
	}
	for _, seq := range []uint64{5, 80} {
		if err := s.stream.handle.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	for _, seq := range []uint64{7, 85} {
		if err := s.stream.handle.SecureDeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// pastReader is what a stream and its files have in common.
type pastReader interface {
	Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error
	SeqCaptured(ctx context.Context, t time.Time) (uint64, error)
	SeqAtTime(ctx context.Context, t time.Time) (uint64, error)
	Get(ctx context.Context, seq uint64) (events.Record, error)
}

func hides(seq uint64) bool { return slices.Contains([]uint64{0, 5, 7, 80, 85}, seq) || seq > 88 }

// wantPast compares what is selected, and where times are, with the events that were appended.
func wantPast(t *testing.T, name string, log pastReader, appended []time.Time) {
	t.Helper()
	ctx := t.Context()
	for _, want := range [][]projector.Selector{
		nil, {{}}, {{Session: "s-1"}}, {{Session: "s-9"}}, {{Project: "p-0", Types: []string{events.TypeGateSatisfied}}},
		{{Types: []string{events.TypePromptSubmitted}}, {Session: "s-2"}}, {{Types: []string{}}}, {{Session: "s-1", Project: "p-1"}},
	} {
		for _, span := range [][2]uint64{{1, 0}, {1, 88}, {17, 47}, {30, 30}, {49, 88}, {60, 61}, {89, 99}} {
			var got, all []uint64
			err := log.Select(ctx, span[0], span[1], want, func(r events.Record) error {
				if exp := mixed(r.Seq, 1); r.ID != exp.ID || r.Session != exp.Session || len(r.Data) < 10 || r.Appended.IsZero() {
					t.Errorf("%s: %d is %s of %s", name, r.Seq, r.ID, r.Session)
				}
				got = append(got, r.Seq)
				return nil
			})
			for n := span[0]; n <= span[1] || span[1] == 0 && n <= 88; n++ {
				e := mixed(n, 1)
				if !hides(n) && slices.ContainsFunc(want, func(w projector.Selector) bool { return w.Match(e.Session, e.Project, e.Type) }) {
					all = append(all, n)
				}
			}
			if err != nil || !slices.Equal(got, all) {
				t.Errorf("%s: %+v of %v: %v, %v; want %v", name, want, span, got, err, all)
			}
		}
	}
	for at, want := range map[time.Duration]uint64{0: 20, -2 * time.Hour: 0, 10 * time.Second: 20, 40 * time.Second: 40,
		40*time.Second - time.Millisecond: 39, 85 * time.Second: 84, 2 * time.Hour: 88} {
		if seq, err := log.SeqCaptured(ctx, epoch.Add(at)); seq != want || err != nil {
			t.Errorf("%s: captured at %v: %d, %v; want %d", name, at, seq, err, want)
		}
	}
	for _, c := range []struct {
		at   time.Time
		want uint64
	}{{time.Time{}, 1}, {appended[1], 1}, {appended[3].Add(1), 4}, {appended[40], 40}, {appended[88].Add(1), 89}} {
		if seq, err := log.SeqAtTime(ctx, c.at); seq != c.want || err != nil {
			t.Errorf("%s: appended at %v: %d, %v; want %d", name, c.at, seq, err, c.want)
		}
	}
	for seq, id := range map[uint64]string{1: event(1).ID, 48: event(48).ID, 88: event(88).ID, 5: "", 7: "", 0: "", 99: ""} {
		if rec, err := log.Get(ctx, seq); rec.ID != id || errors.Is(err, ErrNoRecord) != (id == "") {
			t.Errorf("%s: event %d is %q, %v", name, seq, rec.ID, err)
		}
	}
}

func TestSelect(t *testing.T) {
	s := mixedLog(t)
	appended := make([]time.Time, 89)
	if err := s.Stream().Read(t.Context(), 1, 0, func(r events.Record) error { appended[r.Seq] = r.Appended; return nil }); err != nil {
		t.Fatal(err)
	}
	wantPast(t, "running", s.Stream(), appended)
	tables := s.opts.tablesDir()
	kept, err := os.ReadDir(tables)
	if err != nil || len(kept) < 3 {
		t.Fatalf("%d tables of contents are kept: %v", len(kept), err)
	}
	for i, e := range kept { // one is garbled, one another block's, the others are gone
		path := filepath.Join(tables, e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch i {
		case 0:
			b[len(b)/2] ^= 0x10
			err = os.WriteFile(path, b, 0o600)
		case 1:
			err = os.Rename(path, filepath.Join(tables, kept[0].Name()))
		default:
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantPast(t, "without tables", s.Stream(), appended)
	closeStore(t, s)
	f, err := OpenFiles(Options{Dir: s.opts.Dir})
	if err != nil {
		t.Fatal(err)
	}
	wantPast(t, "files", f, appended)
	if got := slices.Sorted(slices.Values(f.Sessions())); !slices.Equal(got, []string{"s-0", "s-1", "s-2"}) || f.Last() != 88 {
		t.Errorf("sessions %v, last %d", got, f.Last())
	}
	if _, err := Open(t.Context(), Options{Dir: s.opts.Dir}); !errors.Is(err, ErrLocked) {
		t.Errorf("while the files are open: %v, want ErrLocked", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wantPast(t, "opened again", open(t, s.opts.Dir).Stream(), appended)
}

// Files are for a store that was left in order; any other is checked by Open first.
func TestOpenFilesRefuses(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 40)
	o := Options{Dir: s.opts.Dir}
	if _, err := OpenFiles(o); !errors.Is(err, ErrLocked) {
		t.Errorf("while it runs: %v, want ErrLocked", err)
	}
	closeStore(t, s)
	blk := filepath.Join(s.opts.msgsDir(), "1.blk")
	whole, err := os.ReadFile(blk)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		f, err := OpenFiles(o)
		if !errors.Is(err, ErrUnclean) {
			t.Errorf("%s: %v, want ErrUnclean", what, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	damageMiddle(t, blk)
	refused("damage")
	if err := os.WriteFile(blk, append(slices.Clone(whole), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a longer block")
	if err := os.Remove(blk); err != nil {
		t.Fatal(err)
	}
	refused("no block")
	if err := os.WriteFile(blk, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := OpenFiles(o); err != nil {
		t.Errorf("whole again: %v", err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := block.RemoveMarker(o.Dir); err != nil {
		t.Fatal(err)
	}
	refused("no marker")
}

// A table of contents with any bit flipped, cut short or of another state of the block is none.
func TestContentsAreChecked(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 40)
	closeStore(t, s)
	c, err := survey(filepath.Join(s.opts.msgsDir(), "1.blk"), 39)
	if err != nil || len(c.rows) != 39 || c.first != 1 || c.last != 39 || len(c.subjects) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	b := c.encode()
	back, ok := parseContents(b, c.of)
	if !ok || !back.unpack() || !slices.Equal(back.rows, c.rows) || back.captured != c.captured || back.appended != c.appended ||
		!slices.Equal(back.names[ofType], []string{"tool.requested"}) {
		t.Fatalf("%+v became %+v", c, back)
	}
	for i := range b {
		bad := slices.Clone(b)
		bad[i] ^= 1 << (i % 8)
		if _, ok := parseContents(bad, c.of); ok {
			t.Errorf("byte %d flipped is believed", i)
		}
		if _, ok := parseContents(b[:i], c.of); ok {
			t.Errorf("%d bytes are believed", i)
		}
	}
	for _, other := range []identity{{c.of.size + 1, c.of.changed, c.of.sum}, {c.of.size, c.of.changed + 1, c.of.sum}, {c.of.size, c.of.changed, [8]byte{}}} {
		if _, ok := parseContents(b, other); ok {
			t.Errorf("%+v is believed to be %+v", other, c.of)
		}
	}
}

// What damage there is in a sealed block is found when a wanted event lies in it.
func TestSelectMeetsDamage(t *testing.T) {
	s := mixedLog(t)
	err := s.Stream().Select(t.Context(), 1, 0, []projector.Selector{{Session: "s-1"}}, func(events.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	damageMiddle(t, filepath.Join(s.opts.msgsDir(), "2.blk"))
	all := []projector.Selector{{Types: []string{events.TypeToolRequested, events.TypePromptSubmitted, events.TypeGateSatisfied}}}
	err = s.Stream().Select(t.Context(), 1, 0, all, func(events.Record) error { return nil })
	var damage *DamageError
	if !errors.As(err, &damage) || damage.BlockName != "2.blk" || !s.damaged.Load() {
		t.Errorf("%v, want a DamageError of 2.blk", err)
	}
}

// Contents that were kept before a message was erased in its place, on a file system whose times are too coarse to show
// it, lead to the place of the erased message, and to nothing wrong.
func TestContentsOfAnErasureThatTimeHides(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	fill(t, s, 40, 512<<10) // three blocks
	want := []projector.Selector{{Session: event(1).Session}}
	read := func(sel func(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error) (seqs []uint64) {
		t.Helper()
		err := sel(t.Context(), 1, 0, want, func(r events.Record) error {
			if r.ID != event(r.Seq).ID {
				t.Errorf("event %s at %d", r.ID, r.Seq)
			}
			seqs = append(seqs, r.Seq)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return seqs
	}
	if seqs := read(s.Stream().Select); len(seqs) != 40 {
		t.Fatalf("%d events, want 40", len(seqs))
	}
	path := filepath.Join(s.opts.msgsDir(), "1.blk")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.stream.handle.SecureDeleteMsg(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	hide := func() {
		t.Helper()
		after, err := os.Stat(path)
		if err != nil || after.Size() != before.Size() {
			t.Fatalf("the block was written anew: %v, %v", after, err)
		}
		if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	hide()
	if seqs := read(s.Stream().Select); len(seqs) != 39 || slices.Contains(seqs, 5) {
		t.Errorf("events %v, want all but 5", seqs)
	}
	closeStore(t, s)
	hide()
	f, err := OpenFiles(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if seqs := read(f.Select); len(seqs) != 39 || slices.Contains(seqs, 5) {
		t.Errorf("from the files: events %v, want all but 5", seqs)
	}
}
