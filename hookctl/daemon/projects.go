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
	if v.paths == nil || len(v.paths) >= maxVisits {
		v.paths = map[string]bool{}
	}
	v.paths[path] = true
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
	id := ""
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		found := projector.Find[project.State](r, project.Name, project.LivesAt(path))
		if len(found) == 0 {
			return nil
		}

		s := found[0]
		for n := 0; s.JoinedInto != "" && n < maxJoins; n++ {
			next, ok := projector.State[project.State](r, project.Name, s.JoinedInto)
			if !ok {
				next = project.Start(s.JoinedInto)
			}
			s = next
		}
		id = s.ID
		return nil
	})
	return id
}

// project gives the id of the project at a place, and how it looks there unless that is known.
func (d *Daemon) project(ctx context.Context, at facts.Place) (string, *hook.Sighting) {
	path := d.clean(at.Path())
	if d.visits.has(path) {
		if id := d.projectAt(ctx, path); id != "" {
			return id, nil
		}
	}

	seen := events.ProjectSeen{Path: path, Git: at.Git, Name: at.Name}
	if seen.Name == "" {
		seen.Name = filepath.Base(path)
	}
	if at.Git {
		bounded, cancel := context.WithTimeout(ctx, originWithin)
		defer cancel()
		if o, err := d.world.Origin(bounded, at.CommonDir); err == nil {
			seen.RootCommit, seen.Remote = o.RootCommit, o.Remote
		}
	}

	var known []project.State
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		known = projector.Find[project.State](r, project.Name, project.Known)
		return nil
	})
	id, moved, ok := project.Recognise(known, seen, exists) // asks the disk: not under a lock
	if !ok {
		id = project.NewID(known, facts.ProjectID(at.Path()))
	}

	seen.Name, seen.Remote = d.clean(seen.Name), d.clean(seen.Remote)
	d.visits.add(path)
	return id, &hook.Sighting{Project: id, Seen: seen, Moved: moved}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
