package projector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"hookline/events"
)

// Source reads the log from one sequence to another, both included, in order.
type Source func(ctx context.Context, from, to uint64, fn func(events.Record) error) error

// Diff is one difference between what the log says and what a bucket holds.
type Diff struct {
	Projection string `json:"projection" jsonschema_description:"name"`
	Bucket     string `json:"bucket,omitempty" jsonschema_description:"that holds the cell; absent between two points of the log"`
	Key        string `json:"key" jsonschema_description:"of the cell"`
	Field      string `json:"field" jsonschema_description:"path inside of the state; empty when the whole cell is missing or too many"`
	Want       string `json:"want" jsonschema_description:"by the log: JSON text, cut at 200 bytes, or (absent)"`
	Got        string `json:"got" jsonschema_description:"by the bucket, in the same form"`
}

// Straight folds the log from its first record to `to` into a new view in memory; up to 0 is nothing.
func Straight(ctx context.Context, tables []*Table, log Source, to uint64, progress func(seq uint64)) (*View, error) {
	return straight(ctx, tables, log, to, progress, nil, math.MaxInt)
}

// straight is Straight when some retractions are known: what they took back is passed over. Where the log has others, it
// is folded once more with those. Of more changed cells than most only their JSON stays in memory.
func straight(ctx context.Context, tables []*Table, log Source, to uint64, progress func(seq uint64), known takenBack, most int) (*View, error) {
	v, err := inMemory(ctx, tables, known)
	if err != nil || to == 0 { // which for a Source would mean the newest
		return v, err
	}

	err = log(ctx, 1, to, func(r events.Record) error {
		if progress != nil && r.Seq%1024 == 0 {
			progress(r.Seq)
		}
		if err := v.Apply(ctx, r); err != nil || v.changed() <= most {
			return err
		}
		for _, t := range v.tables {
			t.keep = false
		}
		_, err := v.Flush(ctx)
		return err
	})
	if err != nil || maps.Equal(v.met, known) {
		return v, err
	}
	return straight(ctx, tables, log, to, progress, v.met, most)
}

// changed counts the cells that a flush would write.
func (v *View) changed() int {
	n := 0
	for _, t := range v.tables {
		n += t.dirty
	}
	return n
}

// inMemory is an empty view that folds what known does not take back.
func inMemory(ctx context.Context, tables []*Table, known takenBack) (*View, error) {
	v, err := OpenView(ctx, NewMemory(), tables)
	if err != nil {
		return nil, err
	}
	v.taken = known
	for _, t := range v.tables {
		t.keep, t.index = true, nil
	}
	return v, nil
}

// mostFolded is how many changed cells a comparison keeps as states, which take some times the memory of their JSON: those of
// some thousand sessions.
const mostFolded = 20_000

// Verify flushes the view, folds the log again up to the position that was written and compares
// every cell of every bucket. While it runs nothing is written behind; folding goes on.
func (v *View) Verify(ctx context.Context, log Source, progress func(seq uint64)) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	_, pos, diffs, err := v.again(ctx, log, "", progress, mostFolded)
	return pos, diffs, err
}

// again folds the log into a view beside this one, and compares the cells of the chosen projections.
func (v *View) again(ctx context.Context, log Source, only string, progress func(seq uint64), most int) (*View, Position, []Diff, error) {
	tables, err := v.chosen(only)
	if err != nil {
		return nil, Position{}, nil, err
	}
	pos, err := v.flush(ctx)
	if err != nil {
		return nil, pos, nil, err
	}
	v.mu.Lock()
	known := v.taken.upTo(pos.Seq)
	v.mu.Unlock()
	fresh, err := straight(ctx, tables, log, pos.Seq, progress, known, most)
	if err != nil {
		return nil, pos, nil, err
	}
	if _, err := fresh.Flush(ctx); err != nil {
		return nil, pos, nil, err
	}
	diffs, err := v.compare(ctx, fresh)
	return fresh, pos, diffs, err
}

// compare gives what the stored cells have otherwise than the fresh view's. Cells of projections that the
// fresh view does not have are left out.
func (v *View) compare(ctx context.Context, fresh *View) ([]Diff, error) {
	var out []Diff
	for _, bucket := range []string{BucketSnapshot, BucketLatest, BucketCache} {
		differ, err := v.differences(ctx, fresh, bucket)
		if err != nil {
			return nil, err
		}
		for _, k := range slices.Sorted(maps.Keys(differ)) {
			d := Diff{Projection: owner(v.tables, bucket, k), Bucket: bucket, Key: k}
			if v.table(d.Projection) == nil || fresh.table(d.Projection) != nil {
				out = append(out, Explain(d, differ[k].want, differ[k].got)...)
			}
		}
	}
	return out, nil
}

// difference is a cell that two buckets have otherwise, nil where one lacks it.
type difference struct {
	want, got []byte
}

// differences compares a bucket with the fresh view's, cell by cell: all of them together may be larger than the memory.
func (v *View) differences(ctx context.Context, fresh *View, bucket string) (map[string]difference, error) {
	keys, err := fresh.store.Keys(ctx, bucket, "")
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", bucket, err)
	}
	lacking := map[string]bool{}
	for _, k := range keys {
		lacking[k] = true
	}

	differ := map[string]difference{}
	wanted := func(key string) ([]byte, error) {
		want, err := fresh.store.Load(ctx, bucket, key)
		if errors.Is(err, ErrNoCell) {
			return nil, nil
		}
		return want, err
	}
	err = v.store.Scan(ctx, bucket, "", func(key string, got []byte) error {
		if strings.HasPrefix(key, ProbePrefix) {
			return nil
		}
		delete(lacking, key)
		want, err := wanted(key)
		if bytes.Equal(want, got) {
			delete(differ, key) // it comes again where it was written meanwhile
		} else {
			differ[key] = difference{want, got}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read bucket %s: %w", bucket, err)
	}

	for key := range lacking {
		want, err := wanted(key)
		if err != nil {
			return nil, err
		}
		differ[key] = difference{want: want}
	}
	return differ, nil
}

// keysOf is the sorted union of the keys.
func keysOf[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// owner names the projection that a cell belongs to: of pointers and cache the one whose views they are.
func owner(tables []*tableView, bucket, key string) string {
	for _, t := range tables {
		ours := strings.HasPrefix(key, t.prefix()) || key == t.positionKey()
		if slices.Contains(t.buckets, bucket) || bucket == BucketSnapshot && ours {
			return t.name
		}
	}
	name, _, _ := strings.Cut(key, ".")
	return name
}

// Explain breaks the difference of two cells, nil where there is none, down to fields; identical JSON in another order of
// keys is no difference.
func Explain(d Diff, want, got []byte) []Diff {
	var w, g any
	if json.Unmarshal(want, &w) != nil || json.Unmarshal(got, &g) != nil { // as of a cell that is not there
		d.Want, d.Got = show(want), show(got)
		return []Diff{d}
	}
	return fields(d, w, g)
}

func show(b []byte) string {
	const most = 200
	if b == nil {
		return "(absent)"
	}
	if len(b) > most {
		return string(b[:most]) + "…"
	}
	return string(b)
}

// fields compares two decoded JSON values and gives one Diff for each field that differs.
func fields(d Diff, want, got any) []Diff {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	wm, okW := want.(map[string]any)
	gm, okG := got.(map[string]any)
	if !okW || !okG {
		d.Want, d.Got = compact(want), compact(got)
		return []Diff{d}
	}
	var out []Diff
	for _, k := range keysOf(wm, gm) {
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
			out = append(out, fields(sub, w, g)...)
		}
	}
	return out
}

func compact(v any) string {
	b, _ := json.Marshal(v)
	return show(b)
}
