package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

func TestGroup(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 1)
	r, err := s.Stream().Append(t.Context(), event(2), event(3), event(4))
	if err != nil || fmt.Sprint(r) != "[{2 false} {3 false} {4 false}]" {
		t.Fatalf("%v, %v", r, err)
	}
	for seq, want := range map[uint64]string{1: "", 2: "1/3", 3: "2/3", 4: "3/3"} {
		raw, err := s.stream.handle.GetMsg(t.Context(), seq)
		if err != nil || raw.Header.Get("Hookline-Part") != want {
			t.Errorf("event %d: part %q, want %q, %v", seq, raw.Header.Get("Hookline-Part"), want, err)
		}
	}
	r, err = s.Stream().Append(t.Context(), event(2), event(3), event(4))
	if err != nil || fmt.Sprint(r) != "[{2 true} {3 true} {4 true}]" {
		t.Errorf("the same group again: %v, %v", r, err)
	}
	var dup *DuplicateError
	if _, err = s.Stream().Append(t.Context(), event(2), event(9)); !errors.As(err, &dup) || len(dup.Found) != 1 || dup.Found[event(2).ID] != 2 {
		t.Errorf("a group that begins with a known event: %v, want a DuplicateError for 2", err)
	}

	late, cancel := context.WithCancel(t.Context()) // a group whose caller has no time left is not begun, so it ends nothing
	cancel()
	if _, err := s.Stream().Append(late, event(5), event(6)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrWriteStuck) {
		t.Errorf("%v, want that of the context alone", err)
	}
	add(t, s, 5, 5)
	wantLog(t, s, 5)
}

// When an event of a group fails behind the first, nothing may be appended behind what is there of it.
func TestGroupThatFailsEndsTheAppends(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 2)
	if _, err := s.Stream().Append(t.Context(), event(3), event(1)); !errors.Is(err, ErrWriteStuck) || !errors.Is(err, ErrDuplicate) {
		t.Fatalf("%v, want ErrWriteStuck for a duplicate behind the first", err)
	}
	if last, _ := s.Stream().Last(); last != 2 {
		t.Errorf("last %d: an unfinished group is shown", last)
	}
	for name, call := range map[string]func() error{
		"each":   func() error { _, err := s.Stream().AppendEach(t.Context(), event(8), event(9)); return err },
		"group":  func() error { _, err := s.Stream().Append(t.Context(), event(8), event(9)); return err },
		"health": s.Health,
	} {
		if err := call(); !errors.Is(err, ErrWriteStuck) {
			t.Errorf("%s: %v, want ErrWriteStuck", name, err)
		}
	}
	s = reopen(t, s)
	if r := s.Report(); r.Clean || r.Unfinished != 1 || !r.Found.Empty() {
		t.Errorf("opened again: %+v", r)
	}
	wantLog(t, s, 2)
	r, err := s.Stream().Append(t.Context(), event(3), event(4))
	if err != nil || fmt.Sprint(r) != "[{3 false} {4 false}]" {
		t.Errorf("the group again: %v, %v", r, err)
	}
	wantLog(t, s, 4)
}

// begin writes the first events of a group and not the others, as a kill does.
func begin(t *testing.T, s *Server, of int, envs ...events.Envelope) {
	t.Helper()
	for i, env := range envs {
		msg := expect.Value(s.stream.codec.encode(env))(t).natsMsg()
		msg.Header[headerPart] = []string{strconv.Itoa(i+1) + "/" + strconv.Itoa(of)}
		expect.Value(s.stream.publish(t.Context(), msg))(t)
	}
}

// killed is a copy of a running store, as a kill would leave it.
func killed(t *testing.T, dir string) string {
	t.Helper()
	to := storeDir(t)
	expect.OK(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func TestUnfinishedGroupIsCut(t *testing.T) {
	for _, before := range []uint64{0, 5} {
		for _, parts := range []int{2, 3} {
			t.Run(fmt.Sprintf("%d events, then %d of 3", before, parts), func(t *testing.T) {
				dir := storeDir(t)
				s := open(t, dir)
				if before > 0 {
					add(t, s, 1, before)
				}
				group := []events.Envelope{event(before + 1), event(before + 2), event(before + 3)}
				begin(t, s, 3, group[:parts]...)
				after := killed(t, dir)
				for round := range 2 { // what the first opening cut stays away
					s := open(t, after)
					want := before
					if parts == 3 {
						want += 3
					}
					wantLog(t, s, want)
					if n := s.Report().Unfinished; n != parts%3 && round == 0 || n != 0 && round == 1 {
						t.Errorf("round %d: %d events cut, want %d", round, n, parts%3)
					}
					closeStore(t, s)
				}
				s = open(t, after)
				r, err := s.Stream().Append(t.Context(), group...)
				if err != nil || r[0].Seq != before+1 || r[2].Seq != before+3 || r[1].Duplicate != (parts == 3) {
					t.Fatalf("the group comes again: %+v, %v", r, err)
				}
				wantLog(t, s, before+3)
			})
		}
	}
}

// What was cut is told, too, where the store is opened once more for a bucket that the server does not take.
func TestUnfinishedGroupBesideABadBucket(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	begin(t, s, 3, event(1))
	after := killed(t, dir)
	bucket := filepath.Join(Options{Dir: after}.streamsDir(), bucketStream(projector.BucketSnapshot))
	expect.OK(t, os.RemoveAll(bucket))
	expect.OK(t, os.Symlink(filepath.Join(t.TempDir(), "gone"), bucket)) // so it cannot be made

	s = open(t, after)
	expect.Equal(t, s.Report().Unfinished, 1, "events cut")
	if s.Report().BucketsDropped == "" {
		t.Error("the buckets were not dropped")
	}
}

// A group that was acknowledged has no torn end, unless the disk lied. Where the last record of one is torn, or zeros
// stand in its place, the events before it that are cut are told of, too.
func TestTornGroupIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		tear func(b []byte, at int) []byte // the last record
		torn []block.Range
	}{
		"torn":                {func(b []byte, _ int) []byte { return b[:len(b)-7] }, []block.Range{{First: 3, Last: 5}}},
		"zeros":               {func(b []byte, at int) []byte { clear(b[at:]); return b }, []block.Range{{First: 3, Last: 4}}},
		"ends with a message": {func(b []byte, _ int) []byte { return b }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := storeDir(t)
			s := open(t, dir)
			add(t, s, 1, 2)
			if c.torn == nil {
				begin(t, s, 3, event(3), event(4))
			} else if r, err := s.Stream().Append(t.Context(), event(3), event(4), event(5)); err != nil || s.Stream().Sync(t.Context(), r[2].Seq) != nil {
				t.Fatal(err)
			}
			at := killed(t, dir)
			path := filepath.Join(Options{Dir: at}.msgsDir(), "1.blk")
			b := expect.Value(os.ReadFile(path))(t)
			last := bytes.LastIndex(b, []byte("ev.1f3a90c2b7de")) - 22 // of its head
			expect.OK(t, os.RemoveAll(filepath.Join(at, "archive")))   // its link is a file of its own in a copy
			expect.OK(t, os.WriteFile(path, c.tear(b, last), 0o600))
			for range 2 { // nobody has recorded it after the first
				s = open(t, at)
				if f := s.Report().Found; !reflect.DeepEqual(f.Torn, c.torn) || len(f.Lost) > 0 {
					t.Errorf("found %+v", f)
				}
				wantLog(t, s, 2)
				closeStore(t, s)
			}
		})
	}
}

// shorten takes bytes off the end of a file.
func shorten(path string, n int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()-n)
}

// TestKillLeavesGroupsWhole: kill -9 in the middle of groups of three, again and again.
func TestKillLeavesGroupsWhole(t *testing.T) {
	dir := storeDir(t)
	var durable, cut uint64
	for round := range 3 {
		cmd, lines := spawn(t, "group", dir)
		for n := 0; n < 20+7*round && lines.Scan(); n++ {
			seq, err := strconv.ParseUint(strings.TrimPrefix(lines.Text(), "durable "), 10, 64)
			if err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			durable = max(durable, seq)
		}
		expect.OK(t, cmd.Process.Kill())
		_ = cmd.Wait()
		s := open(t, dir)
		last, _ := s.Stream().Last()
		if last < durable || last%3 != 0 {
			t.Fatalf("round %d: %d events, %d were on disk", round, last, durable)
		}
		wantLog(t, s, last)
		cut += uint64(s.Report().Unfinished)
		closeStore(t, s)
	}
	t.Logf("%d events were cut", cut)
}
