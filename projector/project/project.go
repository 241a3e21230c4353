// Package project folds the table of projects: what each is called, where its folder is and was, how
// many sessions it had, and which projects a user has joined.
//
// A project's id is given once, from the path it was first seen at, and stays when the folder moves.
// Which project a path belongs to is decided by [Recognise] before an event is written; the fold only
// keeps what the events say.
package project

import (
	"cmp"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/projector"
)

// Name and Version of the projection; a cell's shape changes only with the version.
const (
	Name    = "project"
	Version = 2
)

// Bounds of a cell. Paths beyond are dropped oldest first; they only serve recognition and display.
const (
	maxPaths  = 16
	maxJoined = 64
)

// State is one project. The zero value is a project that nothing is known of.
type State struct {
	ID         string    `json:"id" jsonschema_description:"12 hex digits"`
	Name       string    `json:"name,omitempty" jsonschema_description:"of its folder or remote"`
	Path       string    `json:"path,omitempty" jsonschema_description:"git common directory, or plain folder, where it is now"`
	Git        bool      `json:"git,omitempty" jsonschema_description:"it is a repository"`
	RootCommit string    `json:"root_commit,omitempty" jsonschema_description:"hash"`
	Remote     string    `json:"remote,omitempty" jsonschema_description:"address, without credentials"`
	Paths      []string  `json:"paths,omitempty" jsonschema_description:"all known, newest last, at most 16"`
	FirstSeen  time.Time `json:"first_seen,omitzero" jsonschema_description:"when its first hook came"`
	LastSeen   time.Time `json:"last_seen,omitzero" jsonschema_description:"when its newest session was active"`
	Sessions   int       `json:"sessions,omitempty" jsonschema_description:"starts that were seen; a session that ran before its hooks were installed has none"`
	Joined     []string  `json:"joined,omitempty" jsonschema_description:"ids that were given up for this one"`
	JoinedInto string    `json:"joined_into,omitempty" jsonschema_description:"id that this one was given up for"`
}

// Table is the projection. A join concerns two cells, so a state has its key before the first event: a handler has to know
// which of the two it folds into.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   &projector.Scope{Keys: keys, Records: records},
	Start:   Start,
	On: projector.Handlers(
		projector.On((*State).projectSeen),
		projector.On((*State).projectMoved),
		projector.On((*State).projectRehomed),
		projector.On((*State).sessionStarted),
	),
	Index: Words,
})

// Start returns the cell of a project before its first event.
func Start(id string) State { return State{ID: id} }

// keys returns the event's project, and for a join also the project that is given up.
func keys(r events.Record) []string {
	if r.Project == "" {
		return nil
	}
	if e, ok := r.Event.(*events.ProjectRehomed); ok && gives(r, e) {
		return []string{r.Project, e.From}
	}
	return []string{r.Project}
}

// records selects the project's own records, and the joins of all projects: the one that is given up is named in their data.
func records(key string) []projector.Selector {
	return []projector.Selector{
		{Project: key},
		{Types: []string{events.TypeProjectRehomed}},
	}
}

// gives reports whether a join gives a project up for the record's own.
func gives(r events.Record, e *events.ProjectRehomed) bool {
	return e.From != "" && e.From != r.Project
}

// active takes in when the project was seen. Events may come late, from the spool.
func (s *State) active(r events.Record) {
	if s.ID == "" {
		s.ID = r.Project
	}
	if s.FirstSeen.IsZero() || r.Time.Before(s.FirstSeen) {
		s.FirstSeen = r.Time
	}
	if r.Time.After(s.LastSeen) {
		s.LastSeen = r.Time
	}
}

func (s *State) projectMoved(r events.Record, e *events.ProjectMoved) {
	s.active(r)
	if e.To == "" {
		return
	}
	s.Path = e.To
	s.Paths = newest(newest(s.Paths, e.From, maxPaths), e.To, maxPaths)
}

func (s *State) projectRehomed(r events.Record, e *events.ProjectRehomed) {
	if gives(r, e) && s.ID == e.From { // this is the cell of the project that is given up
		s.JoinedInto = r.Project
		s.Joined, _ = copies.Take(s.Joined, func(id string) bool { return id == r.Project })
		return
	}
	s.active(r)
	s.join(e)
}

func (s *State) sessionStarted(r events.Record, e *events.SessionStarted) {
	s.active(r)
	if e.Source != "resume" && e.Source != "compact" { // a source of the future begins a session, too
		s.Sessions++
	}
}

// projectSeen takes over what the project looks like. Seen at a second path (a joined folder) it keeps its own and learns
// only what it did not know: a project changes its path by project.moved alone. An empty root commit erases nothing, since
// git may not have answered in time.
func (s *State) projectSeen(r events.Record, e *events.ProjectSeen) {
	s.active(r)
	if s.Path != "" && e.Path != s.Path {
		s.Paths = older(s.Paths, e.Path)
		s.RootCommit = cmp.Or(s.RootCommit, e.RootCommit)
		s.Remote = cmp.Or(s.Remote, e.Remote)
		return
	}

	s.Path, s.Git, s.Name = e.Path, e.Git, e.Name
	s.Paths = newest(s.Paths, e.Path, maxPaths)
	if e.RootCommit != "" {
		s.RootCommit, s.Remote = e.RootCommit, e.Remote
	} else if e.Remote != "" {
		s.Remote = e.Remote
	}
}

// join takes another project in. Whoever takes in lives again, so that no chain of joins can close to a ring.
func (s *State) join(e *events.ProjectRehomed) {
	if e.From == "" || e.From == s.ID {
		return
	}
	s.JoinedInto = ""
	s.Joined = newest(s.Joined, e.From, maxJoined)
	s.Paths = older(s.Paths, e.Path)
}

// newest puts v last, once, and keeps the last limit.
func newest(list []string, v string, limit int) []string {
	if v == "" {
		return list
	}
	rest, _ := copies.Take(list, func(x string) bool { return x == v })
	return copies.Push(rest, v, limit)
}

// older puts p before the rest where it is not known yet, and only where there is room.
func older(paths []string, p string) []string {
	if p == "" || slices.Contains(paths, p) || len(paths) >= maxPaths {
		return paths
	}
	return append([]string{p}, paths...)
}
