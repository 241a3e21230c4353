// Package past answers about states at points of the log: they are folded from the records that they need and no others.
//
// [View.At], [View.Diff] and [View.Walk] are the questions. A [Recovery] makes an identity of the past the current one.
package past

import (
	"context"
	"encoding/json"
	"fmt"
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

// Point names a point of the log as a person does: a sequence ("120"), a time (RFC 3339, or local as "2026-11-21 08:00"),
// a duration back from now ("10m"), or [Now]. The empty point is Now too.
type Point string

// Now is the end of the log.
const Now Point = "now"

// AtSeq returns the point that a sequence names.
func AtSeq(seq uint64) Point { return Point(strconv.FormatUint(seq, 10)) }

// Seq returns the sequence that a point names, false for one in another form.
func (p Point) Seq() (seq uint64, ok bool) {
	seq, err := strconv.ParseUint(string(p), 10, 64)
	return seq, err == nil
}

// Time returns the time that a point names; a duration is counted back from now.
func (p Point) Time(now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(string(p)); err == nil {
		return now.Add(-ago), nil
	}
	layouts := []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, string(p), time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, problem.Bad("%q is no sequence, time or duration", string(p)).
		Advise("for example 120, 2026-11-21T08:00:00Z or 10m")
}

// SeqOf returns the sequence at a point. A time means the newest event that was captured at or before it: no event after
// that sequence was captured earlier, while before it there may be younger ones where others came late, from the spool or
// an import.
func (v View) SeqOf(ctx context.Context, p Point) (uint64, error) {
	if p == "" || p == Now {
		return v.Last, nil
	}
	if seq, ok := p.Seq(); ok {
		if seq > v.Last {
			return 0, problem.Bad("the log ends at sequence %d", v.Last).Advise("`now` is the newest point")
		}
		return seq, nil
	}

	t, err := p.Time(v.Now())
	if err != nil {
		return 0, err
	}
	seq, err := v.Log.SeqCaptured(ctx, t)
	if err != nil {
		return 0, fmt.Errorf("find the newest event captured by %s: %w", t.Format(time.RFC3339), err)
	}
	return min(seq, v.Last), nil
}

// fold returns the chosen cells at points, which ascend: it is one fold that goes on.
func (v View) fold(ctx context.Context, c chosen, points ...uint64) ([][]NamedCell, error) {
	source := projector.SelectiveSource(v.Log.Select).Only(c.want)
	view, err := projector.FoldLog(ctx, source, projector.FoldOptions{Tables: c.tables, To: points[0]})
	if err != nil {
		return nil, err
	}
	view.Log = v.Log.Select

	apply := func(r events.Record) error { return view.Apply(ctx, r) }
	out := make([][]NamedCell, len(points))
	for i, seq := range points {
		if i > 0 && seq > points[i-1] {
			if err := source(ctx, points[i-1]+1, seq, apply); err != nil {
				return nil, err
			}
		}
		if out[i], err = c.states(ctx, view); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Cell is one cell of a projection as it travels over the socket.
type Cell struct {
	Key   string          `json:"key" jsonschema_description:"key of the cell"`
	Seq   uint64          `json:"seq" jsonschema_description:"sequence of the event that the state was folded at"`
	State json.RawMessage `json:"state" jsonschema_description:"state of the cell, for each projection the object of that name"`
}

// NamedCell is a cell with its projection.
type NamedCell struct {
	Projection string `json:"projection" jsonschema_description:"name of the projection, as session or identity"`
	Cell
}

// State is what projections had at one point.
type State struct {
	Cells []NamedCell `json:"cells" jsonschema_description:"cells that there were, of those that were asked for"`
	Seq   uint64      `json:"seq" jsonschema_description:"sequence of the point"`
}

// Question asks for the cells at a point: all of them, those of a projection, or those with a key. Its tags name the
// parameters of a request, see package api.
type Question struct {
	Point      Point  `query:"point"`
	Projection string `query:"projection"`
	Key        string `query:"key"` // a session may be named by its alias
}

// At returns the cells at a point.
func (v View) At(ctx context.Context, q Question) (out State, err error) {
	c, err := v.choose(ctx, q.Projection, q.Key)
	if err != nil {
		return out, err
	}
	seq, err := v.SeqOf(ctx, q.Point)
	if err != nil {
		return out, err
	}
	cells, err := v.fold(ctx, c, seq)
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

// Comparison asks what is different between two points, in all cells, those of a projection, or those with a key.
type Comparison struct {
	A          Point  `query:"a"`
	B          Point  `query:"b"`
	Projection string `query:"projection"`
	Key        string `query:"key"`
	States     bool   `query:"states"` // the whole states of the cells that differ are wanted too
}

// Diff compares two points, which may stand in either order: it folds to the earlier, keeps that, and folds on to the later.
func (v View) Diff(ctx context.Context, q Comparison) (change Change, err error) {
	c, err := v.choose(ctx, q.Projection, q.Key)
	if err != nil {
		return change, err
	}
	a, err := v.SeqOf(ctx, q.A)
	if err != nil {
		return change, err
	}
	b, err := v.SeqOf(ctx, q.B)
	if err != nil {
		return change, err
	}

	if c, err = v.touched(ctx, c, min(a, b), max(a, b)); err != nil {
		return change, err
	}
	cells, err := v.fold(ctx, c, min(a, b), max(a, b))
	if err != nil {
		return change, err
	}
	if a > b {
		slices.Reverse(cells)
	}

	change = Change{A: a, B: b, Diffs: Compare(cells[0], cells[1])}
	if q.States {
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
