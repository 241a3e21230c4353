package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/projector"
)

// CellJSON is one cell of a projection as it travels over the socket.
type CellJSON struct {
	Key   string          `json:"key"`
	Seq   uint64          `json:"seq"`
	State json.RawMessage `json:"state"`
}

func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	return writeCells(w, r, d.view)
}

func writeCells(w http.ResponseWriter, r *http.Request, v *projector.View) error {
	table := r.PathValue("projection")
	if err := knownTable(v, table); err != nil {
		return err
	}
	var cells []CellJSON // gathered first: a reader that stalls must not hold up the view
	err := v.Read(r.Context(), func(rd projector.Reader) error {
		keys, err := rd.Keys(table)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if !strings.HasPrefix(k, r.URL.Query().Get("prefix")) {
				continue
			}
			if st, seq, ok := rd.Raw(table, k); ok {
				cells = append(cells, CellJSON{Key: k, Seq: seq, State: st})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	for _, c := range cells {
		if err := out.Encode(c); err != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

func knownTable(v *projector.View, table string) error {
	for _, t := range v.Tables() {
		if t == table {
			return nil
		}
	}
	return problem(http.StatusNotFound, "no projection is called "+strconv.Quote(table), "projections: "+strings.Join(v.Tables(), ", "))
}

func (d *Daemon) handleCell(w http.ResponseWriter, r *http.Request) error {
	table, key := r.PathValue("projection"), r.PathValue("key")
	if err := knownTable(d.view, table); err != nil {
		return err
	}
	if table == "session" || table == "identity" {
		full, err := d.resolveSession(r.Context(), key)
		if err != nil {
			return err
		}
		key = full
	}
	var c CellJSON
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		st, seq, ok := rd.Raw(table, key)
		if !ok {
			return problem(http.StatusNotFound, "projection "+table+" has no cell "+strconv.Quote(key), "")
		}
		c = CellJSON{Key: key, Seq: seq, State: st}
		return nil
	})
	if err != nil {
		return err
	}
	return reply(w, c)
}

// viewAt folds the log up to a point into a view in memory.
func (d *Daemon) viewAt(ctx context.Context, seq uint64) (*projector.View, error) {
	return projector.Straight(ctx, projector.Tables(), d.stream.Read, seq, nil)
}

// pointOf reads a point of the log: "now", a sequence, or a time, which means everything appended
// before it.
func (d *Daemon) pointOf(ctx context.Context, s string) (uint64, error) {
	last, _ := d.stream.Last()
	if s == "" || s == "now" {
		return last, nil
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		if n > last {
			return 0, problem(http.StatusBadRequest, "the log ends at sequence "+strconv.FormatUint(last, 10), "")
		}
		return n, nil
	}
	seq, err := d.seqOf(ctx, s)
	if err != nil || seq == 0 {
		return 0, err
	}
	return min(seq-1, last), nil
}

func (d *Daemon) handleAt(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	seq, err := d.pointOf(r.Context(), q.Get("point"))
	if err != nil {
		return err
	}
	v, err := d.viewAt(r.Context(), seq)
	if err != nil {
		return err
	}
	cells, err := d.cellsOf(r.Context(), v, q.Get("projection"), q.Get("key"))
	if err != nil {
		return err
	}
	return reply(w, map[string]any{"seq": seq, "cells": cells})
}

// namedCell is a cell with its projection.
type namedCell struct {
	Projection string `json:"projection"`
	CellJSON
}

// cellsOf lists the cells of a view, of one projection or of one key where these are given.
func (d *Daemon) cellsOf(ctx context.Context, v *projector.View, table, key string) ([]namedCell, error) {
	if table != "" {
		if err := knownTable(v, table); err != nil {
			return nil, err
		}
	}
	if key != "" && (table == "session" || table == "identity") {
		full, err := d.resolveSession(ctx, key)
		switch p := (*Problem)(nil); {
		case err == nil:
			key = full
		case !errors.As(err, &p) || p.Status != http.StatusNotFound: // a key of then may be gone now; an ambiguous one is an error
			return nil, err
		}
	}
	out := []namedCell{}
	err := v.Read(ctx, func(rd projector.Reader) error {
		for _, t := range v.Tables() {
			if table != "" && t != table {
				continue
			}
			keys, err := rd.Keys(t)
			if err != nil {
				return err
			}
			for _, k := range keys {
				if key != "" && k != key {
					continue
				}
				if st, seq, ok := rd.Raw(t, k); ok {
					out = append(out, namedCell{Projection: t, CellJSON: CellJSON{Key: k, Seq: seq, State: st}})
				}
			}
		}
		return nil
	})
	return out, err
}

// handleDiff compares two points: fold to the first, keep it, fold on to the second.
func (d *Daemon) handleDiff(w http.ResponseWriter, r *http.Request) error {
	q, ctx := r.URL.Query(), r.Context()
	a, err := d.pointOf(ctx, q.Get("a"))
	if err != nil {
		return err
	}
	b, err := d.pointOf(ctx, q.Get("b"))
	if err != nil {
		return err
	}
	lo, hi := min(a, b), max(a, b)
	v, err := d.viewAt(ctx, lo)
	if err != nil {
		return err
	}
	before, err := d.cellsOf(ctx, v, q.Get("projection"), q.Get("key"))
	if err != nil {
		return err
	}
	if hi > lo {
		if err := d.stream.Read(ctx, lo+1, hi, func(rec events.Record) error { return v.Apply(ctx, rec) }); err != nil {
			return err
		}
	}
	after, err := d.cellsOf(ctx, v, q.Get("projection"), q.Get("key"))
	if err != nil {
		return err
	}
	if a > b {
		before, after = after, before
	}
	return reply(w, map[string]any{"a": a, "b": b, "diffs": diffCells(before, after)})
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
