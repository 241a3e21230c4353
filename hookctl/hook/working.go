package hook

import (
	"cmp"
	"slices"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Working state (S2): a checkpoint before a compaction, and what a session is given back at its start.

// Ages up to which a state of an earlier session is told (DECISIONS S2).
const (
	handoffAge  = 24 * time.Hour // inclusive: goal, failures, edited files
	extendedAge = time.Hour      // exclusive: files read, commands
)

// toldAge is the age of a failure from which on it is told.
const toldAge = 5 * time.Minute

// Bounds of the lists, in tokens, so that one list leaves room for the others.
const (
	editedTokens = 320
	readTokens   = 260
	seenTokens   = 40 // 5 % of what is told at a compaction

	maxUnmended    = 4 // failures that have a line each
	failuresTokens = 60
	failureChars   = 80
	commandChars   = 61 // the beginning of a command tells which one it is
	saidChars      = 140
)

// decideWorking marks the state that a compaction is about to cut from the context, judges the end of a turn, and writes
// the handoff of a session that ends.
func decideWorking(in Input, w World, r Reader) []events.Event {
	if in.Session == "" || in.Hook == nil || in.Call.Verb != VerbHook {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.CompactionStarted:
		out := &events.CheckpointCreated{Schema: working.Schema, Trigger: e.Trigger}
		if w.Use != nil {
			window := w.Use.WindowIn(sessionOf(r, in.Session))
			out.Phase, out.Percent = session.PhaseOf(w.Use.Tokens, window), session.Percent(w.Use.Tokens, window)
			out.Said = w.Use.Said // in the turn that the compaction cuts
		}
		return []events.Event{out}
	case *events.TurnStopped:
		return decideStop(in, w, r, e)
	case *events.SessionStarted:
		if w.Survey != nil {
			return []events.Event{w.Survey}
		}
	case *events.SessionEnded:
		if h := workingOf(r, in.Session).HandoffOf("session_end"); h != nil {
			return []events.Event{h}
		}
	}
	return nil
}

// tellWorking gives a session that starts what it, or the last session of its project, worked on.
func tellWorking(in Input, w World, r Reader) []Item {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok {
		return append(tellMatched(in, w, r), tellStop(in, r)...)
	}

	s := WorkAt(in, w, r)
	if e.Source == "compact" || e.Source == "resume" {
		s = withoutClosed(in, w, r, s)
	}
	s = s.Present(w.isThere)
	s.Worktree = cmp.Or(s.Worktree, e.Cwd) // outside a repository, paths are told from where the session works
	found := decidedAs[*events.WorkplaceSurveyed](r)
	survey := tellSurvey(in, found, s)
	if found != nil && found.Gone != "" {
		s.Files = nil
	}
	if e.Source == "compact" || e.Source == "resume" {
		items := append(recovered(s, e.Source == "compact", in.Time), carriedItems(s.StillOpen(), s.Worktree, in.Time)...)
		return append(items, survey...)
	}
	if forked(w, e) {
		return nil
	}
	items := append(tellTaken(in, w, r, takenBy(in, w, r), s), survey...)
	return append(items, tellTouched(w, touchesOf(r, w.Project, in.Time), items)...)
}

// workingOf is a session's working state, the zero state when it has none.
func workingOf(r Reader, id string) working.State {
	s, _ := projector.State[working.State](r.Reader, working.Name, id)
	return s
}

// Known is all that a session is told of its own state after a compaction.
func Known(s working.State, now time.Time) []Item { return recovered(s, true, now) }

// recovered returns what a session is given back of its own state. A context that was not compacted has the files and commands still.
func recovered(s working.State, cut bool, now time.Time) []Item {
	phase := "[PHASE: SESSION_REVIVAL] "
	if cut {
		phase = "[PHASE: POST_COMPACT] "
	}
	items := append(goalItems(s, phase, cut), openItems(s, cut, now)...)
	if cut {
		items = append(items, fileItems(s, true, true)...)
		items = append(items, commandItems(s)...)
		seen := foldersItem(seenTokens, "working.seen", RankSeen, "Seen, not opened: ", s.Worktree, s.Unopened())
		items = append(items, selection(seen)...)
		items = append(items, noteItem("said", RankFunctions, "You said last: %s", s.Said, saidChars)...)
	}
	tellsGoal := slices.ContainsFunc(items, func(it Item) bool { return it.ID == "working.goal" })
	if tellsGoal && drifted(s) {
		items = append(items, item("working.drift", RankGoal, "The goal may have drifted: nothing of it was seen in the last turns.", s.Goal.Event))
	}
	return items
}

// Handoff returns what a new session is told of another one of the project, as far as its age allows.
func Handoff(s working.State, now time.Time) []Item {
	return handedItems(s, now, fromText("session", s, now, ""))
}

// handedItems returns the same with the words that say from which session it comes.
func handedItems(s working.State, now time.Time, from string) []Item {
	age := now.Sub(s.Active)
	if s.ID == "" || s.Deleted || age > handoffAge {
		return nil
	}

	items := goalItems(s, from+". ", false)
	hasGoal := len(items) > 0
	for _, it := range openItems(s, false, now) {
		if it.ID == "working.steps" {
			it = stepsItem(*s.Steps, "the words of the session before")
		}
		items = append(items, it)
	}
	recent := age < extendedAge
	items = append(items, fileItems(s, recent, false)...)
	if recent {
		items = append(items, commandItems(s)...)
	}
	if len(items) == 0 {
		return nil
	}
	if !recent && s.Commands != nil {
		last := s.Commands[len(s.Commands)-1]
		items = append(items, item("working.left", RankFunctions, "Not restored: files read and commands, they are older than 1 h.", last.Event))
	}
	if !hasGoal { // what follows is of that session all the same
		items = append([]Item{item("working.from", RankGoal, from+".", items[0].Event)}, items...)
	}
	return items
}
