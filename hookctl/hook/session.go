package hook

import (
	"hookline/events"
	"hookline/projector/session"
)

// Sessions: in which phase of its life one is, what it has been told, and what was odd about its hooks.

// tellSession tells the user what was odd about the input, each thing once a session.
func tellSession(in Input, _ World, _ Reader) []Item {
	if in.Call.Verb == VerbBrief {
		return nil // the brief has no room for warnings, and its hook no reader
	}
	var items []Item
	for _, w := range in.Warnings {
		items = append(items, Item{ID: "session.warning " + w, Text: w, Event: in.Frame, User: true})
	}
	return items
}

// hadBefore reports whether the model was told an item in this context already. The identity profile repeats all.
func hadBefore(in Input, s session.State, it Item) bool {
	if in.Call.Verb != VerbHook || in.Starts() || in.Hook == nil {
		return false
	}
	return s.Injected[session.InjectedKey(in.Hook.Hook().AgentID, it.ID)] == it.Digest()
}

// PhaseOf returns the lifecycle phase (S2) that a hook belongs to.
func PhaseOf(e events.Event) string {
	switch e := e.(type) {
	case *events.SessionStarted:
		switch e.Source {
		case "compact":
			return "POST_COMPACT"
		case "resume":
			return "SESSION_REVIVAL"
		}
		return "SESSION_START"
	case *events.CompactionStarted:
		return "PRE_COMPACT"
	case *events.CompactionFinished:
		return "POST_COMPACT"
	case *events.TurnStopped:
		return "SESSION_STOP"
	case *events.SessionEnded:
		return "SESSION_CLEANUP"
	}
	return "SESSION_RUNNING"
}
