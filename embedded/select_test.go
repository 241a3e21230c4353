package embedded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
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

// mixedLog is a store with three sealed blocks and a newest one: 88 events, of which four were erased.
func mixedLog(t *testing.T) *Server {
	s := open(t, storeDir(t))
	addMixed(t, s)
	for _, seq := range []uint64{5, 7, 80, 85} {
		expect.OK(t, s.stream.handle.SecureDeleteMsg(t.Context(), seq))
	}
	return s
}

// addMixed appends 88 events, of which 48 fill three blocks.
func addMixed(t *testing.T, s *Server) {
	t.Helper()
	for n := uint64(1); n <= 88; n++ {
		size := 512 << 10
		if n > 48 {
			size = 10
		}
		expect.Value(s.Stream().Append(t.Context(), mixed(n, size)))(t)
	}
}

func hides(seq uint64) bool { return slices.Contains([]uint64{0, 5, 7, 80, 85}, seq) || seq > 88 }

// What is selected, and where times are, is as in the events that were appended.
func TestSelect(t *testing.T) {
	s := mixedLog(t)
	appended := make([]time.Time, 89)
	expect.OK(t, s.Stream().Read(t.Context(), 1, 0, func(r events.Record) error { appended[r.Seq] = r.Appended; return nil }))
	closeStore(t, s)
	log, ctx := open(t, s.opts.Dir).Stream(), t.Context()
	for _, want := range [][]projector.Selector{
		nil, {{}}, {{Session: "s-1"}}, {{Project: "p-0", Types: []string{events.TypeGateSatisfied}}},
		{{Types: []string{events.TypePromptSubmitted}}, {Session: "s-2"}}, {{Session: "s-1", Project: "p-1"}},
		{{Project: "p-0"}, {Session: "s-1"}}, {{Project: "p-0"}, {Project: "p-0", Types: []string{events.TypeLogDamaged}}}, // their subjects overlap, which the server refuses
	} {
		for _, span := range [][2]uint64{{1, 0}, {17, 47}, {30, 30}, {49, 88}, {89, 99}} {
			var got, all []uint64
			err := log.Select(ctx, span[0], span[1], want, func(r events.Record) error {
				if exp := mixed(r.Seq, 1); r.ID != exp.ID || r.Session != exp.Session || len(r.Data) < 10 || r.Appended.IsZero() {
					t.Errorf("%d is %s of %s", r.Seq, r.ID, r.Session)
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
				t.Errorf("%+v of %v: %v, %v; want %v", want, span, got, err, all)
			}
		}
	}
	for at, want := range map[time.Duration]uint64{0: 20, -2 * time.Hour: 0, 10 * time.Second: 20, 40 * time.Second: 40,
		40*time.Second - time.Millisecond: 39, 85 * time.Second: 84, 2 * time.Hour: 88} {
		if seq, err := log.SeqCaptured(ctx, epoch.Add(at)); seq != want || err != nil {
			t.Errorf("captured at %v: %d, %v; want %d", at, seq, err, want)
		}
	}
	for _, c := range []struct {
		at   time.Time
		want uint64
	}{{time.Time{}, 1}, {appended[1], 1}, {appended[3].Add(1), 4}, {appended[40], 40}, {appended[88].Add(1), 89}} {
		if seq, err := log.SeqAtTime(ctx, c.at); seq != c.want || err != nil {
			t.Errorf("appended at %v: %d, %v; want %d", c.at, seq, err, c.want)
		}
	}
	for seq, id := range map[uint64]string{1: event(1).ID, 88: event(88).ID, 5: "", 0: "", 99: ""} {
		if rec, err := log.Get(ctx, seq); rec.ID != id || errors.Is(err, ErrNoRecord) != (id == "") {
			t.Errorf("event %d is %q, %v", seq, rec.ID, err)
		}
	}
}
