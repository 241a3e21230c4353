// Package past answers about states at points of the log: they are folded from the records that they need and no others.
package past

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// Log is the log as a question about the past needs it: the running stream, or its files.
type Log interface {
	Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error
	SeqCaptured(ctx context.Context, t time.Time) (uint64, error) // the newest captured at or before t
}

// View answers about states at points of the log.
type View struct {
	Log     Log
	Last    uint64                                                  // the newest sequence
	Now     func() time.Time                                        // for durations back from it
	Session func(ctx context.Context, given string) (string, error) // finds a session of now by its id or alias
}

// Point reads a point of the log: "now", a sequence, or a time. A time means the newest event that was captured at or before
// it: no event after that point was captured earlier, while before it there may be younger ones where others came late, from
// the spool or an import.
func (p View) Point(ctx context.Context, s string) (uint64, error) {
	if s == "" || s == "now" {
		return p.Last, nil
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		if n > p.Last {
			return 0, problem.Bad("the log ends at sequence %s", strconv.FormatUint(p.Last, 10)).Advise("`now` is the newest point")
		}
		return n, nil
	}
	t, err := ReadTime(s, p.Now())
	if err != nil {
		return 0, err
	}
	seq, err := p.Log.SeqCaptured(ctx, t)
	return min(seq, p.Last), err
}

// ReadTime reads a time (RFC 3339, or local) or a duration back from now.
func ReadTime(s string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(s); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, problem.Bad("%q is no sequence, time or duration", s).Advise("for example 120, 2026-11-21T08:00:00Z or 10m")
}

// fold returns the chosen cells at points, which ascend: it is one fold that goes on.
func (p View) fold(ctx context.Context, c chosen, points ...uint64) ([][]NamedCell, error) {
	source := projector.Part(p.Log.Select).Only(c.want)
	v, err := projector.Straight(ctx, c.tables, source, points[0], nil)
	if err != nil {
		return nil, err
	}
	v.Log = p.Log.Select
	out := make([][]NamedCell, len(points))
	for i, seq := range points {
		if i > 0 && seq > points[i-1] {
			if err := source(ctx, points[i-1]+1, seq, func(r events.Record) error { return v.Apply(ctx, r) }); err != nil {
				return nil, err
			}
		}
		if out[i], err = c.states(ctx, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Cell is one cell of a projection as it travels over the socket.
type Cell struct {
	Key   string          `json:"key" jsonschema_description:"of the cell"`
	Seq   uint64          `json:"seq" jsonschema_description:"event that the state was folded at"`
	State json.RawMessage `json:"state" jsonschema_description:"by projection, see the objects of that name"`
}

// NamedCell is a cell with its projection.
type NamedCell struct {
	Projection string `json:"projection" jsonschema_description:"name, as session or identity"`
	Cell
}

// State is what projections had at one point.
type State struct {
	Cells []NamedCell `json:"cells"`
	Seq   uint64      `json:"seq"`
}

// At answers a question by its parameters: point, projection and key, all optional.
func (p View) At(ctx context.Context, q url.Values) (out State, err error) {
	c, err := p.choose(ctx, q.Get("projection"), q.Get("key"))
	if err != nil {
		return out, err
	}
	seq, err := p.Point(ctx, q.Get("point"))
	if err != nil {
		return out, err
	}
	cells, err := p.fold(ctx, c, seq)
	if err != nil {
		return out, err
	}
	return State{Seq: seq, Cells: cells[0]}, nil
}

// Change is what is different between two points: Want is the value at A, Got the one at B. Before and After are the whole
// states of the cells that differ, where they are asked for.
type Change struct {
	A      uint64           `json:"a"`
	B      uint64           `json:"b"`
	Diffs  []projector.Diff `json:"diffs"`
	Before []NamedCell      `json:"before,omitempty"`
	After  []NamedCell      `json:"after,omitempty"`
}

// Diff compares the points a and b: fold to the first, keep it, fold on to the second. Parameters: a, b, projection
// and key; states=1 asks for the states.
func (p View) Diff(ctx context.Context, q url.Values) (change Change, err error) {
	c, err := p.choose(ctx, q.Get("projection"), q.Get("key"))
	if err != nil {
		return change, err
	}
	a, err := p.Point(ctx, q.Get("a"))
	if err != nil {
		return change, err
	}
	b, err := p.Point(ctx, q.Get("b"))
	if err != nil {
		return change, err
	}
	if c, err = p.touched(ctx, c, min(a, b), max(a, b)); err != nil {
		return change, err
	}
	cells, err := p.fold(ctx, c, min(a, b), max(a, b))
	if err != nil {
		return change, err
	}
	if a > b {
		slices.Reverse(cells)
	}
	change = Change{A: a, B: b, Diffs: Compare(cells[0], cells[1])}
	if q.Get("states") != "" {
		change.Before = change.only(cells[0])
		change.After = change.only(cells[1])
	}
	return change, nil
}

// only keeps the cells that differ.
func (c Change) only(cells []NamedCell) []NamedCell {
	differ := map[cellID]bool{}
	for _, d := range c.Diffs {
		differ[cellID{d.Projection, d.Key}] = true
	}
	return slices.DeleteFunc(cells, func(cell NamedCell) bool { return !differ[cellID{cell.Projection, cell.Key}] })
}

// Compare returns what is different between two states, each in the order of [View.At], field by field. A cell that one of
// them lacks is compared with an empty one.
func Compare(before, after []NamedCell) []projector.Diff {
	empty := json.RawMessage("{}")
	old := map[cellID]json.RawMessage{}
	for _, c := range before {
		old[cellID{c.Projection, c.Key}] = c.State
	}

	out := []projector.Diff{}
	for _, c := range after {
		k := cellID{c.Projection, c.Key}
		was, known := old[k]
		if !known {
			was = empty
		}
		out = append(out, projector.Explain(projector.Diff{Projection: c.Projection, Key: c.Key}, was, c.State)...)
		delete(old, k)
	}
	for _, c := range before {
		if was, gone := old[cellID{c.Projection, c.Key}]; gone {
			out = append(out, projector.Explain(projector.Diff{Projection: c.Projection, Key: c.Key}, was, empty)...)
		}
	}
	return out
}
