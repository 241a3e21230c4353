package gate

import (
	"fmt"
	"testing"

	"hookline/events"
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
