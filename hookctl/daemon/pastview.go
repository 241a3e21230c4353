package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/session"
)

// States of the past, folded from the records that they need and no others.

// pastLog is the log as a question about the past needs it: the running stream, or its files.
type pastLog interface {
	Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error
	SeqCaptured(ctx context.Context, t time.Time) (uint64, error) // the newest captured at or before t
	SeqAtTime(ctx context.Context, t time.Time) (uint64, error)   // the first appended at or after t
}

// pastView answers about states at points of the log.
type pastView struct {
	log      pastLog
	last     uint64
	now      func() time.Time
	sessions func(ctx context.Context) ([]string, error) // that there are now
}

func (d *Daemon) pastView() pastView {
	last, _ := d.stream.Last()
	return pastView{log: d.stream, last: last, now: d.opts.Now,
		sessions: func(ctx context.Context) ([]string, error) { return d.keys(ctx, session.Name) }}
}

func (d *Daemon) handleAt(w http.ResponseWriter, r *http.Request) error {
	return d.pastView().handleAt(w, r)
}

func (d *Daemon) handleDiff(w http.ResponseWriter, r *http.Request) error {
	return d.pastView().handleDiff(w, r)
}

// pointOf is [pastView.point] of a sequence, a time of capture or "now".
func (d *Daemon) pointOf(ctx context.Context, s string) (uint64, error) {
	return d.pastView().point(ctx, s, "")
}

// The clocks that a time of a point may be read by.
const (
	byCapture = "capture"
	byAppend  = "append"
)

// point reads a point of the log: "now", a sequence, or a time. By capture, which is the default, a time means the
// newest event that was captured at or before it: nothing behind that point was captured earlier, while in front of it
// may be younger ones when others came late, from the spool or an import. By append it means everything that was
// appended before the time: what the log held then.
func (p pastView) point(ctx context.Context, s, by string) (uint64, error) {
	if by != "" && by != byCapture && by != byAppend {
		return 0, problem.New(http.StatusBadRequest, fmt.Sprintf("by: %q is neither capture nor append", by), "")
	}
	if s == "" || s == "now" {
		return p.last, nil
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		if n > p.last {
			return 0, problem.New(http.StatusBadRequest, "the log ends at sequence "+strconv.FormatUint(p.last, 10), "")
		}
		return n, nil
	}
	t, err := readTime(s, p.now())
	if err != nil {
		return 0, err
	}
	if by != byAppend {
		seq, err := p.log.SeqCaptured(ctx, t)
		return min(seq, p.last), err
	}
	seq, err := p.log.SeqAtTime(ctx, t)
	if err != nil || seq == 0 {
		return 0, err
	}
	return min(seq-1, p.last), nil
}

// readTime reads a time (RFC 3339, or local) or a duration back from now.
func readTime(s string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(s); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, problem.New(http.StatusBadRequest, fmt.Sprintf("%q is no sequence, time or duration", s), "for example 120, 2026-11-21T08:00:00Z or 10m")
}

// session finds a session of now by its id or alias.
func (p pastView) session(ctx context.Context, given string) (string, error) {
	keys, err := p.sessions(ctx)
	if err != nil {
		return "", err
	}
	return pickSession(given, keys)
}

// fold gives the chosen cells at points, which ascend: it is one fold that goes on.
func (p pastView) fold(ctx context.Context, c chosen, points ...uint64) ([][]namedCell, error) {
	source := projector.Part(p.log.Select).Only(c.want)
	v, err := projector.Straight(ctx, c.tables, source, points[0], nil)
	if err != nil {
		return nil, err
	}
	out := make([][]namedCell, len(points))
	for i, seq := range points {
		if i > 0 && seq > points[i-1] {
			if err := source(ctx, points[i-1]+1, seq, func(r events.Record) error { return v.Apply(ctx, r) }); err != nil {
				return nil, err
			}
		}
		if out[i], err = c.cells(ctx, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// namedCell is a cell with its projection.
type namedCell struct {
	Projection string `json:"projection"`
	CellJSON
}

func (p pastView) handleAt(w http.ResponseWriter, r *http.Request) error {
	q, ctx := r.URL.Query(), r.Context()
	c, err := p.choose(ctx, q.Get("projection"), q.Get("key"))
	if err != nil {
		return err
	}
	seq, err := p.point(ctx, q.Get("point"), q.Get("by"))
	if err != nil {
		return err
	}
	cells, err := p.fold(ctx, c, seq)
	if err != nil {
		return err
	}
	return reply(w, map[string]any{"seq": seq, "cells": cells[0]})
}

// handleDiff compares two points: fold to the first, keep it, fold on to the second.
func (p pastView) handleDiff(w http.ResponseWriter, r *http.Request) error {
	q, ctx := r.URL.Query(), r.Context()
	c, err := p.choose(ctx, q.Get("projection"), q.Get("key"))
	if err != nil {
		return err
	}
	a, err := p.point(ctx, q.Get("a"), q.Get("by"))
	if err != nil {
		return err
	}
	b, err := p.point(ctx, q.Get("b"), q.Get("by"))
	if err != nil {
		return err
	}
	if c, err = p.touched(ctx, c, min(a, b), max(a, b)); err != nil {
		return err
	}
	cells, err := p.fold(ctx, c, min(a, b), max(a, b))
	if err != nil {
		return err
	}
	if a > b {
		slices.Reverse(cells)
	}
	return reply(w, map[string]any{"a": a, "b": b, "diffs": diffCells(cells[0], cells[1])})
}

func diffCells(before, after []namedCell) []projector.Diff {
	type id struct{ table, key string }
	old := map[id]json.RawMessage{}
	for _, c := range before {
		old[id{c.Projection, c.Key}] = c.State
	}
	out := []projector.Diff{}
	for _, c := range after {
		k := id{c.Projection, c.Key}
		out = append(out, projector.Explain(c.Projection, c.Key, old[k], c.State)...)
		delete(old, k)
	}
	for _, c := range before {
		if was, gone := old[id{c.Projection, c.Key}]; gone {
			out = append(out, projector.Explain(c.Projection, c.Key, was, nil)...)
		}
	}
	return out
}
