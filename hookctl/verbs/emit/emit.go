// Package emit appends events by hand: what a person or an agent says with a verb.
package emit

import (
	"context"
	"encoding/json"
	"fmt"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/projector/session"
)

// Owner names what an event belongs to, by ids; both may be empty.
type Owner struct{ Session, Project string }

// Event appends an event by hand.
func Event(ctx context.Context, e *env.Env, of Owner, event events.Event) (events.Record, error) {
	data, err := json.Marshal(event)
	if err != nil {
		return events.Record{}, fmt.Errorf("write %s: %w", event.Type(), err)
	}
	return api.Emit.Call(ctx, e.Changing(), api.Emission{Type: event.Type(), Session: of.Session, Project: of.Project, Data: data})
}

// Say prints an event that was appended.
func Say(e *env.Env, r events.Record) error {
	return e.Result(r, "%s is event %d, %s\n", r.Type, r.Seq, r.ID)
}

// ForSession appends an event to the session that is meant.
func ForSession(ctx context.Context, e *env.Env, name string, event events.Event) (events.Record, error) {
	id, err := query.Current(ctx, e, name)
	if err != nil {
		return events.Record{}, err
	}
	s, _ := query.StateOf[session.State](ctx, e, session.Name, id) // one that is not known yet has no project
	return Event(ctx, e, Owner{Session: id, Project: s.Project}, event)
}

// Command returns an event as a part of an order; its data are strings and valid JSON.
func Command(event events.Event) api.Command {
	data, _ := json.Marshal(event)
	return api.Command{Type: event.Type(), Data: data}
}
