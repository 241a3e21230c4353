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

// Start is the cell of a project before its first event. A cell of [Fold] begins with it wherever its
// key is known: only so does an event that concerns two cells know which of them it is folded into.
func Start(id string) State { return State{ID: id} }

// Key is the project that an event of this table belongs to, "" for other events.
func Key(r events.Record) string {
	switch r.Event.(type) {
	case *events.ProjectSeen, *events.ProjectMoved, *events.ProjectRehomed, *events.SessionStarted:
		return r.Project
	}
	return ""
}

// Keys are all cells that an event is folded into: that of [Key], and for project.rehomed also that
// of the project which is given up.
func Keys(r events.Record) []string {
	key := Key(r)
	if key == "" {
		return nil
	}
	if e, ok := r.Event.(*events.ProjectRehomed); ok && e.From != "" && e.From != key {
		return []string{key, e.From}
	}
	return []string{key}
}

// Fold is one step of a project's cell. It is total, and changes no slice of s.
func Fold(s State, r events.Record) State {
	key := Key(r)
	if key == "" {
		return s
	}
	if e, ok := r.Event.(*events.ProjectRehomed); ok && e.From != "" && e.From != key && s.ID == e.From {
		s.JoinedInto = key
		s.Joined, _ = events.Take(s.Joined, func(id string) bool { return id == key })
		return s
	}
	if s.ID == "" {
		s.ID = key
	}
	if s.FirstSeen.IsZero() || r.Time.Before(s.FirstSeen) { // events may come late, from the spool
		s.FirstSeen = r.Time
	}
	if r.Time.After(s.LastSeen) {
		s.LastSeen = r.Time
	}

	switch e := r.Event.(type) {
	case *events.ProjectSeen:
		return s.seen(e)
	case *events.ProjectMoved:
		if e.To != "" {
			s.Path = e.To
			s.Paths = newest(newest(s.Paths, e.From, maxPaths), e.To, maxPaths)
		}
	case *events.ProjectRehomed:
		return s.join(e)
	case *events.SessionStarted:
		if e.Source != "resume" && e.Source != "compact" { // a source of the future begins a session, too
			s.Sessions++
		}
	}
	return s
}

// seen takes over what the project looks like. Seen at a second path (a joined folder) it keeps its
// own and learns only what it did not know: a project changes its path by project.moved alone. An
// empty root commit erases nothing, since git may not have answered in time.
func (s State) seen(e *events.ProjectSeen) State {
	if s.Path != "" && e.Path != s.Path {
		s.Paths = older(s.Paths, e.Path)
		s.RootCommit = cmp.Or(s.RootCommit, e.RootCommit)
		s.Remote = cmp.Or(s.Remote, e.Remote)
		return s
	}
	s.Path, s.Git, s.Name = e.Path, e.Git, e.Name
	s.Paths = newest(s.Paths, e.Path, maxPaths)
	if e.RootCommit != "" {
		s.RootCommit, s.Remote = e.RootCommit, e.Remote
	} else if e.Remote != "" {
		s.Remote = e.Remote
	}
	return s
}

// join takes another project in. Whoever takes in lives again, so that no chain of joins can close
// to a ring.
func (s State) join(e *events.ProjectRehomed) State {
	if e.From == "" || e.From == s.ID {
		return s
	}
	s.JoinedInto = ""
	s.Joined = newest(s.Joined, e.From, maxJoined)
	s.Paths = older(s.Paths, e.Path)
	return s
}

// newest puts v last, once, and keeps the last limit.
func newest(list []string, v string, limit int) []string {
	if v == "" {
		return list
	}
	rest, _ := events.Take(list, func(x string) bool { return x == v })
	return events.Push(rest, v, limit)
}

// older puts p before the rest where it is not known yet, and only where there is room.
func older(paths []string, p string) []string {
	if p == "" || slices.Contains(paths, p) || len(paths) >= maxPaths {
		return paths
	}
	return append([]string{p}, paths...)
}
