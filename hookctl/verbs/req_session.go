package verbs

import (
	"context"
	"os"
	"slices"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/facts"
	"hookline/projector/session"
)

// above is the session, of those given, whose process is the one that CLAUDE_PID names, our parent, or one above
// it: the nearest one, and of several sessions of one process the first in the list. "" without one. What is above
// a client that has no session here is another client's.
func above(list []session.State, envPID string) string {
	client, guessed := facts.ClientOf(envPID, os.Getppid())
	for _, p := range facts.Above(envPID, os.Getppid()) {
		for _, s := range list {
			if own := s.Process(); own.PID == p.PID && (own.Start == p.Start || own.Start == 0 || p.Start == 0) {
				return s.ID
			}
		}
		if guessed && p.PID == client.PID {
			return ""
		}
	}
	return ""
}

// know takes in the sessions with the same beginning as this id, deleted ones too.
func (d *desk) know(ctx context.Context, id string) error {
	like, err := states[session.State](ctx, d.Env, api.CellsRequest{Projection: session.Name, Like: []string{events.Alias(id)}})
	d.sessions = append(slices.DeleteFunc(d.sessions, func(s session.State) bool {
		return slices.ContainsFunc(like, func(l session.State) bool { return l.ID == s.ID })
	}), like...)
	return err
}
