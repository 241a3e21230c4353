package projector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// Rebuild folds the log again into new cells in memory while the old ones serve, then switches: the new states take
// over under the lock, what differed is written, and cells that should not be there are deleted. It returns every value
// that differed, as [View.Verify] does, from the same pass over the log. only names one projection, "" means all.
// Cancelling before the switch leaves everything as it was; a crash during the writing leaves old positions, so that
// the tail is folded again.
func (v *View) Rebuild(
	ctx context.Context, log Source, only string, progress func(seq uint64),
) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()

	again, err := v.refold(ctx, log, refoldOptions{only: only, progress: progress})
	if err != nil {
		return again.position, nil, err
	}
	if err := v.swap(ctx, again, log); err != nil {
		return Position{}, nil, err
	}

	ctx = context.WithoutCancel(ctx) // the new cells serve: they must be written whole
	if err := v.dropStrangers(ctx, again.view); err != nil {
		return Position{}, nil, err
	}
	position, err := v.flush(ctx)
	return position, again.diffs, err
}

// chosen returns the projection with a name, or all for "".
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
func (v *View) swap(ctx context.Context, again refolded, log Source) error {
	v.mu.Lock()
	defer v.mu.Unlock()

	fresh := again.view
	if v.pos.Seq > fresh.pos.Seq {
		fresh.Log = v.Log
		err := log(ctx, fresh.pos.Seq+1, v.pos.Seq, func(r events.Record) error { return fresh.apply(ctx, r) })
		if err != nil {
			return fmt.Errorf("fold what was recorded meanwhile: %w", err)
		}
	}

	v.retracted = fresh.retractedInLog.upTo(v.pos.Seq)
	for _, ft := range fresh.tables {
		differs := slices.ContainsFunc(again.diffs, func(d Diff) bool { return d.Projection == ft.name })
		v.table(ft.name).takeOver(ft, differs)
	}
	v.unreadable = slices.DeleteFunc(v.unreadable, func(key string) bool {
		return slices.ContainsFunc(fresh.tables, func(t *tableView) bool { return strings.HasPrefix(key, t.prefix()) })
	})
	return nil
}

// takeOver puts the cells of a fresh view in the place of the table's. Where the table differed, all are to be written,
// else those that were folded after the comparison.
func (t *tableView) takeOver(fresh *tableView, differed bool) {
	t.cells, t.dirty, t.pos = fresh.cells, 0, Position{}
	t.index = nil
	t.indexed()

	for _, c := range t.cells {
		changed := c.dirty || differed
		c.dirty = false
		if changed && c.seq > 0 {
			t.mark(c)
		}
	}
}

// dropStrangers deletes stored cells of the rebuilt tables that the log does not give, and what no state of them gives
// in the buckets of their views.
func (v *View) dropStrangers(ctx context.Context, fresh *View) error {
	v.mu.Lock()
	defer v.mu.Unlock()

	for _, t := range fresh.tables {
		err := v.remove(ctx, BucketSnapshot, t.prefix(), func(stored string) bool {
			c := v.table(t.name).cells[strings.TrimPrefix(stored, t.prefix())]
			return c != nil && c.seq > 0
		})
		if err != nil {
			return err
		}

		type place struct{ bucket, key string }
		given := map[place]bool{}
		for key, c := range t.cells {
			for _, view := range t.views(key, c.state) {
				given[place{view.Bucket, view.Key}] = view.Value != nil
			}
		}
		for _, bucket := range t.buckets {
			err := v.remove(ctx, bucket, "", func(key string) bool { return given[place{bucket, key}] })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
