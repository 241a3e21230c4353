package projector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Log SelectiveSource

	mu     sync.Mutex
	store  Store
	tables []*tableView
	pos    Position // of the last record that was applied

	flushing sync.Mutex // one flush at a time; held while verify compares the buckets
	saving   bool       // a batch is being written: its cells must not leave memory before they are stored

	anew       []Anew   // projections that are folded from the first record
	unreadable []string // stored keys of cells that could not be decoded and began anew

	retracted      retractedEvents // events that fold into nothing
	retractedInLog retractedEvents // those that the applied records retract
}

// tableView is one projection of a view.
type tableView struct {
	*Table
	cells    map[string]*cell
	pos      Position            // as last written
	dirty    int                 // number of cells that the next flush writes
	keepsAll bool                // cells never leave memory: a view in memory has no other place for them
	index    map[string][]string // words by key, see indexed
}

// OpenView reads the positions that the store holds and makes the view that resumes from them. Nothing else is read:
// cells are loaded when they are first needed. A projection without a position, or without the words that belong to it,
// is folded from the first record on, so what an earlier build, with another version of it, has left is removed.
func OpenView(ctx context.Context, store Store, tables []*Table) (*View, error) {
	v := &View{store: store}
	for _, t := range tables {
		tv, err := openTable(ctx, store, t)
		if err != nil {
			return nil, err
		}
		v.tables = append(v.tables, tv)
		if tv.pos.Seq > 0 {
			continue
		}
		anew, err := v.whatIsLeft(ctx, t)
		if err != nil {
			return nil, err
		}
		v.anew = append(v.anew, anew)
		if err := v.removeLeft(ctx, t); err != nil {
			return nil, err
		}
	}

	if len(v.tables) > 0 { // folding goes on from the position of the table that is furthest behind
		behind := slices.MinFunc(v.tables, func(a, b *tableView) int { return cmp.Compare(a.pos.Seq, b.pos.Seq) })
		v.pos = behind.pos
	}
	return v, v.loadRetracted(ctx)
}

// openTable reads the position of a projection and the words that are stored with it.
func openTable(ctx context.Context, store Store, t *Table) (*tableView, error) {
	stored, err := loadPosition(ctx, store, t)
	if err != nil {
		return nil, err
	}

	tv := &tableView{Table: t, cells: map[string]*cell{}, pos: stored.Position, index: stored.Words}
	if t.words != nil && stored.Words == nil {
		tv.pos, tv.index = Position{}, map[string][]string{}
	}
	return tv, nil
}

// Anew is a projection that is folded from the first record on, and what the store had of it.
type Anew struct {
	Name       string
	Former     bool // cells of another version
	Unreadable bool // a position that cannot be gone on from
}

// Anew returns the projections whose positions were not gone on from: all of them after [View.Forget].
func (v *View) Anew() []Anew {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.anew)
}

// whatIsLeft returns what the store has of a projection without a position.
func (v *View) whatIsLeft(ctx context.Context, t *Table) (Anew, error) {
	anew := Anew{Name: t.name}
	for _, name := range append([]string{t.name}, t.former...) {
		for _, prefix := range []string{name + ".v", positionPrefix + name + ".v"} {
			keys, err := v.store.Keys(ctx, BucketSnapshot, prefix)
			if err != nil {
				return anew, fmt.Errorf("list bucket %s: %w", BucketSnapshot, err)
			}
			for _, key := range keys {
				position := key == t.positionKey()
				current := strings.HasPrefix(key, t.prefix())
				anew.Unreadable = anew.Unreadable || position
				anew.Former = anew.Former || !position && !current
			}
		}
	}
	return anew, nil
}

// removeLeft removes what other versions of a projection have left, and the cells of its views.
func (v *View) removeLeft(ctx context.Context, t *Table) error {
	for _, name := range append([]string{t.name}, t.former...) {
		for _, prefix := range []string{name + ".v", positionPrefix + name + ".v"} {
			if err := v.remove(ctx, BucketSnapshot, prefix, nil); err != nil {
				return err
			}
		}
	}
	for _, bucket := range t.buckets {
		if err := v.remove(ctx, bucket, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the cells of a bucket whose keys begin with prefix, but for those that stay.
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

// loadPosition reads the stored position of a projection, the zero value where there is none.
func loadPosition(ctx context.Context, store Store, t *Table) (storedPosition, error) {
	b, err := store.Load(ctx, BucketSnapshot, t.positionKey())
	if errors.Is(err, ErrNoCell) {
		return storedPosition{}, nil
	}
	if err != nil {
		return storedPosition{}, fmt.Errorf("load position of %s: %w", t.name, err)
	}

	var p storedPosition
	if json.Unmarshal(b, &p) != nil {
		return storedPosition{}, nil // a broken position is no position: fold from the start
	}
	return p, nil
}

// Positions returns each projection's written position, by name; the caller compares their ids with
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

// Position returns the position of the last record that was folded into the view.
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
	for _, bucket := range []string{BucketSnapshot, BucketLatest, BucketCache} {
		if err := v.remove(ctx, bucket, "", nil); err != nil {
			return err
		}
	}

	v.anew = nil
	for _, t := range v.tables {
		v.anew = append(v.anew, Anew{Name: t.name})
		t.cells, t.pos, t.dirty = map[string]*cell{}, Position{}, 0
		clear(t.index)
	}
	v.pos = Position{}
	v.retracted = nil
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
	if err := v.retract(ctx, r); err != nil {
		return err
	}
	if v.isRetracted(r) {
		v.advance(r)
		return nil
	}

	for _, t := range v.tables {
		if err := v.foldInto(ctx, t, r); err != nil {
			return err
		}
	}
	v.advance(r)
	return nil
}

// foldInto folds a record into the cells of one table that it concerns, but for those that have it.
func (v *View) foldInto(ctx context.Context, t *tableView, r events.Record) error {
	h := t.handlerOf(r)
	if h == nil {
		return nil
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
		t.indexCell(key, c)
	}
	return nil
}

// advance moves the position to a record.
func (v *View) advance(r events.Record) {
	if r.Seq > v.pos.Seq {
		v.pos = Position{Seq: r.Seq, ID: r.ID}
	}
}

// cell returns a cell from memory, else from the store, else a new one, which stays in memory only
// when a record is folded into it. A cell that the store holds but that cannot be decoded is treated
// as missing and named by [View.Broken]: the caller folds it anew.
func (v *View) cell(ctx context.Context, t *tableView, key string) (*cell, error) {
	if c := t.cells[key]; c != nil {
		return c, nil
	}
	b, err := v.store.Load(ctx, BucketSnapshot, t.prefix()+key)
	if errors.Is(err, ErrNoCell) {
		return &cell{state: t.zero(key)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load cell %s%s: %w", t.prefix(), key, err)
	}

	c, err := t.load(b)
	if err != nil {
		v.unreadable = append(v.unreadable, t.prefix()+key)
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
	if t.keepsAll || len(t.cells)-t.dirty < maxClean {
		return
	}
	for key, c := range t.cells {
		if !c.dirty {
			delete(t.cells, key)
		}
	}
}

// Broken returns the stored keys of the cells that could not be decoded; they must be folded anew from the log.
func (v *View) Broken() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.unreadable)
}

// table returns the view's part of a projection, nil where the view does not have it.
func (v *View) table(name string) *tableView {
	i := slices.IndexFunc(v.tables, func(t *tableView) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return v.tables[i]
}
