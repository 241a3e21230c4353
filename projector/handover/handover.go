// Package handover folds which sessions of a project did work, and when last: the newest of them hands its work over to
// a session that starts (DECISIONS "which session is handed over"). One cell per project, keyed by its id.
//
// A session is with work when
//
//	a tool of it changed a file, or
//	three calls came after a prompt of substance ([speech.Substantial]), or
//	it had three prompts of substance.
//
// Whether a session ended, was killed or was imported does not matter; only the times of its own events count. What the
// fold of sessions knows (live, process, entrypoint as it is now) is not kept once more.
package handover

import (
	"cmp"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/speech"
	"hookline/projector"
)

// Name and Version of the projection's cells.
const (
	Name    = "handover"
	Version = 3
)

// Bounds of a cell, by kind of session, so that many of one kind do not push out the others: a CI has hundreds of headless
// runs a day, and a client that is opened and closed leaves a session each time.
const (
	maxAttended = 32
	maxHeadless = 16
	maxIdle     = 64 // without work, and deleted ones
)

// enough is the number of calls after a prompt of substance, and of such prompts, from which on a session is with work.
const enough = 3

// AttendedFor is the time after the work of an attended session in which no headless one is handed over.
const AttendedFor = 24 * time.Hour

// State has the newest sessions of a project.
type State struct {
	Sessions []Session `json:"sessions,omitempty" jsonschema_description:"sessions of the project in the order in which they came, at most 112"`
}

// Session is one session with what decides whether it did work.
type Session struct {
	ID       string    `json:"id" jsonschema_description:"whole id of the session"`
	Edits    int       `json:"edits,omitempty" jsonschema_description:"number of calls that changed a file"`
	Prompts  int       `json:"prompts,omitempty" jsonschema_description:"number of prompts of substance"`
	Calls    int       `json:"calls,omitempty" jsonschema_description:"number of calls after the first prompt of substance"`
	Worked   time.Time `json:"worked,omitzero" jsonschema_description:"when the newest edit, prompt of substance or call after one was captured"`
	Headless bool      `json:"headless,omitempty" jsonschema_description:"the client runs without a person at the terminal"`
	Attended bool      `json:"attended,omitempty" jsonschema_description:"some of the work was done while the client did not run headless"`
	Deleted  time.Time `json:"deleted,omitzero" jsonschema_description:"when the session was deleted"`
}

// WithWork reports whether the session did work.
func (s Session) WithWork() bool {
	return s.Edits > 0 || s.Prompts >= enough || s.Prompts > 0 && s.Calls >= enough
}

// Unattended reports whether all work of the session was done headless.
func (s Session) Unattended() bool { return !s.Attended }

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Skip:    ofNoSession,
	On: projector.Handlers(
		projector.On((*State).sessionStarted),
		projector.On((*State).sessionDeleted),
		projector.On((*State).promptSubmitted),
		projector.On((*State).toolSucceeded),
		projector.On((*State).toolFailed),
	),
})

// ofNoSession reports records without a session, and those of the health check.
func ofNoSession(r events.Record) bool {
	return r.Session == "" || r.Facts != nil && r.Facts.Ephemeral
}

func (s *State) sessionStarted(r events.Record, e *events.SessionStarted) {
	s.change(r, func(was *Session) {
		revived := !was.Deleted.IsZero() && e.Source != "compact" && r.Time.After(was.Deleted)
		if revived || e.Source == "clear" {
			*was = Session{ID: was.ID, Headless: was.Headless}
		}
	})
}

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	s.change(r, func(was *Session) { *was = Session{ID: was.ID, Deleted: r.Time} })
}

// promptSubmitted counts prompts of substance: of the user, and of the lead of a team.
func (s *State) promptSubmitted(r events.Record, e *events.PromptSubmitted) {
	isOrder := func(m speech.Message) bool { return m.IsLead() && speech.Substantial(m.Text) }
	isRequest := speech.Substantial(e.UserText()) || slices.ContainsFunc(speech.Teammates(e.Prompt), isOrder)
	if r.AgentID != "" || !isRequest {
		return
	}
	s.change(r, func(was *Session) {
		was.Prompts++
		was.worked(r)
	})
}

// toolSucceeded counts a call, and whether it changed a file. What a subagent did is the session's work, too.
func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	s.change(r, func(was *Session) {
		switch e.ToolName {
		case "Edit", "MultiEdit", "Write", "NotebookEdit", events.ToolPatch:
			was.Edits++
		}
		was.called(r)
	})
}

func (s *State) toolFailed(r events.Record, _ *events.ToolFailed) {
	s.change(r, func(was *Session) { was.called(r) })
}

// called counts a call, as far as it is part of work.
func (s *Session) called(r events.Record) {
	if s.Prompts > 0 {
		s.Calls++
	}
	if s.Prompts > 0 || s.Edits > 0 {
		s.worked(r)
	}
}

// worked takes in when the session did work. A frame that comes late does not make it older.
func (s *Session) worked(r events.Record) {
	if r.Time.After(s.Worked) {
		s.Worked = r.Time
	}
	if !s.Headless {
		s.Attended = true
	}
}

// change changes the session of a record, which is new where the list does not have it. Of a deleted session nothing counts but
// a new start, as [projector/session] has it.
func (s *State) change(r events.Record, how func(*Session)) {
	at := s.indexOf(r.Session)
	isNew := at < 0
	if isNew {
		at = len(s.Sessions)
		s.Sessions = append(s.Sessions, Session{ID: r.Session})
	}

	was := s.Sessions[at]
	now := was
	if r.Facts != nil && r.Facts.Entrypoint != "" {
		now.Headless = events.Headless(r.Facts.Entrypoint)
	}
	how(&now)
	if !was.Deleted.IsZero() && !now.Deleted.IsZero() {
		return
	}

	s.Sessions[at] = now
	if room := now.room(); isNew || room != was.room() {
		s.makeRoom(room)
	}
}

// indexOf returns the place of a session in the list, -1 where it is not there. It is mostly one of the last.
func (s *State) indexOf(id string) int {
	for i, x := range slices.Backward(s.Sessions) {
		if x.ID == id {
			return i
		}
	}
	return -1
}

// makeRoom removes a session of a kind, named by the room that it has, where there are too many. Of those with work the one goes
// whose work is the oldest, of the others the one that came first: one that is just imported may still come to work.
func (s *State) makeRoom(room int) {
	count, oldest := 0, -1
	for i, x := range s.Sessions {
		if x.room() != room {
			continue
		}
		count++
		older := oldest < 0 || room != maxIdle && x.Worked.Before(s.Sessions[oldest].Worked)
		if older {
			oldest = i
		}
	}
	if count > room {
		s.Sessions = slices.Delete(s.Sessions, oldest, oldest+1)
	}
}

// room returns how many sessions of this one's kind are kept.
func (s Session) room() int {
	switch {
	case !s.WithWork():
		return maxIdle
	case s.Unattended():
		return maxHeadless
	}
	return maxAttended
}

// Merge returns the sessions of several projects as those of one. Of a session that is in two of them the newer work counts.
func Merge(states ...State) State {
	by := map[string]Session{}
	for _, s := range states {
		for _, x := range s.Sessions {
			other, twice := by[x.ID]
			if !twice || x.Worked.After(other.Worked) {
				by[x.ID] = x
			}
		}
	}

	var all State
	for _, x := range by {
		all.Sessions = append(all.Sessions, x)
	}
	slices.SortFunc(all.Sessions, func(a, b Session) int { return cmp.Or(a.Worked.Compare(b.Worked), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Candidates returns the sessions that could hand over at a time, the one with the newest work first: those with work that
// is not of the future.
func (s State) Candidates(now time.Time) []Session {
	var list []Session
	for _, x := range s.Sessions {
		if x.WithWork() && !x.Worked.After(now.Add(events.MaxAhead)) {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b Session) int { return b.Worked.Compare(a.Worked) })
	return list
}

// Chosen returns the session that hands over, of candidates in the order of [State.Candidates]; false for none. A headless
// one does so only where no attended session has worked within [AttendedFor].
func Chosen(candidates []Session, now time.Time) (Session, bool) {
	if len(candidates) == 0 {
		return Session{}, false
	}
	for _, x := range candidates {
		if x.Attended && now.Sub(x.Worked) < AttendedFor {
			return x, true
		}
	}
	return candidates[0], true
}
