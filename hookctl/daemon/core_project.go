package daemon

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/project"
)

// A project is recognised by its path, and where that is new by what git says of it.

// originWithin bounds the one call of git for a project that was never seen.
const originWithin = 300 * time.Millisecond

// maxJoins bounds how many joined projects are followed to the one that stands for them.
const maxJoins = 64

// projectAt returns the id of the project that the log has at a path, "" for none. A project that was joined into another
// gives the other's.
func (c *core) projectAt(ctx context.Context, path string) string {
	return readStates(ctx, c, func(r projector.Reader) string {
		found := projector.Find[project.State](r, project.Name, project.LivesAt(path))
		if len(found) == 0 {
			return ""
		}

		s := found[0]
		for n := 0; s.JoinedInto != "" && n < maxJoins; n++ {
			next, ok := projector.State[project.State](r, project.Name, s.JoinedInto)
			if !ok {
				next = project.Start(s.JoinedInto)
			}
			s = next
		}
		return s.ID
	})
}

// project returns the id of the project at a place, and how it looks there unless that is known.
func (c *core) project(ctx context.Context, at facts.Place) (string, *hook.Sighting) {
	path := c.clean(at.Path())
	if _, asked := c.visits.Get(path); asked {
		if id := c.projectAt(ctx, path); id != "" {
			return id, nil
		}
	}

	now := events.ProjectSeen{Path: path, Git: at.Git, Name: cmp.Or(at.Name, filepath.Base(path))}
	if at.Git {
		bounded, cancel := context.WithTimeout(ctx, originWithin)
		defer cancel()
		if o, err := c.world.Origin(bounded, at.CommonDir); err == nil {
			now.RootCommit, now.Remote = o.RootCommit, o.Remote
		}
	}

	known := readStates(ctx, c, func(r projector.Reader) []project.State {
		return projector.Find[project.State](r, project.Name, project.Known)
	})
	id, moved, ok := project.Recognise(known, now, mayExist) // asks the disk: not under a lock
	if !ok {
		id = project.NewID(known, facts.ProjectID(at.Path()))
	}

	now.Name, now.Remote = c.clean(now.Name), c.clean(now.Remote)
	c.visits.Put(path, true)
	return id, &hook.Sighting{Project: id, Seen: now, Moved: moved}
}

// mayExist reports whether there is a file at a path, or that cannot be known.
func mayExist(path string) bool {
	if path == "" {
		return true
	}
	_, err := os.Stat(path)
	return !os.IsNotExist(err)
}
