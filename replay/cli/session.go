package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/projector/project"
	"hookline/projector/session"
)

// session reads how a person names a session: `last` is the one of this folder's project that was active last, or where it
// has none of all projects. Every other name is for the daemon, which knows ids and their prefixes.
func (a *app) session(ctx context.Context, name string) (string, error) {
	if name != "last" {
		return name, nil
	}

	path := facts.New(facts.Options{}).Place(a.Cwd).Path()
	var here string
	var last session.State
	err := a.with(ctx, func(h backend) error {
		err := each(ctx, h, project.Name, nil, func(p project.State) {
			if p.Path == path {
				here = cmp.Or(p.JoinedInto, p.ID)
			}
		})
		if err != nil {
			return err
		}

		take := func(s session.State) {
			later := s.LastActive.After(last.LastActive)
			if last.ID != "" && (s.Project == here) != (last.Project == here) {
				later = s.Project == here
			}
			if later && s.Status != session.Deleted {
				last = s
			}
		}
		err = each(ctx, h, session.Name, url.Values{"newest": {"1"}, "project": {here}}, take)
		if err != nil {
			return err
		}
		return each(ctx, h, session.Name, url.Values{"newest": {"1"}}, take)
	})
	if err == nil && last.ID == "" {
		err = problem.Faultf("there is no session yet").Advise("the client's next start makes one")
	}
	return last.ID, err
}

// each calls f with the states of a projection that a query means; without one with all.
func each[S any](ctx context.Context, h backend, projection string, query url.Values, f func(S)) error {
	return h.Stream(ctx, http.MethodGet, "/v1/cells/"+projection, query, func(line []byte) error {
		var c struct{ State S }
		err := json.Unmarshal(line, &c)
		if err == nil {
			f(c.State)
		}
		return err
	})
}
