package identity

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// filled is a state with every field in use, at the limits of its lists.
func filled() State {
	s := newborn()
	for i := range 400 {
		s = projector.Fold(Table, s, fixedPointRecord(i))
		s = projector.Fold(Table, s, rec(i, events.TypeToolFailed, bash(strings.Repeat("x", i+1))))
	}
	s = projector.Fold(Table, s, rec(500, events.TypeIdentityObserved, `{"consciousness":0.5,"observer":"engine"}`))
	s = projector.Fold(Table, s, rec(501, events.TypeDreamTriggered, `{"phase":"full","reason":"manual","ic":0.4}`))
	s = projector.Fold(Table, s, rec(502, events.TypeIdentityPersisted, `{"reason":"command"}`))
	s.PreviousSessionID = strings.Repeat("é", 100)
	return s
}

func TestTC_SESSION_01_snapshot_round_trip(t *testing.T) {
	s := filled()
	b := Encode(s)
	back := expect.Value(decode(b))(t)
	if !reflect.DeepEqual(back, s) {
		t.Errorf("decoded snapshot differs:\n%+v\n%+v", back, s)
	}
	if len(b) >= 30*1024 {
		t.Errorf("snapshot has %d bytes", len(b))
	}
	for _, name := range []string{"session_id", "timestamp_ms", "previous_session_id", "cross_session_ic", "kuramoto_phases",
		"coupling", "purpose_vector", "trajectory", "last_ic", "crisis_threshold", "consciousness", "integration", "reflection",
		"differentiation"} {
		if !strings.Contains(string(b), `"`+name+`":`) {
			t.Errorf("snapshot has no %s", name)
		}
	}
}

func TestTC_SESSION_02_trajectory_first_in_first_out(t *testing.T) {
	s := newborn()
	for i := range 50 {
		s = projector.Fold(Table, s, rec(10+i, events.TypePromptSubmitted, `{"prompt":"x"}`))
	}
	expect.EqualNow(t, len(s.Trajectory), 50, "entries")
	second, before := s.Marks[1], s.Trajectory
	s = projector.Fold(Table, s, rec(99, events.TypePromptSubmitted, `{"prompt":"x"}`))
	if len(s.Trajectory) != 50 || len(s.Marks) != 50 || s.Marks[0] != second {
		t.Errorf("%d entries, first of %v, want 50, first of %v", len(s.Trajectory), s.Marks[0], second)
	}
	if s.Trajectory[49] != s.PurposeVector || s.Marks[49].AtMS != start.UnixMilli()+99_000 {
		t.Errorf("newest entry is %v of %d", s.Trajectory[49], s.Marks[49].AtMS)
	}
	if len(before) != 50 || before[0] == before[49] {
		t.Error("the state before was changed in place")
	}
}

func TestEC_SESSION_01_trajectory_cap(t *testing.T) {
	s := newborn()
	for i := range 80 {
		s = projector.Fold(Table, s, rec(10+i, events.TypePromptSubmitted, `{"prompt":"x"}`))
	}
	if MaxTrajectory != 50 || len(s.Trajectory) != 50 {
		t.Errorf("%d entries, want 50", len(s.Trajectory))
	}
}

func TestEC_SESSION_12_long_session_id(t *testing.T) {
	for _, id := range []string{strings.Repeat("a", 5000), strings.Repeat("é", 101)} {
		r := rec(1, events.TypeIdentityRestored, `{"source":"startup","outcome":"new"}`)
		r.Session = id
		got := projector.Fold(Table, State{}, r).SessionID
		if n := len([]rune(got)); n != 100 || !strings.HasPrefix(id, got) {
			t.Errorf("session id of %d characters", n)
		}
	}
	expect.Equal(t, len([]rune(cut(strings.Repeat("é", 100)))), 100, "an id of 100 characters was cut")
}

func TestERR_SESSION_09_too_large(t *testing.T) {
	s := filled()
	if size, drop := TooLarge(s); size != len(Encode(s)) || drop != 0 {
		t.Errorf("a folded state: %d bytes, drop %d", size, drop)
	}
	s.Trajectory = slices.Repeat(s.Trajectory, 12)
	size, drop := TooLarge(s)
	if size <= MaxEncoded || drop == 0 {
		t.Fatalf("%d bytes, drop %d", size, drop)
	}
	less := projector.Fold(Table, s, rec(600, events.TypeIdentityShortened, encoded(t, &events.TrajectoryShortened{SizeBytes: size, Dropped: drop})))
	if n := len(Encode(less)); n > MaxEncoded || len(less.Trajectory) != 600-drop {
		t.Errorf("%d bytes and %d entries after dropping %d", n, len(less.Trajectory), drop)
	}
	s.shorten(drop - 1)
	if _, drop := TooLarge(s); drop != 1 {
		t.Errorf("one entry less was dropped: %d more, want 1", drop)
	}
	if (Encode(State{LastIC: nan()})) != nil {
		t.Error("a value that is not a number was encoded")
	}
}

// decode reads a snapshot back.
func decode(b []byte) (s State, err error) {
	err = json.Unmarshal(b, &s)
	return s, err
}
