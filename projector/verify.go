package projector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"hookline/events"
)

// Source reads the log from one sequence to another, both included, in order.
type Source func(ctx context.Context, from, to uint64, fn func(events.Record) error) error

// Diff is one difference between what the log says and what a bucket holds.
type Diff struct {
	Projection string `json:"projection"`
	Bucket     string `json:"bucket,omitempty"`
	Key        string `json:"key"`
	Field      string `json:"field"` // path inside the state, "" when the whole cell is missing or too many
	Want       string `json:"want"`  // by the log
	Got        string `json:"got"`   // by the bucket
}

// Straight folds the log from its first record to `to` into a new view in memory; up to 0 is nothing.
func Straight(ctx context.Context, tables []*Table, log Source, to uint64, progress func(seq uint64)) (*View, error) {
	v, err := OpenView(ctx, NewMemory(), tables)
	if err != nil {
		return nil, err
	}
	for _, t := range v.tables {
		t.keep = true
	}
	if to == 0 { // for a Source it would mean the newest
		return v, nil
	}
	err = log(ctx, 1, to, func(r events.Record) error {
		if progress != nil && r.Seq%1024 == 0 {
			progress(r.Seq)
		}
		return v.Apply(ctx, r)
	})
	return v, err
}

// Verify flushes the view, folds the log again up to the position that was written and compares
// every cell of every bucket. While it runs nothing is written behind; folding goes on.
func (v *View) Verify(ctx context.Context, log Source, progress func(seq uint64)) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	pos, err := v.flush(ctx)
	if err != nil {
		return pos, nil, err
	}
	tables := make([]*Table, 0, len(v.tables))
	for _, t := range v.tables {
		tables = append(tables, t.Table)
	}
	again, err := Straight(ctx, tables, log, pos.Seq, progress)
	if err != nil {
		return pos, nil, err
	}
	if _, err := again.Flush(ctx); err != nil {
		return pos, nil, err
	}
	diffs, err := compare(ctx, tables, again.store, v.store)
	return pos, diffs, err
}

func compare(ctx context.Context, tables []*Table, want, got Store) ([]Diff, error) {
	var out []Diff
	for _, bucket := range []string{BucketSnapshot, BucketLatest, BucketCache} {
		keys, err := union(ctx, bucket, want, got)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			w, errW := want.Load(ctx, bucket, k)
			g, errG := got.Load(ctx, bucket, k)
			if err := errors.Join(notMissing(errW), notMissing(errG)); err != nil {
				return nil, err
			}
			if !bytes.Equal(w, g) {
				out = append(out, explain(Diff{Projection: owner(tables, bucket, k), Bucket: bucket, Key: k}, w, g)...)
			}
		}
	}
	return out, nil
}

func notMissing(err error) error {
	if errors.Is(err, ErrNoCell) {
		return nil
	}
	return err
}

func union(ctx context.Context, bucket string, stores ...Store) ([]string, error) {
	set := map[string]struct{}{}
	for _, s := range stores {
		keys, err := s.Keys(ctx, bucket, "")
		if err != nil {
			return nil, fmt.Errorf("list bucket %s: %w", bucket, err)
		}
		for _, k := range keys {
			if !strings.HasPrefix(k, ProbePrefix) {
				set[k] = struct{}{}
			}
		}
	}
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out, nil
}

// owner names the projection that a cell belongs to: of pointers and cache the one whose views they are.
func owner(tables []*Table, bucket, key string) string {
	for _, t := range tables {
		if bucket != BucketSnapshot {
			if slices.Contains(t.buckets, bucket) {
				return t.name
			}
			continue
		}
		if strings.HasPrefix(key, t.prefix()) || key == t.positionKey() {
			return t.name
		}
	}
	name, _, _ := strings.Cut(key, ".")
	return name
}

// explain breaks the difference of two cells down to fields; identical JSON in another order of
// keys is no difference.
func explain(d Diff, want, got []byte) []Diff {
	if want == nil || got == nil {
		d.Want, d.Got = show(want), show(got)
		return []Diff{d}
	}
	var w, g any
	if json.Unmarshal(want, &w) != nil || json.Unmarshal(got, &g) != nil {
		d.Want, d.Got = show(want), show(got)
		return []Diff{d}
	}
	return Fields(d, w, g)
}

// Explain compares two states of one cell, nil meaning that there is none: Want is what it was, Got
// what it is.
func Explain(projection, key string, was, is []byte) []Diff {
	return explain(Diff{Projection: projection, Key: key}, was, is)
}

func show(b []byte) string {
	const most = 200
	switch {
	case b == nil:
		return "(absent)"
	case len(b) > most:
		return string(b[:most]) + "…"
	}
	return string(b)
}

// Fields compares two decoded JSON values and gives one Diff for each field that differs.
func Fields(d Diff, want, got any) []Diff {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	wm, okW := want.(map[string]any)
	gm, okG := got.(map[string]any)
	if !okW || !okG {
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		d.Want, d.Got = show(w), show(g)
		return []Diff{d}
	}
	var out []Diff
	for _, k := range sortedKeys(wm, gm) {
		sub := d
		sub.Field = strings.TrimPrefix(d.Field+"."+k, ".")
		w, inW := wm[k]
		g, inG := gm[k]
		switch {
		case !inW:
			sub.Want, sub.Got = "(absent)", compact(g)
			out = append(out, sub)
		case !inG:
			sub.Want, sub.Got = compact(w), "(absent)"
			out = append(out, sub)
		default:
			out = append(out, Fields(sub, w, g)...)
		}
	}
	return out
}

func compact(v any) string {
	b, _ := json.Marshal(v)
	return show(b)
}

func sortedKeys(ms ...map[string]any) []string {
	set := map[string]struct{}{}
	for _, m := range ms {
		for k := range m {
			set[k] = struct{}{}
		}
	}
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
