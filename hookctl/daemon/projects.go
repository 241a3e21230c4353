package daemon

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/project"
)

// visits are the paths of projects that git was asked about since the daemon's start. Safe for concurrent use; the
// zero value is ready.
type visits struct {
	mu    sync.Mutex
	paths map[string]bool
}

// maxVisits bounds the paths; beyond, all are asked about again.
const maxVisits = 4096

func (v *visits) add(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	keep(&v.paths, maxVisits, path, true)
}

func (v *visits) has(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.paths[path]
}

// maxJoins bounds how many joined projects are followed to the one that stands for them.
const maxJoins = 64

// projectAt is the id of the project that the log has at a path, "" for none. A project that was joined into another
// gives the other's.
func (d *Daemon) projectAt(ctx context.Context, path string) string {
	return seen(ctx, d, func(r projector.Reader) string {
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

// project gives the id of the project at a place, and how it looks there unless that is known.
func (d *Daemon) project(ctx context.Context, at facts.Place) (string, *hook.Sighting) {
	path := d.clean(at.Path())
	if d.visits.has(path) {
		if id := d.projectAt(ctx, path); id != "" {
			return id, nil
		}
	}

	now := events.ProjectSeen{Path: path, Git: at.Git, Name: at.Name}
	if now.Name == "" {
		now.Name = filepath.Base(path)
	}
	if at.Git {
		bounded, cancel := context.WithTimeout(ctx, originWithin)
		defer cancel()
		if o, err := d.world.Origin(bounded, at.CommonDir); err == nil {
			now.RootCommit, now.Remote = o.RootCommit, o.Remote
		}
	}

	known := seen(ctx, d, func(r projector.Reader) []project.State {
		return projector.Find[project.State](r, project.Name, project.Known)
	})
	id, moved, ok := project.Recognise(known, now, exists) // asks the disk: not under a lock
	if !ok {
		id = project.NewID(known, facts.ProjectID(at.Path()))
	}

	now.Name, now.Remote = d.clean(now.Name), d.clean(now.Remote)
	d.visits.add(path)
	return id, &hook.Sighting{Project: id, Seen: now, Moved: moved}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
