package query

import (
	"context"
	"path/filepath"
	"slices"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/project"
)

// Projects reads all projects that are known.
func Projects(ctx context.Context, e *env.Env) ([]project.State, error) {
	return States[project.State](ctx, e, api.CellsRequest{Projection: project.Name})
}

// Here reads all projects that are known, and returns with them the id of the one that this directory belongs to: of the
// known project at this path, which may have kept an older id, else the one that a hook would be given here.
func Here(ctx context.Context, e *env.Env) (all []project.State, here string, err error) {
	if all, err = Projects(ctx, e); err != nil {
		return nil, "", err
	}
	return all, ProjectAt(all, e.Place(e.ProjectDir()).Path()), nil
}

// ProjectAt returns the id of the project at a path.
func ProjectAt(all []project.State, path string) string {
	id := facts.ProjectID(path)
	var known project.State
	for _, p := range all {
		if p.Path == path && p.LastSeen.After(known.LastSeen) {
			known = p
		}
	}
	if known.ID != "" {
		id = known.ID
	}
	return CountsFor(all, id)
}

// Project finds a project by id or by name; a name that several share is an error.
func Project(all []project.State, name string) (project.State, error) {
	var found []project.State
	for _, p := range all {
		switch {
		case p.ID == name:
			return p, nil
		case name != "" && (p.Name == name || p.Path == name || Folder(p) == name):
			found = append(found, p)
		}
	}
	none := problem.Faultf("there is no project %q", name).Advise("`hookctl project list` lists them")
	return only(found, name, none, func(p project.State) string { return p.ID + " at " + p.Path })
}

// SameProject are the ids under which a project's events stand.
func SameProject(all []project.State, id string) []string {
	ids := []string{id}
	for _, p := range all {
		if CountsFor(all, p.ID) == CountsFor(all, id) && p.ID != id {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Folder is where a project lives: the cell of a git project keeps the path of its .git, which stays
// the same for every work tree.
func Folder(p project.State) string {
	path := cmdline.OneLine(p.Path)
	if filepath.Base(path) == ".git" {
		return filepath.Dir(path)
	}
	return path
}

// CountsFor is the project that an id counts for: itself, or where it was joined into in the end.
func CountsFor(all []project.State, id string) string {
	for range all { // a chain of joins is no longer than there are projects
		i := slices.IndexFunc(all, func(p project.State) bool { return p.ID == id })
		if i < 0 || all[i].JoinedInto == "" {
			break
		}
		id = all[i].JoinedInto
	}
	return id
}

// ProjectName is what people call a project, else its id.
func ProjectName(all []project.State, id string) string {
	id = CountsFor(all, id)
	for _, p := range all {
		if p.ID == id && p.Name != "" {
			return cmdline.OneLine(p.Name)
		}
	}
	return show.OrDash(id)
}
