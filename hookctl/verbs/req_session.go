package verbs

import (
	"context"
	"slices"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/verbs/query"
	"hookline/projector/session"
)

// know takes in the sessions with the same beginning as this id, deleted ones too.
func (d *desk) know(ctx context.Context, id string) error {
	like, err := query.States[session.State](ctx, d.Env, api.CellsRequest{Projection: session.Name, Like: []string{events.Alias(id)}})
	d.sessions = append(slices.DeleteFunc(d.sessions, func(s session.State) bool {
		return slices.ContainsFunc(like, func(l session.State) bool { return l.ID == s.ID })
	}), like...)
	return err
}
