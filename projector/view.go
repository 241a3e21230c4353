package projector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/events"
)

// maxClean bounds how many unchanged cells of one table stay in memory; changed ones always do.
const maxClean = 4096

// View is all projections at one position. Apply is called by one writer, in log order; readers see
// states only inside [View.Read], under the same lock.
type View struct {
	// Durable, when set before the first flush, returns once everything up to a sequence is on disk: a
	// cell must never be newer than the log, or the records that take its sequence after a power cut
	// would count as folded.
	Durable func(ctx context.Context, seq uint64) error

	// Log reads the records that a retraction has folded again. Without it retractions are only noted.
	Log Part

	mu     sync.Mutex
	store  Store
	tables []*tableView
	pos    Position

	flushing sync.Mutex // one flush at a time; held while verify compares the buckets
	saving   bool       // a batch is on its way: its cells must not leave memory before it has arrived
	broken   []string   // cells that could not be decoded and were folded anew

	taken takenBack // what is folded into nothing
	met   takenBack // by the records that were applied
}

type tableView struct {
	*Table
	cells map[string]*cell
	pos   Position // as last written
	dirty int
	keep  bool                // never trim: a view in memory has no other place for its cells
	index map[string][]string // see indexed
}

// OpenView reads the positions that the store holds and makes the view that resumes from them.
// Nothing else is read: cells are loaded when they are first needed. A projection without a position, or without the words that
// belong to it, is folded from the first record on, so what an earlier build, with another version of it, has left is removed.
func OpenView(ctx context.Context, store Store, tables []*Table) (*View, error) {
	v := &View{store: store}
	for _, t := range tables {
		tv := &tableView{Table: t, cells: map[string]*cell{}}
		pos, err := loadPosition(ctx, store, t)
		if err != nil {
			return nil, err
		}
		tv.pos, tv.index = pos.Position, pos.Words
		if t.words != nil && pos.Words == nil {
			tv.pos, tv.index = Position{}, map[string][]string{}
		}
		v.tables = append(v.tables, tv)
		if tv.pos.Seq > 0 {
			continue
		}
		for _, name := range append([]string{t.name}, t.former...) {
			for _, prefix := range []string{name + ".v", positionPrefix + name + ".v"} {
				if err := v.remove(ctx, BucketSnapshot, prefix, nil); err != nil {
					return nil, err
				}
			}
		}
		for _, bucket := range t.buckets {
			if err := v.remove(ctx, bucket, "", nil); err != nil {
				return nil, err
			}
		}
	}
	if len(v.tables) > 0 { // folding goes on from the position of the table that is furthest behind
		v.pos = slices.MinFunc(v.tables, func(a, b *tableView) int { return cmp.Compare(a.pos.Seq, b.pos.Seq) }).pos
	}
	return v, v.loadTaken(ctx)
}

// remove deletes the cells of a bucket that begin with prefix, but for those that stay.
func (v *View) remove(ctx context.Context, bucket, prefix string, stays func(key string) bool) error {
	keys, err := v.store.Keys(ctx, bucket, prefix)
	if err != nil {
		return fmt.Errorf("list bucket %s: %w", bucket, err)
	}
	var gone []Cell
	for _, key := range keys {
		if stays == nil || !stays(key) {
			gone = append(gone, Cell{Key: key})
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := v.store.Save(ctx, bucket, gone); err != nil {
		return fmt.Errorf("empty bucket %s: %w", bucket, err)
	}
	return nil
}

func loadPosition(ctx context.Context, store Store, t *Table) (storedPosition, error) {
	var p storedPosition
	b, err := store.Load(ctx, BucketSnapshot, t.positionKey())
	switch {
	case errors.Is(err, ErrNoCell):
		return p, nil
	case err != nil:
		return p, fmt.Errorf("load position of %s: %w", t.name, err)
	}
	if json.Unmarshal(b, &p) != nil {
		return storedPosition{}, nil // a broken position is no position: fold from the start
	}
	return p, nil
}

// Positions tells each projection's written position, by name; the caller compares their ids with
// the log's before it resumes.
func (v *View) Positions() map[string]Position {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make(map[string]Position, len(v.tables))
	for _, t := range v.tables {
		out[t.name] = t.pos
	}
	return out
}

// Position is the last record folded into the view.
func (v *View) Position() Position {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.pos
}

// Forget drops everything that was resumed, in memory and on the next flush in the store, so that
// the log is folded from its first record. It is for a log that is not the one the positions name.
func (v *View) Forget(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	// Positions go first: where the rest fails, none is left that vouches for cells that are gone.
	if err := v.remove(ctx, BucketSnapshot, positionPrefix, nil); err != nil {
		return err
	}
	for _, b := range []string{BucketSnapshot, BucketLatest, BucketCache} {
		if err := v.remove(ctx, b, "", nil); err != nil {
			return err
		}
	}
	for _, t := range v.tables {
		t.cells, t.pos, t.dirty = map[string]*cell{}, Position{}, 0
		clear(t.index)
	}
	v.pos = Position{}
	v.taken = nil
	return nil
}

// Apply folds one record into every table that it concerns. Records come in log order; one that was
// folded before changes nothing.
func (v *View) Apply(ctx context.Context, r events.Record) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.apply(ctx, r)
}

func (v *View) apply(ctx context.Context, r events.Record) error {
	r.Appended = time.Time{} // which no fold may use: live, the time of the append is not known yet
	if err := v.takeBack(ctx, r); err != nil {
		return err
	}
	if _, taken := v.taken[r.ID]; taken && r.Type != events.TypeRecordRetracted { // a retraction is never taken back
		v.advance(r)
		return nil
	}

	for _, t := range v.tables {
		h := t.handlerOf(r)
		if h == nil {
			continue
		}
		for _, key := range h.scope.Keys(r) {
			if key == "" {
				continue
			}
			c, err := v.cell(ctx, t, key)
			if err != nil {
				return err
			}
			if c.seq < r.Seq {
				h.fold(c.state, r)
				c.seq = r.Seq
				t.cells[key] = c
				t.mark(c)
				if !v.saving {
					t.trim()
				}
			}
			t.note(key, c)
		}
	}
	v.advance(r)
	return nil
}

// advance moves the position to a record.
func (v *View) advance(r events.Record) {
	if r.Seq > v.pos.Seq {
		v.pos = Position{Seq: r.Seq, ID: r.ID}
	}
}

// cell finds a cell in memory, else in the store, else makes a new one, which stays in memory only
// when a record is folded into it. A cell that the store holds
// but that cannot be decoded is treated as missing and named in Broken: the caller folds it anew.
func (v *View) cell(ctx context.Context, t *tableView, key string) (*cell, error) {
	if c := t.cells[key]; c != nil {
		return c, nil
	}
	b, err := v.store.Load(ctx, BucketSnapshot, t.prefix()+key)
	switch {
	case errors.Is(err, ErrNoCell):
		return &cell{state: t.zero(key)}, nil
	case err != nil:
		return nil, fmt.Errorf("load cell %s%s: %w", t.prefix(), key, err)
	}
	c, err := t.load(b)
	if err != nil {
		v.broken = append(v.broken, t.prefix()+key)
		c = &cell{state: t.zero(key)}
	}
	if !v.saving {
		t.trim()
	}
	t.cells[key] = c
	return c, nil
}

// mark has the next flush write a cell.
func (t *tableView) mark(c *cell) {
	if !c.dirty {
		c.dirty = true
		t.dirty++
	}
}

// trim keeps the number of unchanged cells in memory bounded.
func (t *tableView) trim() {
	if t.keep || len(t.cells)-t.dirty < maxClean {
		return
	}
	for k, c := range t.cells {
		if !c.dirty {
			delete(t.cells, k)
		}
	}
}

// Broken lists the cells that could not be decoded; they must be folded anew from the log.
func (v *View) Broken() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.broken)
}

// Reader reads states at one position, inside [View.Read].
type Reader struct {
	ctx context.Context
	v   *View
	err *error // the first trouble of the store
}

// Read runs fn while no record is folded. States that fn gets are valid only until it returns. It
// returns fn's error, else the store's: a state that was missing for that reason must not be believed.
func (v *View) Read(ctx context.Context, fn func(Reader) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var trouble error
	err := fn(Reader{ctx: ctx, v: v, err: &trouble})
	if err == nil {
		err = trouble
	}
	return err
}

// cell is View.cell by the table's name; trouble is kept, so that Read reports it even where fn takes the cell for missing.
func (r Reader) cell(table, key string) (*cell, bool) {
	t := r.v.table(table)
	if t == nil || key == "" {
		return nil, false
	}
	c, err := r.v.cell(r.ctx, t, key)
	if err != nil {
		*r.err = cmp.Or(*r.err, err)
		return nil, false
	}
	return c, c.seq > 0
}

// Position is the position that everything read belongs to.
func (r Reader) Position() Position { return r.v.pos }

// State gives the folded state of one cell; false when no record concerned it yet.
func State[S any](r Reader, table, key string) (S, bool) {
	if c, ok := r.cell(table, key); ok {
		if s, ok := c.state.(*S); ok {
			return *s, true
		}
	}
	var zero S
	return zero, false
}

// Raw gives one cell as JSON with its sequence.
func (r Reader) Raw(table, key string) (json.RawMessage, uint64, bool) {
	c, ok := r.cell(table, key)
	if !ok {
		return nil, 0, false
	}
	b, err := json.Marshal(c.state)
	return b, c.seq, err == nil
}

// Each calls fn with every cell of a table whose key begins with prefix, in no order; one that is saved meanwhile may
// come twice. A stored cell is passed on as it lies there and does not stay in memory: a table of thousands of cells
// is read in a fraction of a second, while every hook waits.
func (r Reader) Each(table, prefix string, fn func(key string, seq uint64, state json.RawMessage)) error {
	t := r.v.table(table)
	if t == nil {
		return nil
	}

	pass := func(key string) {
		if state, seq, ok := r.Raw(table, key); ok {
			fn(key, seq, state)
		}
	}
	for key := range t.cells {
		if strings.HasPrefix(key, prefix) {
			pass(key)
		}
	}

	return r.v.store.Scan(r.ctx, BucketSnapshot, t.prefix()+prefix, func(stored string, b []byte) error {
		key := strings.TrimPrefix(stored, t.prefix())
		if t.cells[key] != nil { // as new or newer
			return nil
		}
		if sc, err := readCell(b); err == nil && json.Valid(sc.State) {
			fn(key, sc.Seq, sc.State)
		} else {
			pass(key) // the one place that deals with broken cells
		}
		return nil
	})
}

// Keys lists the keys of a table, sorted.
func (r Reader) Keys(table string) ([]string, error) {
	t := r.v.table(table)
	if t == nil {
		return nil, nil
	}
	stored, err := r.v.store.Keys(r.ctx, BucketSnapshot, t.prefix())
	if err != nil {
		return nil, err
	}
	set := make(map[string]bool, len(stored)+len(t.cells))
	for _, k := range stored {
		set[strings.TrimPrefix(k, t.prefix())] = true
	}
	for k, c := range t.cells {
		set[k] = c.seq > 0 // else what was stored is taken back, and not deleted yet
	}
	maps.DeleteFunc(set, func(_ string, there bool) bool { return !there })
	return slices.Sorted(maps.Keys(set)), nil
}

func (v *View) table(name string) *tableView {
	i := slices.IndexFunc(v.tables, func(t *tableView) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return v.tables[i]
}
