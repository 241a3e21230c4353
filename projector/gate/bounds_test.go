package gate

import (
	"fmt"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// What a branch's and a project's cell hold at most, and what goes first.

func TestPendingCommandsAreBounded(t *testing.T) {
	st := new(story)
	for i := range maxSessions + 3 {
		st.tell(fmt.Sprintf("s%04d", i), &events.PromptExpanded{CommandName: "/plan"})
	}
	if _, oldest := st.state.Pending["s0002"]; len(st.state.Pending) != 128 || oldest {
		t.Errorf("%d pending, the oldest is there: %t", len(st.state.Pending), oldest)
	}
	st.tell("s0003", &events.PromptExpanded{CommandName: "/review"})
	if p := st.state.Pending["s0003"]; len(st.state.Pending) != 128 || p.Command != "review" {
		t.Errorf("a second command of a session: %d pending, %+v", len(st.state.Pending), p)
	}
}

func TestRetractionsAreCountedOnce(t *testing.T) {
	s := new(story).tell("", &events.RecordRetracted{Target: "E1"}, &events.RecordRetracted{Target: "E2"}, &events.RecordRetracted{Target: "E1"}, &events.RecordRetracted{}).state
	if len(s.Retracted) != 2 || s.Retracted[0] != "E1" || s.Retracted[1] != "E2" {
		t.Errorf("%q", s.Retracted)
	}
}

func TestCount(t *testing.T) {
	st := new(story)
	expect.Equal(t, st.state.Count(), 0, "nothing said")
	st.tell(one, satisfied("plan", "session"), triggered("review", "session"), override("size", "session"))
	st.tell(one, &events.GateCleared{Name: "gone", AllSessions: true, Reason: events.GateClearedCommand})
	expect.Equal(t, st.state.Count(), 3)
	st.tell(one, &events.GateCleared{Name: "plan", Reason: events.GateClearedCommand})
	expect.Equal(t, st.state.Count(), 2)
}

// A trigger whose event was retracted does not hold the end of the turn; the next one does.
func TestTriggeredAgainAfterARetraction(t *testing.T) {
	st := new(story).tell(one, triggered("plan", "session"))
	back := new(story).tell("", &events.RecordRetracted{Target: "E0001"}).state
	if At(st.state, back).Triggered("plan", "session", one) {
		t.Error("a retracted trigger counts")
	}
	st.tell(one, triggered("plan", "session"))
	if e, _ := At(st.state, back).Gates["plan"].Of(one); e.Triggered == nil || e.Triggered.Event != "E0002" {
		t.Errorf("%+v", e)
	}
	st.tell(one, &events.GateCleared{Name: "plan", Reason: events.GateClearedSingleUse})
	if e, _ := st.state.Gates["plan"].Of(one); e.Triggered != nil {
		t.Errorf("used up: %+v", e)
	}
}

// A session that goes on after its deletion is held anew, and what it is then told to do counts; what it did before
// does not, nor is it carried over.
func TestDeletedSessionThatGoesOn(t *testing.T) {
	st := new(story).tell(one, satisfied("plan", "session"), triggered("plan", "session"))
	gone := new(story).tell("", &events.RecordRetracted{}, &events.RecordRetracted{}).tell(one, &events.SessionDeleted{}).state // 3 s after noon
	s := At(st.state, gone)
	if e, _ := s.Gates["plan"].Of(one); s.Satisfied("plan", "session", one, noon) || e.Triggered != nil || s.Count() != 0 {
		t.Errorf("before: %+v", e)
	}
	if from, _, ok := s.Carried("plan", two, noon, time.Hour); ok {
		t.Errorf("carried from %s", from)
	}
	st.tell("", &events.RecordRetracted{}).tell(one, triggered("plan", "session"))
	s = At(st.state, gone)
	if e, _ := s.Gates["plan"].Of(one); e.Triggered == nil || e.Triggered.Event != "E0004" || s.Satisfied("plan", "session", one, noon) {
		t.Errorf("held anew: %+v", e)
	}
	st.tell(one, satisfied("plan", "session"))
	if s = At(st.state, gone); !s.Satisfied("plan", "session", one, noon) {
		t.Error("what it did after its deletion does not count")
	}
}
