package projector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// Rebuild folds the log again into new cells in memory while the old ones serve, then switches: the
// new states take over under the lock, are written, and cells that should not be there are deleted.
// only names one projection, "" means all. Cancelling before the switch leaves everything as it was;
// a crash during the writing leaves old positions, so that the tail is folded again.
func (v *View) Rebuild(ctx context.Context, log Source, only string, progress func(seq uint64)) (Position, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	tables, err := v.chosen(only)
	if err != nil {
		return Position{}, err
	}
	fresh, err := Straight(ctx, tables, log, v.Position().Seq, progress)
	if err != nil {
		return Position{}, err
	}
	return v.replaceBy(ctx, fresh, log, func(string) bool { return true })
}

// Renew is [View.Rebuild] that tells every value that differed, as [View.Verify] does, in the
// same pass over the log. Cells of a projection without a difference are not written again.
func (v *View) Renew(ctx context.Context, log Source, only string, progress func(seq uint64)) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	fresh, pos, diffs, err := v.again(ctx, log, only, progress)
	if err != nil {
		return pos, nil, err
	}
	pos, err = v.replaceBy(ctx, fresh, log, func(name string) bool {
		return slices.ContainsFunc(diffs, func(d Diff) bool { return d.Projection == name })
	})
	return pos, diffs, err
}

// replaceBy puts the fresh view's cells in the place of the old ones, and writes those of the projections that differ.
func (v *View) replaceBy(ctx context.Context, fresh *View, log Source, differs func(name string) bool) (Position, error) {
	if err := v.swap(ctx, fresh, log, differs); err != nil {
		return Position{}, err
	}
	ctx = context.WithoutCancel(ctx) // the new cells serve: they must be written whole
	if err := v.dropStrangers(ctx, fresh); err != nil {
		return Position{}, err
	}
	return v.flush(ctx)
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

// swap brings the fresh view to the old one's position and puts its cells in their place.
func (v *View) swap(ctx context.Context, fresh *View, log Source, differs func(name string) bool) error {
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
		if t.words != nil {
			t.index = t.indexInMemory()
		}
		all := differs(t.name)
		for _, c := range t.cells {
			c.dirty = c.seq > 0 && (all || c.dirty)
			if c.dirty {
				t.dirty++
			}
		}
	}
	v.broken = slices.DeleteFunc(v.broken, func(key string) bool {
		return slices.ContainsFunc(fresh.tables, func(t *tableView) bool { return strings.HasPrefix(key, t.prefix()) })
	})
	return nil
}

// dropStrangers deletes stored cells of the rebuilt tables that the log does not give.
func (v *View) dropStrangers(ctx context.Context, fresh *View) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, ft := range fresh.tables {
		keys, err := v.store.Keys(ctx, BucketSnapshot, ft.prefix())
		if err != nil {
			return err
		}
		var gone []Cell
		for _, k := range keys {
			if c := v.table(ft.name).cells[k[len(ft.prefix()):]]; c == nil || c.seq == 0 {
				gone = append(gone, Cell{Key: k})
			}
		}
		if err := v.store.Save(ctx, BucketSnapshot, gone); err != nil {
			return err
		}
		if err := v.dropDerived(ctx, ft); err != nil {
			return err
		}
	}
	return nil
}

// dropDerived deletes pointers and cache cells that no state of the table gives.
func (v *View) dropDerived(ctx context.Context, ft *tableView) error {
	if ft.views == nil {
		return nil
	}
	want := map[string]map[string]bool{}
	for k, c := range ft.cells {
		for _, vc := range ft.views(k, c.state) {
			if want[vc.Bucket] == nil {
				want[vc.Bucket] = map[string]bool{}
			}
			want[vc.Bucket][vc.Key] = vc.Value != nil
		}
	}
	for _, bucket := range ft.buckets {
		keys, err := v.store.Keys(ctx, bucket, "")
		if err != nil {
			return err
		}
		var gone []Cell
		for _, k := range keys {
			if !want[bucket][k] {
				gone = append(gone, Cell{Key: k})
			}
		}
		if err := v.store.Save(ctx, bucket, gone); err != nil {
			return err
		}
	}
	return nil
}
