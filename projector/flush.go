package projector

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// batch is what one flush writes, encoded under the lock and saved outside of it.
type batch struct {
	cells     map[string][]Cell // by bucket
	positions []Cell
	pos       Position
}

// Flush writes every changed cell and then the positions. Pointers and cache go first, snapshots
// next, positions last: after a crash in between the tail is folded again and writes the same.
// It returns the position that the store now holds.
func (v *View) Flush(ctx context.Context) (Position, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()
	return v.flush(ctx)
}

// flush is Flush for a caller that holds flushing.
func (v *View) flush(ctx context.Context) (Position, error) {
	b, err := v.collect()
	defer v.saved()
	if err != nil {
		return Position{}, err
	}

	if v.Durable != nil {
		if err := v.Durable(ctx, b.pos.Seq); err != nil {
			v.redirty(b)
			return Position{}, fmt.Errorf("wait for the log: %w", err)
		}
	}

	for _, bucket := range []string{BucketCache, BucketLatest, BucketSnapshot} {
		cells := b.cells[bucket]
		if bucket == BucketSnapshot {
			cells = append(cells, b.positions...)
		}
		if len(cells) == 0 {
			continue
		}
		if err := v.store.Save(ctx, bucket, cells); err != nil {
			v.redirty(b)
			return Position{}, fmt.Errorf("write bucket %s: %w", bucket, err)
		}
	}
	return b.pos, nil
}

// collect encodes what is to be written, and counts it as written.
func (v *View) collect() (batch, error) {
	v.mu.Lock()
	defer v.mu.Unlock()

	b := batch{cells: map[string][]Cell{}, pos: v.pos}
	v.saving = true
	var written []*tableView
	for _, t := range v.tables {
		if t.pos == v.pos || v.isUnreadable(t) {
			continue
		}
		if err := t.collect(&b); err != nil {
			return b, err
		}
		position, err := json.Marshal(storedPosition{v.pos, t.indexed()})
		if err != nil {
			return b, fmt.Errorf("encode position of %s: %w", t.name, err)
		}
		b.positions = append(b.positions, Cell{Key: t.positionKey(), Value: position})
		written = append(written, t)
	}

	for _, t := range written { // only now, so that an error in the middle leaves everything as it was
		for _, c := range t.cells {
			c.dirty = false
		}
		t.dirty, t.pos = 0, v.pos
	}
	return b, nil
}

// isUnreadable reports whether cells of the table could not be read: what was folded into their places is
// only a part, and nothing of the table is written until [View.Rebuild] has made them good.
func (v *View) isUnreadable(t *tableView) bool {
	return slices.ContainsFunc(v.unreadable, func(key string) bool { return strings.HasPrefix(key, t.prefix()) })
}

// collect encodes the table's changed cells in key order and what follows from them.
func (t *tableView) collect(b *batch) error {
	keys := make([]string, 0, t.dirty)
	for key, c := range t.cells {
		if c.dirty {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)

	for _, key := range keys {
		c := t.cells[key]
		value, err := c.encode()
		if err != nil {
			return fmt.Errorf("encode cell %s%s: %w", t.prefix(), key, err)
		}
		if c.seq == 0 { // every record of it was retracted
			value = nil
		}
		b.cells[BucketSnapshot] = append(b.cells[BucketSnapshot], Cell{Key: t.prefix() + key, Value: value})

		for _, view := range t.views(key, c.state) {
			b.cells[view.Bucket] = append(b.cells[view.Bucket], Cell{Key: view.Key, Value: view.Value})
		}
	}
	return nil
}

// saved ends a batch. What it wrote need not stay in memory: a start that folds a long log has all cells there.
func (v *View) saved() {
	v.mu.Lock()
	defer v.mu.Unlock()

	v.saving = false
	for _, t := range v.tables {
		t.trim()
	}
}

// redirty takes back a batch that could not be written, so that the next flush writes it.
func (v *View) redirty(b batch) {
	v.mu.Lock()
	defer v.mu.Unlock()

	for _, t := range v.tables {
		t.pos = Position{}
		for _, written := range b.cells[BucketSnapshot] {
			key, ours := strings.CutPrefix(written.Key, t.prefix())
			if !ours {
				continue
			}
			if c := t.cells[key]; c != nil {
				t.mark(c)
			}
		}
	}
}

// WarmCache writes the cells of bucket cache again that follow from the cells with the given keys, or
// from all of them where none is given. The bucket lives in memory, so this runs after a start; a long
// log has thousands of cells, of which only those of live sessions are soon asked for.
func (v *View) WarmCache(ctx context.Context, keys ...string) error {
	v.flushing.Lock()
	defer v.flushing.Unlock()

	for _, t := range v.tables {
		if !slices.Contains(t.buckets, BucketCache) {
			continue
		}
		if err := v.warm(ctx, t, keys); err != nil {
			return fmt.Errorf("warm the cache of %s: %w", t.name, err)
		}
	}
	return nil
}

func (v *View) warm(ctx context.Context, t *tableView, keys []string) error {
	if len(keys) == 0 {
		err := v.Read(ctx, func(r Reader) (err error) {
			keys, err = r.Keys(t.name)
			return err
		})
		if err != nil {
			return err
		}
	}

	var cells []Cell
	for _, key := range keys {
		err := v.Read(ctx, func(Reader) error { // hooks go on between two of them
			c, err := v.cell(ctx, t, key)
			if err != nil {
				return err
			}
			for _, view := range t.views(key, c.state) {
				if view.Bucket == BucketCache && view.Value != nil {
					cells = append(cells, Cell{Key: view.Key, Value: view.Value})
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return v.store.Save(ctx, BucketCache, cells)
}
