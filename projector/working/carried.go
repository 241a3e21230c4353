package working

import (
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
	"hookline/events/wording"
)

// What a session was handed over when it started: the session that it goes on from, and what was open in the project. That
// stays with the session until its own work closes it, so that a session which says nothing of it loses nothing.

// maxCarried bounds the carried items of one cell.
const maxCarried = 60

// Taken is the session that another one goes on from.
type Taken struct {
	From     string `json:"from" jsonschema_description:"whole id of the session that hands over"`
	Origin   bool   `json:"origin,omitempty" jsonschema_description:"this session is a fork of that one"`
	Headless bool   `json:"headless,omitempty" jsonschema_description:"that session did all its work without a person at the terminal"`
	Goals    bool   `json:"goals,omitempty" jsonschema_description:"goal and task of that session are handed over, too"`
	Call     int    `json:"call,omitempty" jsonschema_description:"number of this session's calls until then"`
	Event    string `json:"event" jsonschema_description:"id of the event that says so"`
}

// Carried is one thing that was open when the session started.
type Carried struct {
	events.OpenItem
	Closed string `json:"closed,omitempty" jsonschema_description:"id of the event that closed it in this session; absent while it is open"`
}

// handoverTaken takes in what the session was handed over. What it has closed since an earlier start stays closed.
func (s *State) handoverTaken(r events.Record, e *events.HandoverTaken) {
	s.Taken = &Taken{
		From:     wording.Clip(e.From, maxLine),
		Origin:   e.Origin,
		Headless: e.Headless,
		Goals:    e.Goals,
		Call:     s.Calls,
		Event:    r.ID,
	}

	before := s.Carried
	s.Carried, _ = copies.Take(before, func(c Carried) bool { return c.Closed == "" })
	for _, item := range e.Open {
		known := slices.ContainsFunc(s.Carried, func(c Carried) bool { return c.Same(item) })
		look := item.Kind == events.OpenFailure && failureOfItem(item).Kind == action.Other
		older := item.Kind == events.OpenStep && item.Session != e.From // a session with work has followed
		if !known && !look && !older {
			s.Carried = copies.Push(s.Carried, Carried{OpenItem: item}, maxCarried)
		}
	}
}

// StillOpen returns what the session was handed over and has not closed.
func (s State) StillOpen() []events.OpenItem {
	var list []events.OpenItem
	for _, c := range s.Carried {
		if c.Closed == "" {
			list = append(list, c.OpenItem)
		}
	}
	return list
}

// closeCarried closes the carried items that match.
func (s *State) closeCarried(r events.Record, matches func(events.OpenItem) bool) {
	closes := func(c Carried) bool { return c.Closed == "" && matches(c.OpenItem) }
	if !slices.ContainsFunc(s.Carried, closes) { // nearly always: most records close nothing
		return
	}

	s.Carried = slices.Clone(s.Carried)
	for i, c := range s.Carried {
		if closes(c) {
			s.Carried[i].Closed = r.ID
		}
	}
}

// closeTasks closes the carried steps and things to do that a list of this session's own names: it has them now, whatever
// their status.
func (s *State) closeTasks(r events.Record, texts ...string) {
	s.closeCarried(r, func(i events.OpenItem) bool {
		return i.IsTask() && slices.ContainsFunc(texts, func(text string) bool { return SameTask(text, i.Text) })
	})
}

// SameTask reports whether two texts name one thing to do. One of them may be cut.
func SameTask(one, other string) bool {
	one, other = strings.ToLower(wording.Flat(one)), strings.ToLower(wording.Flat(other))
	one, other = strings.TrimRight(one, "…. "), strings.TrimRight(other, "…. ")
	if one == "" || other == "" {
		return false
	}
	cut := min(len(one), len(other)) >= minSameTask
	return one == other || cut && (strings.HasPrefix(one, other) || strings.HasPrefix(other, one))
}

// minSameTask is the number of bytes from which on the beginning of a task stands for the task.
const minSameTask = 40

// Mends reports whether the session has done, after it, what mends something that another session left open: a command on the
// target of a failure that succeeded, an edit of the file, an entry of its list that is completed.
func (s State) Mends(item events.OpenItem) bool {
	if item.Kind == events.OpenConstraint {
		return false
	}
	if item.IsTask() {
		return slices.ContainsFunc(s.Todos, func(t Todo) bool { return t.Status == "completed" && SameTask(t.Text, item.Text) })
	}
	return s.mends(item)
}
