package hook

import (
	"hookline/events"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// What a session's start had to say and could not tell in time, because the client had given up waiting: it is told with the
// session's next prompt or call of a tool, once, within the budget of a start (DECISIONS "an answer that came too late").

// Overdue returns what there is to say of a start of the session that was not told, nil for nothing. It is asked before the hook
// is folded: what the hook brings is no answer to the start. The last item has no text and stands for the start itself, so
// that one which had nothing to say is not asked again.
func Overdue(in Input, w World, r Reader) []Item {
	start, late := OverdueStart(in, r)
	if !late {
		return nil
	}
	of := sessionOf(r, in.Session).Start

	if w.Gates != nil {
		gates := *w.Gates
		gates.judged = nil
		w.Gates = &gates
		decideGates(start, w, r) // the judgement is kept in the copy, its events were those of the start
	}
	if taken := takenBefore(r, in.Session); taken != nil && taken.Origin {
		w.Origin = taken.From
	}
	r.Decided = decidedAtStart(start, w, r, of)

	var items []Item
	for _, it := range Tell(start, w, r, true) {
		if !it.User {
			it.start = of
			items = append(items, it)
		}
	}
	return append(items, Item{start: of})
}

// CarriesStart reports whether the answer to a hook can tell what a start could not: to a prompt or a call of the session
// itself.
func CarriesStart(in Input) bool {
	ofSession := in.Hook != nil && in.Call.Verb == VerbHook && in.Session != "" && in.Hook.Hook().AgentID == ""
	if !ofSession {
		return false
	}
	switch in.Event.(type) {
	case *events.PromptSubmitted, *events.ToolRequested, *events.ToolSucceeded, *events.ToolFailed:
		return true
	}
	return false
}

// OverdueStart returns the start of the session that a hook of it can tell, false where there is none that was not told.
func OverdueStart(in Input, r Reader) (Input, bool) {
	if !CarriesStart(in) {
		return Input{}, false
	}
	of := sessionOf(r, in.Session).Start
	if of.Event == "" || of.Told != "" || of.Hooks >= session.StartHooks {
		return Input{}, false
	}
	return startAgain(in, of), true
}

// startAgain returns a start of the session of a hook, as of now.
func startAgain(in Input, of session.Start) Input {
	e := &events.SessionStarted{Common: *in.Hook.Hook(), Source: of.Source}
	e.HookEventName = "SessionStart"
	call := in.Call
	call.Hook = "SessionStart"
	return Input{Call: call, Frame: of.Event, Time: in.Time, Cwd: in.Cwd, Session: in.Session, Event: e, Hook: e, again: true}
}

// decidedAtStart returns what was decided with a start, as the states have it.
func decidedAtStart(start Input, w World, r Reader, of session.Start) []events.Event {
	var list []events.Event
	if own, born := identityOf(r, start.Session); born {
		list = append(list, restoredAs(own, of.Source))
	}
	if w.Survey != nil {
		list = append(list, w.Survey)
	}
	return list
}

// restoredAs returns from what an identity started with a source.
func restoredAs(own identity.State, source string) *events.IdentityRestored {
	out := &events.IdentityRestored{Source: source, Outcome: "new"}
	switch {
	case source == "clear":
		out.Outcome = "fresh"
	case source == "compact":
		out.Outcome, out.Previous = "continued", own.SessionID
	case source == "resume":
		out.Outcome, out.Previous = "resumed", own.SessionID
	case own.PreviousSessionID != "":
		out.Outcome, out.Previous = "restored", own.PreviousSessionID
	}
	return out
}

// overdueOf parts the items for the model into those of a start that was not told, and the others. of is that start, the zero
// value for none.
func overdueOf(items []Item) (late, others []Item, of session.Start) {
	for _, it := range items {
		switch {
		case it.start.Event == "":
			others = append(others, it)
		case it.Text == "":
			of = it.start
		default:
			late, of = append(late, it), it.start
		}
	}
	return late, others, of
}
