package recorder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
)

func opened(t *testing.T) *Recorder {
	t.Helper()
	r := expect.Value(Open(t.Context(), Options{Store: embedded.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Now: time.Now}, Log: slog.New(slog.DiscardHandler), Now: time.Now}))(t)
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// bash is the outcome of a call of session s.
func bash(n int) hook.Input {
	ms := time.Now().UnixMilli()
	body := fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"ls"},"tool_response":{"stdout":"x"}}`, n)
	f := wire.Frame{ID: wire.NewID(ms), Args: []string{"hook"}, Time: ms, Complete: true, Size: int64(len(body)), Body: []byte(body), Env: map[string]string{}}
	return hook.Decode(f, f.Body, 0)
}

func stateOf(t *testing.T, r *Recorder) (s session.State) {
	t.Helper()
	expect.OK(t, r.view.Read(t.Context(), func(rd projector.Reader) error {
		s, _ = projector.State[session.State](rd, session.Name, "s")
		return nil
	}))
	return s
}

// One frame counts once, the same call from another install too, and the same id with other content is recorded as
// that.
func TestRecordOnce(t *testing.T) {
	r := opened(t)
	in := bash(1)
	other := in
	other.Frame = wire.NewID(in.Time.UnixMilli())
	changed := bash(2)
	changed.Frame = in.Frame
	for _, c := range []struct {
		in      hook.Input
		install string
		want    Verdict
	}{
		{in, "a", Fresh}, {in, "a", Again}, {other, "b", SecondHit}, {other, "b", SecondHit},
		{changed, "a", Conflict}, {changed, "a", Again},
	} {
		told, err := r.Record(t.Context(), c.in, hook.World{}, c.install)
		if err != nil || told.Seen != c.want {
			t.Errorf("%s by %s: seen %d, want %d, %v", c.in.Frame, c.install, told.Seen, c.want, err)
		}
	}

	var types []string
	expect.OK(t, r.stream.Read(t.Context(), 1, 0, func(rec events.Record) error {
		types = append(types, rec.Type)
		return nil
	}))
	expect.Equal(t, strings.Join(types, " "), "tool.succeeded frame.duplicated frame.conflicted")
	expect.Equal(t, stateOf(t, r).Events, 1, "hooks counted")
}

// A decision sees what is folded, goes in whole, and nothing is appended for one that fails.
func TestDo(t *testing.T) {
	r := opened(t)
	two := func(projector.Reader) ([]events.Envelope, error) {
		return Envelopes(time.Now(), events.Envelope{Session: "s"}, &events.SessionReaped{Reason: "silent"}, &events.IdentityPersisted{Reason: "reaped"})
	}
	recs, err := r.Do(t.Context(), two)
	if err != nil || len(recs) != 2 || recs[1].Causation != recs[0].ID || recs[1].Seq != 2 {
		t.Fatalf("%v %+v", err, recs)
	}

	refused := errors.New("no")
	_, err = r.Do(t.Context(), func(now projector.Reader) ([]events.Envelope, error) {
		if s, _ := projector.State[session.State](now, session.Name, "s"); s.Status != session.Reaped {
			t.Errorf("%+v", s)
		}
		return nil, refused
	})
	if last, _ := r.stream.Last(); !errors.Is(err, refused) || last != 2 {
		t.Errorf("%v, last %d", err, last)
	}
}

// Import leaves out what the log has.
func TestImport(t *testing.T) {
	r := opened(t)
	envs := expect.Value(Envelopes(time.Now(), events.Envelope{}, &events.CanarySent{Nonce: "1"}, &events.CanarySent{Nonce: "2"}, &events.CanarySent{Nonce: "3"}))(t)
	for n, want := range []int{1, 2, 0} {
		got, err := r.Import(t.Context(), envs[:min(3, 2*n+1)])
		if err != nil || got != want {
			t.Errorf("round %d: %d, %v", n, got, err)
		}
	}
}

// flakyStore fails loads of sessions.
type flakyStore struct {
	projector.Store
	mu   sync.Mutex
	fail int
}

func (s *flakyStore) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail > 0 && strings.HasPrefix(key, "session.") {
		s.fail--
		return nil, errors.New("load: no answer")
	}
	return s.Store.Load(ctx, bucket, key)
}

// An event that could not be folded at once is folded later, not lost behind the position.
func TestFailedFoldIsMadeUp(t *testing.T) {
	r := opened(t)
	flaky := &flakyStore{Store: projector.NewMemory()}
	view := expect.Value(projector.OpenView(t.Context(), flaky, tables.All()))(t)
	r.view = view
	expect.Value(r.Note(t.Context(), events.Envelope{}, &events.CanarySent{}))(t)

	flaky.fail = 1
	e := &events.IdentityPersisted{Reason: "command"}
	if _, err := r.Note(t.Context(), events.Envelope{Session: "s"}, e); err == nil {
		t.Fatal("a fold that failed is told as done")
	}
	expect.Value(r.Record(t.Context(), bash(1), hook.World{}, "a"))(t)
	if _, diffs, err := r.view.Verify(t.Context(), r.stream.Read, nil); err != nil || len(diffs) != 0 {
		t.Errorf("%v %+v", err, diffs)
	}
}
