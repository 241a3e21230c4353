package daemon

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	switch e := r.Event.(type) {
	case *events.ProjectRehomed, *events.ProjectMoved:
		clear(x.byPath)
	case *events.ProjectSeen:
		x.remember(e.Path, r.Project)
	}
}

// remember keeps the paths bounded: beyond, all are looked at again.
func (x *projectIndex) remember(path, id string) {
	if len(x.byPath) >= 4096 {
		clear(x.byPath)
	}
	x.byPath[path] = id
}

func (x *projectIndex) known() []project.State {
	out := make([]project.State, 0, len(x.states))
	for _, s := range x.states {
		out = append(out, s)
	}
	return out
}

// at is the project known to live at a path, "" when none is.
func (x *projectIndex) at(path string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.byPath[path]
}

// project gives the id of the project at a place, and how it looks there unless that is known.
func (d *Daemon) project(ctx context.Context, at facts.Place) (string, *looked) {
	path := d.clean(at.Path())
	if id := d.projects.at(path); id != "" {
		return id, nil
	}
	seen := &events.ProjectSeen{Path: path, Git: at.Git, Name: at.Name}
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
	d.projects.mu.Lock()
	known := d.projects.known()
	d.projects.mu.Unlock()
	id, moved, ok := project.Recognise(known, *seen, exists) // asks the disk: not under the lock
	if !ok {
		id = project.NewID(known, facts.ProjectID(at.Path()))
	}
	seen.Name, seen.Remote = d.clean(seen.Name), d.clean(seen.Remote)
	return id, &looked{ProjectSeen: *seen, moved: moved}
}

// looked is how a project looks, and whether it is a known one that moved.
type looked struct {
	events.ProjectSeen
	moved bool
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// news is what the log does not say yet about a project that was looked at: project.seen, and
// project.moved when it is a known one elsewhere. The caller holds the order of the log, so two first
// frames record it once.
func (x *projectIndex) news(id string, l *looked) []events.Event {
	if l == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	old, seen := x.states[id], &l.ProjectSeen
	if !l.moved && old.Path != seen.Path && slices.Contains(old.Paths, seen.Path) { // a folder that was joined
		x.remember(seen.Path, id)
		return nil
	}
	if old.Path == seen.Path && (old.RootCommit == seen.RootCommit || seen.RootCommit == "") && (old.Remote == seen.Remote || seen.Remote == "") {
		x.remember(seen.Path, id)
		return nil
	}
	if l.moved && old.Path != "" {
		return []events.Event{&events.ProjectMoved{From: old.Path, To: seen.Path, By: strings.TrimSpace(seen.RootCommit + " " + seen.Remote)}, seen}
	}
	return []events.Event{seen}
}
