package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/past"
)

// session returns the id of the session that a person named. `last` is the one of this folder's project that was active last,
// or of all projects where that has none. Every other name is returned as it is: the daemon finds ids by their prefixes.
func (a *app) session(ctx context.Context, name string) (string, error) {
	if name != "last" {
		return name, nil
	}

	path := facts.New().Place(a.Cwd).Path()
	var last session.State
	err := a.with(ctx, func(c *client.Client) error {
		here, err := projectAt(ctx, c, path)
		if err != nil {
			return err
		}
		last, err = lastOf(ctx, c, []string{here})
		if err != nil || last.ID != "" {
			return err
		}
		last, err = lastOf(ctx, c, nil)
		return err
	})
	if err == nil && last.ID == "" {
		err = problem.Faultf("there is no session yet").Advise("the client's next start makes one")
	}
	return last.ID, err
}

// projectAt returns the id of the project with a path, or of the one that it was joined into; "" where there is none.
func projectAt(ctx context.Context, c api.Caller, path string) (id string, err error) {
	request := api.CellsRequest{Projection: project.Name}
	err = each(ctx, c, request, func(p project.State) {
		if p.Path == path {
			id = cmp.Or(p.JoinedInto, p.ID)
		}
	})
	return id, err
}

// lastOf returns the session of some projects that was active last, or of all where projects is nil. The zero value says
// that there is none.
func lastOf(ctx context.Context, c api.Caller, projects []string) (last session.State, err error) {
	request := api.CellsRequest{Projection: session.Name, Newest: 1, Projects: projects}
	err = each(ctx, c, request, func(s session.State) {
		meant := projects == nil || slices.Contains(projects, s.Project)
		if meant && s.Status != session.Deleted && s.LastActive.After(last.LastActive) {
			last = s
		}
	})
	return last, err
}

// each calls f with the states of the cells that a request chooses.
func each[S any](ctx context.Context, c api.Caller, request api.CellsRequest, f func(S)) error {
	return api.Cells.Each(ctx, c, request, func(cell past.Cell) error {
		var state S
		if err := json.Unmarshal(cell.State, &state); err != nil {
			return fmt.Errorf("read the state of %s %s: %w", request.Projection, cell.Key, err)
		}
		f(state)
		return nil
	})
}
