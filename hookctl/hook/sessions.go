package hook

import (
	"slices"
	"strings"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/project"
	"hookline/projector/session"
)

// Sessions and their projects: where a session is, in which phase of its life, and what was odd about a hook.

// Sighting is how a project looks, and whether it is a known one that moved.
type Sighting struct {
	Project string // id
	Seen    events.ProjectSeen
	Moved   bool
}

// decideSession returns the events about the project that the log does not have yet.
func decideSession(_ Input, w World, r Reader) []events.Event { return w.Seen.News(r) }

// News returns project.seen for a project that looks otherwise than the log says, after project.moved when it is a known one
// elsewhere.
func (l *Sighting) News(r Reader) []events.Event {
	if l == nil {
		return nil
	}
	old, _ := projector.State[project.State](r.Reader, project.Name, l.Project)
	seen := l.Seen

	joined := !l.Moved && old.Path != seen.Path && slices.Contains(old.Paths, seen.Path)
	sameCommit := old.RootCommit == seen.RootCommit || seen.RootCommit == ""
	sameRemote := old.Remote == seen.Remote || seen.Remote == ""
	switch {
	case joined, old.Path == seen.Path && sameCommit && sameRemote:
		return nil
	case l.Moved && old.Path != "":
		by := strings.TrimSpace(seen.RootCommit + " " + seen.Remote)
		return []events.Event{&events.ProjectMoved{From: old.Path, To: seen.Path, By: by}, &seen}
	}
	return []events.Event{&seen}
}

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
