package projector

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reader reads states at one position, inside [View.Read].
type Reader struct {
	ctx      context.Context
	view     *View
	firstErr *error // of the store
}

// Read runs fn while no record is folded. States that fn gets are valid only until it returns. It
// returns fn's error, else the store's: a state that was missing for that reason must not be believed.
func (v *View) Read(ctx context.Context, fn func(Reader) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()

	var storeErr error
	err := fn(Reader{ctx: ctx, view: v, firstErr: &storeErr})
	return cmp.Or(err, storeErr)
}

// cell returns a cell of a table, false where no record was folded into it. An error of the store is kept, so that Read
// returns it even where fn takes the cell for missing.
func (r Reader) cell(table, key string) (*cell, bool) {
	t := r.view.table(table)
	if t == nil || key == "" {
		return nil, false
	}
	c, err := r.view.cell(r.ctx, t, key)
	if err != nil {
		*r.firstErr = cmp.Or(*r.firstErr, err)
		return nil, false
	}
	return c, c.seq > 0
}

// Position returns the position that everything read belongs to.
func (r Reader) Position() Position { return r.view.pos }

// State returns the folded state of one cell; false when no record concerned it yet.
func State[S any](r Reader, table, key string) (S, bool) {
	var none S
	c, there := r.cell(table, key)
	if !there {
		return none, false
	}
	s, ok := c.state.(*S)
	if !ok {
		return none, false
	}
	return *s, true
}

// Raw returns one cell as JSON with its sequence; false when no record concerned it yet.
func (r Reader) Raw(table, key string) (state json.RawMessage, seq uint64, there bool) {
	c, there := r.cell(table, key)
	if !there {
		return nil, 0, false
	}
	b, err := json.Marshal(c.state)
	return b, c.seq, err == nil
}

// Each calls fn with every cell of a table whose key begins with prefix, in no order; one that is saved meanwhile may
// come twice. A stored cell is passed on as it lies there and does not stay in memory: a table of thousands of cells
// is read in a fraction of a second, while every hook waits.
func (r Reader) Each(table, prefix string, fn func(key string, seq uint64, state json.RawMessage)) error {
	t := r.view.table(table)
	if t == nil {
		return nil
	}

	pass := func(key string) {
		if state, seq, there := r.Raw(table, key); there {
			fn(key, seq, state)
		}
	}
	for key := range t.cells {
		if strings.HasPrefix(key, prefix) {
			pass(key)
		}
	}

	return r.view.store.Scan(r.ctx, BucketSnapshot, t.prefix()+prefix, func(storedKey string, value []byte) error {
		key := strings.TrimPrefix(storedKey, t.prefix())
		if t.cells[key] != nil { // as new or newer
			return nil
		}

		stored, err := readCell(value)
		if err != nil || !json.Valid(stored.State) {
			pass(key) // reads it once more, and notes that it cannot be decoded
			return nil
		}
		fn(key, stored.Seq, stored.State)
		return nil
	})
}

// Keys returns the keys of a table's cells, sorted.
func (r Reader) Keys(table string) ([]string, error) {
	t := r.view.table(table)
	if t == nil {
		return nil, nil
	}
	stored, err := r.view.store.Keys(r.ctx, BucketSnapshot, t.prefix())
	if err != nil {
		return nil, fmt.Errorf("list the cells of %s: %w", table, err)
	}

	there := make(map[string]bool, len(stored)+len(t.cells))
	for _, key := range stored {
		there[strings.TrimPrefix(key, t.prefix())] = true
	}
	for key, c := range t.cells {
		there[key] = c.seq > 0 // else its records were retracted, and what is stored is not deleted yet
	}
	maps.DeleteFunc(there, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(there)), nil
}
