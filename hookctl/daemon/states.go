package daemon

import (
	"context"

	"hookline/projector"
	"hookline/projector/session"
)

// keep puts a value into a map of at most so many, which is emptied when it is full.
func keep[V any](in *map[string]V, most int, key string, v V) {
	if *in == nil || len(*in) >= most {
		*in = map[string]V{}
	}
	(*in)[key] = v
}

// seen is what fn gives of the states as they are, at one position; the zero value where they cannot be read. Maps and
// slices of a state are for fn alone: the next record may change them.
func seen[T any](ctx context.Context, d *Daemon, fn func(projector.Reader) T) (out T) {
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		out = fn(r)
		return nil
	})
	return out
}

// stateOf is the state of one cell, and whether there is one. What it holds in maps and slices may change: see [seen].
func stateOf[S any](ctx context.Context, d *Daemon, table, key string) (s S, found bool) {
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s, found = projector.State[S](r, table, key)
		return nil
	})
	return s, found
}

// session is what the log has of a session.
func (d *Daemon) session(ctx context.Context, id string) (session.State, bool) {
	return stateOf[session.State](ctx, d, session.Name, id)
}
