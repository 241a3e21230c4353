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
	ID         string    `json:"id" jsonschema_description:"id of the project, 12 hex digits"`
	Name       string    `json:"name,omitempty" jsonschema_description:"name of the project's folder or remote"`
	Path       string    `json:"path,omitempty" jsonschema_description:"path of the project's git common directory, or of its plain folder, where it is now"`
	Git        bool      `json:"git,omitempty" jsonschema_description:"the project is a git repository"`
	RootCommit string    `json:"root_commit,omitempty" jsonschema_description:"hash of the repository's first commit"`
	Remote     string    `json:"remote,omitempty" jsonschema_description:"address of the repository's remote, without credentials"`
	Paths      []string  `json:"paths,omitempty" jsonschema_description:"all known paths of the project, the newest last, at most 16"`
	FirstSeen  time.Time `json:"first_seen,omitzero" jsonschema_description:"when the project's first hook came"`
	LastSeen   time.Time `json:"last_seen,omitzero" jsonschema_description:"when the project's newest session was active"`
	Sessions   int       `json:"sessions,omitempty" jsonschema_description:"number of starts of sessions; a session that ran before its hooks were installed has none"`
	Joined     []string  `json:"joined,omitempty" jsonschema_description:"ids of the projects that were given up for this one"`
	JoinedInto string    `json:"joined_into,omitempty" jsonschema_description:"id of the project that this one was given up for"`
}

// Table is the projection. A join concerns two cells, so a state has its key before the first event: a handler has to
// know which of the two it folds into.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Start:   Start,
	On: projector.Handlers(
		projector.On((*State).projectSeen),
		projector.On((*State).projectMoved),
		projector.On((*State).projectRehomed).In(bothProjects),
		projector.On((*State).sessionStarted),
	),
	Index: Words,
})

// Start returns the cell of a project before its first event.
func Start(id string) State { return State{ID: id} }

// bothProjects is the scope of joins: the project that takes in, and the one that is given up. That is named in the
// data of the record, so the joins of all projects are read for it.
var bothProjects = &projector.Scope{
	Keys: func(r events.Record) []string {
		if r.Project == "" {
			return nil
		}
		from := r.Event.(*events.ProjectRehomed).From
		if from == "" || from == r.Project {
			return []string{r.Project}
		}
		return []string{r.Project, from}
	},
	Records: func(string) []projector.Selector { return []projector.Selector{{}} },
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
	isGivenUp := e.From == s.ID && e.From != r.Project
	if isGivenUp {
		s.JoinedInto = r.Project
		s.Joined, _ = copies.Take(s.Joined, func(id string) bool { return id == r.Project })
		return
	}
	s.active(r)
	s.join(e)
}

func (s *State) sessionStarted(r events.Record, e *events.SessionStarted) {
	s.active(r)
	switch e.Source {
	case "resume", "compact": // the session goes on
	default: // a source of later clients begins a session, too
		s.Sessions++
	}
}

// projectSeen takes over what the project looks like. Seen at a second path (a joined folder) it keeps its own and
// learns only what it did not know: a project changes its path by project.moved alone. An empty root commit erases
// nothing, since git may not have answered in time.
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

// newest returns a list with a value as its last, once, and of that at most the last limit values.
func newest(list []string, value string, limit int) []string {
	if value == "" {
		return list
	}
	others, _ := copies.Take(list, func(other string) bool { return other == value })
	return copies.Push(others, value, limit)
}

// older returns the paths with one before them, where it is not known yet and there is room.
func older(paths []string, path string) []string {
	if path == "" || len(paths) >= maxPaths || slices.Contains(paths, path) {
		return paths
	}
	return append([]string{path}, paths...)
}
