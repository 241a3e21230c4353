package hook

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/speech"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/handover"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Handover: from which session of its project a session that starts goes on, and what was open in the project then (DECISIONS
// "which session is handed over"). It is the newest session with work, see [handover.Chosen]; a fork goes on from its origin,
// whose conversation it has, so that it is told nothing.

// Bounds of what is handed over.
const (
	openAge      = 7 * 24 * time.Hour // what is open is carried on so long
	failureAge   = 24 * time.Hour     // and a failure so long: docs/decisions/0019
	openSessions = 12                 // whose states are looked at for that, those with the newest work
	maxOpenItems = 40                 // of one event
)

// Bounds of what is told of it.
const (
	toldFailures = 3  // of earlier sessions
	toldOpen     = 3  // earlier sessions whose things to do are told
	aboutChars   = 80 // of what another session is about
)

// decideHandover decides from which session another one goes on when it starts, and gives it that one's goal when its prompt
// only says to go on.
func decideHandover(in Input, w World, r Reader) []events.Event {
	if in.Session == "" || in.Hook == nil || in.Call.Verb != VerbHook {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.SessionStarted:
		if out := handoverOf(in, w, r, e.Source); out != nil {
			return []events.Event{out}
		}
	case *events.PromptSubmitted:
		return goalTaken(in, r, e)
	}
	return nil
}

// handoverOf returns what a session that starts is handed over, nil for nothing.
func handoverOf(in Input, w World, r Reader, source string) *events.HandoverTaken {
	if source == "compact" || source == "resume" {
		return nil
	}

	candidates := candidatesFor(r, w.Project, in.Session, in.Time)
	if w.Origin != "" || source == sourceFork {
		return takenFromOrigin(in, w, r, candidates)
	}

	chosen, any := handover.Chosen(candidates, in.Time)
	if !any {
		return nil
	}
	recent := in.Time.Sub(workingOf(r, chosen.ID).Active) <= handoffAge
	return &events.HandoverTaken{
		From:     chosen.ID,
		Headless: chosen.Unattended(),
		Goals:    recent && !startsHeadless(in, w, r),
		Open:     openIn(r, candidates, chosen.ID, in.Time),
	}
}

// sourceFork is the source of a start that the client knows to be a fork.
const sourceFork = "fork"

// forked reports whether a session that starts is a fork: its context holds what its origin's had.
func forked(w World, e *events.SessionStarted) bool { return w.Origin != "" || e.Source == sourceFork }

// takenFromOrigin returns what a fork has of its origin, nil where the log does not know it.
func takenFromOrigin(in Input, w World, r Reader, candidates []handover.Session) *events.HandoverTaken {
	origin := originOf(in, w, r)
	if state := workingOf(r, origin); origin == "" || state.ID == "" || state.Deleted {
		return nil
	}
	own := slices.DeleteFunc(candidates, func(s handover.Session) bool { return s.ID != origin })
	return &events.HandoverTaken{From: origin, Origin: true, Goals: true, Open: openIn(r, own, origin, in.Time)}
}

// originOf returns the session of the project that one which starts is a fork of: the one that the world names, else the one
// that the same process ran last. It is "" where neither is known.
func originOf(in Input, w World, r Reader) string {
	if w.Origin != "" {
		if life := sessionOf(r, w.Origin); life.Project == w.Project && life.Status != session.Deleted {
			return w.Origin
		}
		return ""
	}

	p := session.Process{PID: w.Facts.PID, Start: w.Facts.PIDStart}
	if p.PID == 0 {
		return ""
	}
	var newest session.State
	for _, s := range sessionsIn(r, w.Project).Sessions {
		life := sessionOf(r, s.ID)
		ranHere := s.ID != in.Session && life.Process() == p && life.Status != session.Deleted
		if ranHere && life.LastActive.After(newest.LastActive) {
			newest = life
		}
	}
	return newest.ID
}

// sessionsIn returns the sessions of a project with those of the projects that were joined into it.
func sessionsIn(r Reader, project string) handover.State {
	sessions, _ := projector.State[handover.State](r.Reader, handover.Name, project)
	if joined := ofJoined[handover.State](r.Reader, handover.Name, project); joined != nil {
		sessions = handover.Merge(append(joined, sessions)...)
	}
	return sessions
}

// candidatesFor returns the other sessions of a project that could hand over, see [handover.State.Candidates].
func candidatesFor(r Reader, project, own string, now time.Time) []handover.Session {
	all := sessionsIn(r, project).Candidates(now)
	return slices.DeleteFunc(all, func(s handover.Session) bool { return s.ID == own })
}

// startsHeadless reports whether the session of a frame runs without a person at the terminal.
func startsHeadless(in Input, w World, r Reader) bool {
	return events.Headless(cmp.Or(w.Facts.Entrypoint, sessionOf(r, in.Session).Entrypoint))
}

// openIn returns what sessions left open, the newest last: their own failures, things to do and constraints, and what they were
// handed over themselves. What one of them has closed is closed for all. Next steps are those of the session that hands over: of
// one before it a session with work has followed.
func openIn(r Reader, sessions []handover.Session, from string, now time.Time) []events.OpenItem {
	states := statesOf(r, sessions, now)
	var open []events.OpenItem
	for _, s := range states {
		for _, item := range append(openOf(s), s.StillOpen()...) {
			known := slices.ContainsFunc(open, func(other events.OpenItem) bool { return sameThing(item, other) })
			tooOld := isTooOld(item, now)
			passed := item.Kind == events.OpenStep && item.Session != from
			if known || tooOld || passed || closedIn(states, item) || ofDeleted(r, item) {
				continue
			}
			open = append(open, item)
		}
	}
	slices.SortStableFunc(open, func(a, b events.OpenItem) int { return cmp.Compare(b.Age(now), a.Age(now)) })
	return open[max(0, len(open)-maxOpenItems):]
}

// isTooOld reports whether something that another session left open is told no more.
func isTooOld(item events.OpenItem, now time.Time) bool {
	if item.Kind == events.OpenFailure {
		return item.Age(now) > failureAge
	}
	return item.Age(now) > openAge
}

// statesOf returns the states of sessions whose open things are still carried on.
func statesOf(r Reader, sessions []handover.Session, now time.Time) []working.State {
	var states []working.State
	for _, s := range sessions[:min(len(sessions), openSessions)] {
		if now.Sub(s.Worked) <= openAge {
			states = append(states, workingOf(r, s.ID))
		}
	}
	return states
}

// withoutClosed returns the state of a session that goes on without what another session of the project has closed since.
func withoutClosed(in Input, w World, r Reader, s working.State) working.State {
	if s.Open == nil && s.Todos == nil && s.Steps == nil && s.Carried == nil {
		return s
	}
	others := statesOf(r, candidatesFor(r, w.Project, in.Session, in.Time), in.Time)

	closed := map[string]bool{} // by event and text
	for _, item := range append(openOf(s), s.StillOpen()...) {
		closed[item.Event+" "+item.Text] = closedIn(others, item) || ofDeleted(r, item)
	}
	s.Open, _ = copies.Take(s.Open, func(f working.Failure) bool { return closed[f.Event+" "+f.Text] })
	s.Todos, _ = copies.Take(s.Todos, func(t working.Todo) bool { return closed[t.Event+" "+t.Text] })
	s.Carried, _ = copies.Take(s.Carried, func(c working.Carried) bool { return closed[c.Event+" "+c.Text] })
	if s.Steps != nil {
		steps := *s.Steps
		steps.Texts, _ = copies.Take(steps.Texts, func(text string) bool { return closed[steps.Event+" "+text] })
		s.Steps = &steps
		if steps.Texts == nil {
			s.Steps = nil
		}
	}
	return s
}

// openOf returns what a session left open itself.
func openOf(s working.State) []events.OpenItem {
	var list []events.OpenItem
	add := func(kind, text, event string) {
		item := events.OpenItem{Kind: kind, Text: text, Session: s.ID, Event: event, Time: timeOf(event, s.Active)}
		list = append(list, item)
	}
	for _, t := range s.Pending() {
		add(events.OpenTodo, t.Text, t.Event)
	}
	if s.Steps != nil {
		for _, text := range s.Steps.Texts {
			add(events.OpenStep, text, s.Steps.Event)
		}
	}
	if s.Goal != nil {
		for _, c := range s.Constraints {
			// What was said of the work at hand alone ends with its session; what the lead of a team said holds for its team.
			if c.By == "" && speech.Standing(c.Text) {
				add(events.OpenConstraint, c.Text, c.Event)
			}
		}
	}
	for _, f := range s.Open {
		item := events.OpenItem{Kind: events.OpenFailure, Text: f.Text, Target: f.Target, Folder: f.Folder, Tool: f.Tool, Session: s.ID, Event: f.Event, Time: f.Time.UTC().Format(time.RFC3339Nano)}
		list = append(list, item)
	}
	return list
}

// timeOf returns when an event of a session was captured, as its id says; else, and where the clock was ahead then, the time
// of the session's newest event.
func timeOf(event string, newest time.Time) string {
	at := newest
	if ms, ok := events.IDTime(event); ok && ms < newest.UnixMilli() {
		at = time.UnixMilli(ms)
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// sameThing reports whether two items name one thing: of a target the newest failure counts, and a thing to do is told once.
func sameThing(one, other events.OpenItem) bool {
	switch {
	case one.Kind == events.OpenFailure || other.Kind == events.OpenFailure:
		return one.Kind == other.Kind && one.Target == other.Target && one.Folder == other.Folder
	case one.Kind == events.OpenConstraint || other.Kind == events.OpenConstraint:
		return one.Kind == other.Kind && speech.SameConstraint(one.Text, other.Text)
	}
	return working.SameTask(one.Text, other.Text)
}

// closedIn reports whether one of the sessions has closed an item that another one left open: it was handed it and closed it,
// or did later what mends it.
func closedIn(states []working.State, item events.OpenItem) bool {
	return slices.ContainsFunc(states, func(s working.State) bool {
		handed := slices.ContainsFunc(s.Carried, func(c working.Carried) bool { return c.Closed != "" && c.Same(item) })
		return handed || s.ID != item.Session && s.Mends(item)
	})
}

// ofDeleted reports whether the session that left something open was deleted since.
func ofDeleted(r Reader, item events.OpenItem) bool { return workingOf(r, item.Session).Deleted }

// takenBy returns what the session of a frame was handed over, nil for nothing: with its start, or with the one before this
// frame.
func takenBy(in Input, w World, r Reader) *events.HandoverTaken {
	if e := decidedAs[*events.HandoverTaken](r); e != nil {
		return e
	}
	if e, ok := in.Event.(*events.SessionStarted); ok && !in.again {
		return handoverOf(in, w, r, e.Source)
	}
	return takenBefore(r, in.Session)
}

// takenBefore returns what a session was handed over with an earlier frame, as far as it has not closed it; nil for nothing.
func takenBefore(r Reader, id string) *events.HandoverTaken {
	own := workingOf(r, id)
	if own.Taken == nil {
		return nil
	}
	return &events.HandoverTaken{From: own.Taken.From, Origin: own.Taken.Origin, Headless: own.Taken.Headless, Goals: own.Taken.Goals, Open: own.StillOpen()}
}

// handedWith returns the event of what the session of a frame was handed over, as it was decided with its start.
func handedWith(in Input, w World, r Reader) []events.Event {
	if taken := takenBy(in, w, r); taken != nil {
		return []events.Event{taken}
	}
	return nil
}

// goalTaken gives a session without a goal, whose prompt only says to go on, goal and task of the session that it goes on from.
func goalTaken(in Input, r Reader, e *events.PromptSubmitted) []events.Event {
	own := workingOf(r, in.Session)
	if !speech.GoesOn(e.UserText()) || own.Goal != nil || own.Taken == nil || !own.Taken.Goals {
		return nil
	}
	before := workingOf(r, own.Taken.From)
	if before.Goal == nil {
		return nil
	}

	out := &events.GoalSet{Text: before.Goal.Text, From: before.Goal.Event}
	if before.Task != nil && before.Task.Event != before.Goal.Event {
		out.Task = before.Task.Text
	}
	return []events.Event{out}
}

// identityBefore returns the identity that a session which starts goes on from: of a fork its origin's, else that of the
// session which hands over its work, where it was persisted, else the newest of the project that was. The zero state, which
// is not born, says that there is none.
func identityBefore(in Input, w World, r Reader) identity.State {
	if e, ok := in.Event.(*events.SessionStarted); ok && forked(w, e) {
		return identityOfOrigin(in, w, r, e)
	}

	candidates := candidatesFor(r, w.Project, in.Session, in.Time)
	for {
		chosen, any := handover.Chosen(candidates, in.Time)
		if !any {
			return latest(r, w.Project, in.Session)
		}
		if s := persisted(r, chosen.ID, w.Project, in.Session); s.Born {
			return s
		}
		candidates = slices.DeleteFunc(candidates, func(s handover.Session) bool { return s.ID == chosen.ID })
	}
}

// identityOfOrigin returns the identity that a fork goes on from, its origin's. Where the client has a transcript for it and
// nothing names the origin the fork has none: that of another session would not be its own.
func identityOfOrigin(in Input, w World, r Reader, e *events.SessionStarted) identity.State {
	origin := originOf(in, w, r)
	if s, born := identityOf(r, origin); origin != "" && born && !s.Deleted {
		s.SessionID = origin
		return s
	}
	if w.Origin == "" && e.TranscriptPath == "" {
		return latest(r, w.Project, in.Session)
	}
	return identity.State{}
}

// tellTaken returns what a session that starts is told of the one that it goes on from, whose state s is.
func tellTaken(in Input, w World, r Reader, taken *events.HandoverTaken, s working.State) []Item {
	if taken == nil || taken.Origin {
		return nil
	}

	kind := "session"
	if taken.Headless {
		kind = "headless session"
	}
	from := fromText(kind, s, in.Time, w.Worktree)

	var items []Item
	carried := taken.Open
	if in.Time.Sub(s.Active) <= handoffAge {
		items = handedItems(s, in.Time, from)
		if !taken.Goals {
			items = projectOnly(items, from)
		}
		// Its own are told with the rest of it.
		carried = slices.DeleteFunc(slices.Clone(carried), func(i events.OpenItem) bool { return i.Session == s.ID })
	}
	items = append(items, carriedItems(carried, s.Worktree, in.Time)...)
	return append(items, besideItems(in, w, r, taken)...)
}

// projectOnly returns of what a session hands over the part that a headless one is told: what is open and the files, no goal
// and no task, since its own prompt comes at once.
func projectOnly(handed []Item, from string) []Item {
	var items []Item
	for _, it := range handed {
		switch it.ID {
		case "working.from", "working.goal", "working.task", "working.prompt", "working.phase", "working.done", "working.handoff", "working.commands", "working.left":
		default:
			items = append(items, it)
		}
	}
	if items == nil {
		return nil
	}
	return append([]Item{item("working.from", RankGoal, from+".", items[0].Event)}, items...)
}

// fromText says from which kind of session something comes; here is the work tree of the session that is told, "" for none.
func fromText(kind string, s working.State, now time.Time, here string) string {
	from := fmt.Sprintf("[PHASE: SESSION_START] From %s %s, %s ago", kind, events.Alias(s.ID), wording.Age(now.Sub(s.Active)))
	if here != "" && s.Worktree != "" && s.Worktree != here {
		from += ", in " + wording.Short(s.Worktree, failureChars) // its paths are of another work tree
	}
	return from
}

// carriedItems tell what earlier sessions left open, each with the session and its age, the newest first: failures an item
// each, things to do an item for each session. What is behind the first ones stands in a list of each kind.
func carriedItems(open []events.OpenItem, root string, now time.Time) []Item {
	var items []Item
	var failures []entry // behind the first ones
	var sessions []string
	todos := map[string][]events.OpenItem{}
	var steps, constraints []events.OpenItem
	for _, o := range slices.Backward(open) {
		if isTooOld(o, now) {
			continue
		}
		switch o.Kind {
		case events.OpenConstraint:
			constraints = append(constraints, o)
			continue
		case events.OpenStep:
			steps = append(steps, o)
			continue
		case events.OpenTodo:
			if todos[o.Session] == nil {
				sessions = append(sessions, o.Session)
			}
			todos[o.Session] = append(todos[o.Session], o)
			continue
		}

		text := fmt.Sprintf("%s ended with an error%s (%s)", failedText(root, o.Tool, o.Target), saidText(o.Tool, o.Text), originText(o, now))
		if len(items) < toldFailures {
			items = append(items, item("working.carried "+o.Event, RankBlockers, "Not mended: "+text, o.Event))
		} else {
			failures = append(failures, entry{text: text, event: o.Event})
		}
	}
	if failures != nil {
		it := item("working.carried failures", RankBlockers, "", failures[0].event)
		items = append(items, entriesItem(0, it, failures, "Not mended, too: ", "; "))
	}

	items = append(items, carriedSteps(steps, now)...)
	for _, id := range sessions[:min(len(sessions), toldOpen)] {
		var entries []entry
		for _, o := range slices.Backward(todos[id]) {
			entries = append(entries, entry{text: o.Text, event: o.Event})
		}
		it := item("working.carried "+id, RankHandoff, "", entries[0].event)
		title := fmt.Sprintf("Still open (%s): ", originText(todos[id][0], now))
		items = append(items, entriesItem(0, it, entries, title, "; "))
	}
	items = append(items, carriedConstraints(constraints, now)...)
	var older []entry
	for _, id := range sessions[min(len(sessions), toldOpen):] {
		for _, o := range slices.Backward(todos[id]) {
			older = append(older, entry{text: fmt.Sprintf("%s (%s)", o.Text, originText(o, now)), event: o.Event})
		}
	}
	if older != nil {
		it := item("working.carried older", RankHandoff, "", older[0].event)
		items = append(items, entriesItem(0, it, older, "Still open, older: ", "; "))
	}
	return items
}

// carriedSteps tell what the agent of the session before named as next, as its words: nobody can say what was done of it since.
func carriedSteps(steps []events.OpenItem, now time.Time) []Item {
	if steps == nil {
		return nil
	}
	var entries []entry
	for _, o := range slices.Backward(steps) {
		entries = append(entries, entry{text: o.Text, event: o.Event})
	}
	it := item("working.carried steps", RankHandoff, "", entries[0].event)
	title := fmt.Sprintf("Next steps, in the words of the session before (%s): ", originText(steps[0], now))
	return []Item{entriesItem(0, it, entries, title, "; ")}
}

// StillOpen returns what is told of the things that a session was handed over and has not closed.
func StillOpen(s working.State, now time.Time) []Item {
	return carriedItems(s.StillOpen(), s.Worktree, now)
}

// originText says which session left something open, and when.
func originText(o events.OpenItem, now time.Time) string {
	return fmt.Sprintf("session %s, %s ago", events.Alias(o.Session), wording.Age(o.Age(now)))
}

// besideItems names another session of the project that works at the same time as the one that is handed over: one line.
func besideItems(in Input, w World, r Reader, taken *events.HandoverTaken) []Item {
	for _, other := range candidatesFor(r, w.Project, in.Session, in.Time) {
		age := in.Time.Sub(other.Worked)
		life := sessionOf(r, other.ID)
		if other.ID == taken.From || life.Status != session.Live || age > handoffAge {
			continue
		}

		state := "live"
		if life.Process().PID == 0 { // nobody can say whether it was killed
			state = "not ended"
		}
		text := fmt.Sprintf("Another session works here: %s, %s, %s ago", events.Alias(other.ID), state, wording.Age(age))
		s := workingOf(r, other.ID)
		event := cmp.Or(life.Prompt, newestEvent(s))
		if about := cmp.Or(s.Task, s.Goal); about != nil && !startsHeadless(in, w, r) {
			text += ", on: " + wording.Short(about.Text, aboutChars)
			event = about.Event
		}
		return []Item{item("working.beside", RankHandoff, text, event)}
	}
	return nil
}

// newestEvent returns the id of the newest event of a session's files, "" for none.
func newestEvent(s working.State) string {
	if len(s.Files) == 0 {
		return ""
	}
	return s.Files[len(s.Files)-1].Event
}
