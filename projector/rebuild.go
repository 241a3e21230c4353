package projector

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"hookline/events"
)

// Rebuild folds the log again into new cells in memory while the old ones serve, then switches: the new states take over
// under the lock, what differed is written, and cells that should not be there are deleted. It tells every value that
// differed, as [View.Verify] does, in the same pass over the log. only names one projection, "" means all. Cancelling
// before the switch leaves everything as it was; a crash during the writing leaves old positions, so that the tail is
// folded again.
func (v *View) Rebuild(ctx context.Context, log Source, only string, progress func(seq uint64)) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	fresh, pos, diffs, err := v.again(ctx, log, only, progress, math.MaxInt)
	if err != nil {
		return pos, nil, err
	}
	if err := v.swap(ctx, fresh, log, diffs); err != nil {
		return Position{}, nil, err
	}
	ctx = context.WithoutCancel(ctx) // the new cells serve: they must be written whole
	if err := v.dropStrangers(ctx, fresh); err != nil {
		return Position{}, nil, err
	}
	pos, err = v.flush(ctx)
	return pos, diffs, err
}

func (v *View) chosen(only string) ([]*Table, error) {
	var tables []*Table
	for _, t := range v.tables {
		if only == "" || t.name == only {
			tables = append(tables, t.Table)
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("no projection is called %q", only)
	}
	return tables, nil
}

// swap brings the fresh view to the old one's position and puts its cells in their place. Those of projections that
// differ are to be written.
func (v *View) swap(ctx context.Context, fresh *View, log Source, diffs []Diff) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pos.Seq > fresh.pos.Seq {
		fresh.Log = v.Log
		err := log(ctx, fresh.pos.Seq+1, v.pos.Seq, func(r events.Record) error { return fresh.apply(ctx, r) })
		if err != nil {
			return err
		}
	}
	v.taken = fresh.met.upTo(v.pos.Seq)
	for _, ft := range fresh.tables {
		t := v.table(ft.name)
		t.cells, t.dirty, t.pos = ft.cells, 0, Position{}
		t.index = nil
		t.indexed()
		differs := slices.ContainsFunc(diffs, func(d Diff) bool { return d.Projection == t.name })
		for _, c := range t.cells {
			changed := c.dirty || differs
			c.dirty = false
			if changed && c.seq > 0 {
				t.mark(c)
			}
		}
	}
	v.broken = slices.DeleteFunc(v.broken, func(key string) bool {
		return slices.ContainsFunc(fresh.tables, func(t *tableView) bool { return strings.HasPrefix(key, t.prefix()) })
	})
	return nil
}

// dropStrangers deletes stored cells of the rebuilt tables that the log does not give, and what no state of them gives
// in the buckets of their views.
func (v *View) dropStrangers(ctx context.Context, fresh *View) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, t := range fresh.tables {
		err := v.remove(ctx, BucketSnapshot, t.prefix(), func(key string) bool {
			c := v.table(t.name).cells[strings.TrimPrefix(key, t.prefix())]
			return c != nil && c.seq > 0
		})
		if err != nil {
			return err
		}

		want := map[string]bool{} // by bucket and key
		for k, c := range t.cells {
			for _, vc := range t.views(k, c.state) {
				want[vc.Bucket+" "+vc.Key] = vc.Value != nil
			}
		}
		for _, bucket := range t.buckets {
			if err := v.remove(ctx, bucket, "", func(key string) bool { return want[bucket+" "+key] }); err != nil {
				return err
			}
		}
	}
	return nil
}
