package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"hookline/hookctl/client"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/projector/project"
	"hookline/projector/session"
)

// session returns the id of the session that a person named. `last` is the one of this folder's project that was active last,
// or of all projects where that has none. Every other name is returned as it is: the daemon finds ids by their prefixes.
func (a *app) session(ctx context.Context, name string) (string, error) {
	if name != "last" {
		return name, nil
	}

	path := facts.New().Place(a.Cwd).Path()
	var here string
	var last session.State
	err := a.with(ctx, func(c *client.Client) error {
		err := each(ctx, c, project.Name, nil, func(p project.State) {
			if p.Path == path {
				here = cmp.Or(p.JoinedInto, p.ID)
			}
		})
		for _, only := range []url.Values{{"newest": {"1"}, "project": {here}}, {"newest": {"1"}}} {
			if err != nil || last.ID != "" {
				break
			}
			err = each(ctx, c, session.Name, only, func(s session.State) {
				meant := !only.Has("project") || s.Project == here
				if meant && s.Status != session.Deleted && s.LastActive.After(last.LastActive) {
					last = s
				}
			})
		}
		return err
	})
	if err == nil && last.ID == "" {
		err = problem.Faultf("there is no session yet").Advise("the client's next start makes one")
	}
	return last.ID, err
}

// each calls f with the states of a projection that a query means; without one with all.
func each[S any](ctx context.Context, c *client.Client, projection string, query url.Values, f func(S)) error {
	return c.Stream(ctx, http.MethodGet, "/v1/cells/"+projection, query, func(line []byte) error {
		var cell struct{ State S }
		err := json.Unmarshal(line, &cell)
		if err == nil {
			f(cell.State)
		}
		return err
	})
}
