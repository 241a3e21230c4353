// Package query reads what verbs ask the daemon for: events, states, and the sessions and projects that a person names.
package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/verbs/env"
	"hookline/replay/past"
)

// ErrEnough ends a stream that has given what was looked for; it is no error of it.
var ErrEnough = errors.New("enough")

// Scan gives the events that are asked for one after the other, until take has an error.
func Scan(ctx context.Context, e *env.Env, q api.EventsRequest, take func(events.Record) error) error {
	err := api.Events.Each(ctx, e, q, take)
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Records gives the events that are asked for one after the other.
func Records(ctx context.Context, e *env.Env, q api.EventsRequest, take func(events.Record)) error {
	return Scan(ctx, e, q, func(r events.Record) error {
		take(r)
		return nil
	})
}

// Cell is one folded state.
type Cell[S any] struct {
	Key   string
	Seq   uint64
	State S
}

// cellOf reads the state of a cell.
func cellOf[S any](projection string, from past.Cell) (Cell[S], error) {
	c := Cell[S]{Key: from.Key, Seq: from.Seq}
	if err := json.Unmarshal(from.State, &c.State); err != nil {
		return c, fmt.Errorf("read cell of %s: %w", projection, err)
	}
	return c, nil
}

// Cells reads the cells that are asked for.
func Cells[S any](ctx context.Context, e *env.Env, q api.CellsRequest) ([]Cell[S], error) {
	var all []Cell[S]
	err := api.Cells.Each(ctx, e, q, func(from past.Cell) error {
		c, err := cellOf[S](q.Projection, from)
		if err != nil {
			return err
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// States are the states of the cells that are asked for.
func States[S any](ctx context.Context, e *env.Env, q api.CellsRequest) ([]S, error) {
	list, err := Cells[S](ctx, e, q)
	var all []S
	for _, c := range list {
		all = append(all, c.State)
	}
	return all, err
}

// CellNow is a cell as it is.
func CellNow[S any](ctx context.Context, e *env.Env, projection, key string) (Cell[S], error) {
	from, err := api.Cell.Call(ctx, e, api.CellRequest{Projection: projection, Key: key})
	if err != nil {
		return Cell[S]{}, err
	}
	return cellOf[S](projection, from)
}

// StateOf is the state of one cell.
func StateOf[S any](ctx context.Context, e *env.Env, projection, key string) (S, error) {
	c, err := CellNow[S](ctx, e, projection, key)
	return c.State, err
}

// CellAt is a cell as it was at a point of the log, the zero value where there was none.
func CellAt[S any](ctx context.Context, e *env.Env, projection, key string, point past.Point) (Cell[S], error) {
	then, err := api.At.Call(ctx, e, past.Question{Point: point, Projection: projection, Key: key})
	if err != nil || len(then.Cells) == 0 {
		return Cell[S]{}, err
	}
	return cellOf[S](projection, then.Cells[0].Cell)
}

// Point returns the sequence or the time, in Unix ms, that a person names as a point of the log; both are 0 for "".
func Point(e *env.Env, s string) (seq uint64, ms int64, err error) {
	if s == "" {
		return 0, 0, nil
	}
	p, err := e.Point(s)
	if err != nil {
		return 0, 0, err
	}
	if p == "now" {
		return 0, e.Now().UnixMilli(), nil
	}
	if seq, err := strconv.ParseUint(p, 10, 63); err == nil {
		return max(seq, 1), 0, nil
	}
	t, err := time.Parse(time.RFC3339Nano, p)
	return 0, max(1, t.UnixMilli()), err
}
