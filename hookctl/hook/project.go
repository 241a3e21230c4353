package hook

import (
	"slices"
	"strings"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/project"
)

// Projects (S1): where a session works, told from others by what identifies a repository.

// Sighting is how a project looks, and whether it is a known one that moved.
type Sighting struct {
	Project string // id
	Seen    events.ProjectSeen
	Moved   bool
}

// decideProject returns the events about the project that the log does not have yet.
func decideProject(_ Input, w World, r Reader) []events.Event { return w.Seen.News(r) }

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
