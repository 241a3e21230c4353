package daemon

import (
	"context"
	"os"
	"sync"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/projector"
	"hookline/projector/project"
)

// projectIndex is the project table in memory, so that a hook finds its project by path without a
// look at the log. It is fed by the same records as the projection.
type projectIndex struct {
	mu     sync.Mutex
	states map[string]project.State
	byPath map[string]string // path → id, only what a look has confirmed
}

func loadProjects(ctx context.Context, v *projector.View) (*projectIndex, error) {
	x := &projectIndex{states: map[string]project.State{}, byPath: map[string]string{}}
	err := v.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(project.Name)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if s, ok := projector.State[project.State](r, project.Name, k); ok {
				x.states[k] = s
			}
		}
		return nil
	})
	return x, err
}

// apply keeps the index as the projection is.
func (x *projectIndex) apply(r events.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range project.Keys(r) {
		s, ok := x.states[k]
		if !ok {
			s = project.Start(k)
		}
		x.states[k] = project.Fold(s, r)
	}
	switch r.Event.(type) {
	case *events.ProjectRehomed, *events.ProjectMoved:
		clear(x.byPath)
	}
}

func (x *projectIndex) known() []project.State {
	out := make([]project.State, 0, len(x.states))
	for _, s := range x.states {
		out = append(out, s)
	}
	return out
}

// project gives the id of the project at a place, and what is to be recorded about it when the place
// is new: project.seen, and project.moved when it is a known one elsewhere.
func (d *Daemon) project(ctx context.Context, at facts.Place) (string, []events.Event) {
	x := d.projects
	x.mu.Lock()
	defer x.mu.Unlock()
	path := at.Path()
	if id := x.byPath[path]; id != "" {
		return id, nil
	}
	seen := events.ProjectSeen{Path: path, Git: at.Git, Name: at.Name}
	if at.Git {
		bounded, cancel := context.WithTimeout(ctx, originWithin)
		defer cancel()
		if o, err := d.world.Origin(bounded, at.CommonDir); err == nil {
			seen.RootCommit, seen.Remote = o.RootCommit, o.Remote
		}
	}
	id, moved, ok := project.Recognise(x.known(), seen, func(p string) bool { _, err := os.Stat(p); return err == nil })
	if !ok {
		id = project.NewID(x.known(), facts.ProjectID(path))
	}
	x.byPath[path] = id
	old := x.states[id]
	switch {
	case moved:
		return id, []events.Event{&events.ProjectMoved{From: old.Path, To: path, By: seen.RootCommit + " " + seen.Remote}, &seen}
	case old.Path == path && (old.RootCommit == seen.RootCommit || seen.RootCommit == "") && (old.Remote == seen.Remote || seen.Remote == ""):
		return id, nil
	}
	return id, []events.Event{&seen}
}
