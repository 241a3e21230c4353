package identity

import (
	"reflect"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// worked is a session that has done something.
func worked() State {
	s := newborn()
	for i := range 60 {
		s = projector.Fold(Table, s, fixedPointRecord(i))
	}
	return projector.Fold(Table, s, rec(61, events.TypeIdentityPersisted, `{"reason":"session_end"}`))
}

// next starts a session that inherits from prev after gapMS.
func next(t *testing.T, prev State, outcome string, gapMS int64) State {
	t.Helper()
	r := rec(70, events.TypeIdentityRestored, encoded(t, &events.IdentityRestored{
		Source: "startup", Outcome: outcome, Previous: "s0", GapMS: gapMS, Carry: CarryOf(prev, gapMS)}))
	r.Session = "s2"
	return projector.Fold(Table, State{}, r)
}

func TestCarry(t *testing.T) {
	prev := worked()
	s := next(t, prev, "restored", 0)
	if s.PreviousSessionID != "s0" || s.SessionID != "s2" || s.FacetEvents != 0 || len(s.Trajectory) != 0 {
		t.Errorf("%+v", s)
	}
	if s.Sums != prev.Sums || s.KuramotoPhases != prev.KuramotoPhases || s.PurposeVector != prev.PurposeVector ||
		s.LastEntry != prev.LastEntry || s.Accuracy != prev.Accuracy || s.Coupling != prev.Coupling {
		t.Error("not everything was inherited")
	}
	near(t, "cross-session IC without a gap is r", s.CrossSessionIC, s.Integration, 0)
	expect.Equal(t, RestoredLine(s.PreviousSessionID, s.CrossSessionIC), "Identity restored from s0. IC: 0.06 (degraded)")
	if fresh := next(t, prev, "fresh", 0); fresh.LastIC != 1 || fresh.PreviousSessionID != "" || fresh.Sums != (Vector{}) {
		t.Errorf("clear inherits: %+v", fresh)
	}
	if CarryOf(State{}, 0) != nil || CarryOf(State{Born: true, Deleted: true}, 0) != nil {
		t.Error("a session without identity hands on something")
	}
}

// TestCarryDecay: evidence loses half its weight in 7 days, and the vector drifts back to uniform.
func TestCarryDecay(t *testing.T) {
	prev := worked()
	week := CarryOf(prev, 7*24*3600*1000)
	for i, s := range week.Sums {
		near(t, "sum after 7 days", s, prev.Sums[i]/2, 1e-4)
	}
	if got := CarryOf(prev, -5); !reflect.DeepEqual(got, CarryOf(prev, 0)) {
		t.Error("a clock that went backwards makes evidence grow")
	}
	last := 1.0
	for _, days := range []int64{0, 1, 7, 30, 365, 365_000} {
		ic := next(t, prev, "restored", days*24*3600*1000).CrossSessionIC
		if ic > last {
			t.Errorf("IC after %d days is %v, above %v", days, ic, last)
		}
		last = ic
	}
}

func TestRecovered(t *testing.T) {
	prev := worked()
	e := &events.IdentityRecovered{Session: "old", Seq: 9, Carry: CarryOf(prev, 0)}
	s := run(newborn(), events.TypePromptSubmitted, `{"prompt":"x"}`, events.TypeIdentityRecovered, encoded(t, e))
	if s.PreviousSessionID != "old" || s.PurposeVector != prev.PurposeVector || len(s.Trajectory) != 1 || s.SessionID != "s1" {
		t.Errorf("%+v", s)
	}
	if !reflect.DeepEqual(run(s, events.TypeIdentityRecovered, `{}`), s) {
		t.Error("a recovery without identity changed the state")
	}
}

// A snapshot's figures stay when its session goes on: identity history shows them, and the log has them.
func TestSnapshotsStay(t *testing.T) {
	const call, ended, begun = `{"tool_name":"Bash"}`, `{"reason":"session_end"}`, `{"outcome":"new"}`
	s := run(State{}, events.TypeIdentityRestored, begun, events.TypeToolFailed, call, events.TypeToolFailed, call, events.TypeToolFailed, call,
		events.TypeIdentityPersisted, ended)
	first := Snapshot{AtMS: start.UnixMilli() + 5000, IC: s.LastIC, R: s.Integration, C: s.Consciousness}
	if first.R >= 1 || first.C >= .8 || first.IC >= 1 {
		t.Fatalf("%+v tells nothing", first)
	}
	s = projector.Fold(Table, s, rec(10, events.TypeIdentityRestored, `{"source":"resume","outcome":"resumed"}`))
	s = projector.Fold(Table, s, rec(11, events.TypeToolSucceeded, call))
	s = projector.Fold(Table, s, rec(12, events.TypeIdentityPersisted, ended))
	s = projector.Fold(Table, s, rec(13, events.TypeIdentityRestored, begun)) // the same id again
	if got, ok := s.SnapshotAt(first.AtMS); !ok || got != first || len(s.Snapshots) != 2 {
		t.Errorf("%+v of %+v", got, s.Snapshots)
	}
	if _, ok := s.SnapshotAt(first.AtMS + 1); ok {
		t.Error("a snapshot that was never taken")
	}
	for i := range 2 * maxSnapshots {
		s = projector.Fold(Table, s, rec(20+i, events.TypeIdentityPersisted, ended))
	}
	if len(s.Snapshots) != maxSnapshots || s.Snapshots[maxSnapshots-1].AtMS != start.UnixMilli()+1000*(19+2*maxSnapshots) {
		t.Errorf("%d snapshots", len(s.Snapshots))
	}
	if s = projector.Fold(Table, s, rec(99, events.TypeSessionDeleted, `{}`)); len(s.Snapshots) != 0 {
		t.Error("a deleted session keeps its snapshots")
	}
}

// Only a start after its deletion begins a session anew: not one that came late, nor a compaction while it lives.
func TestDeletedSessionBeginsAnew(t *testing.T) {
	gone := run(State{}, events.TypeIdentityRestored, `{"outcome":"new"}`, events.TypeToolFailed, `{"tool_name":"Bash"}`, events.TypeSessionDeleted, `{}`)
	for data, at := range map[string]int{`{"source":"startup","outcome":"new"}`: 3, `{"source":"compact","outcome":"new"}`: 4} {
		if s := projector.Fold(Table, gone, rec(at, events.TypeIdentityRestored, data)); s.Born || !s.Deleted || s.Calls != 0 {
			t.Errorf("%s: born %t, deleted %t", data, s.Born, s.Deleted)
		}
	}
	again := projector.Fold(Table, projector.Fold(Table, gone, rec(4, events.TypeIdentityRestored, `{"source":"resume","outcome":"not_found"}`)), rec(5, events.TypeIdentityPersisted, `{}`))
	at := again.Snapshots[0].AtMS
	if !again.Earlier(at-1) || again.Earlier(at) || again.Earlier(at+1) || gone.Earlier(0) {
		t.Error("what was before the deletion is not told from what came after")
	}
}
