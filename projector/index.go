package projector

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// Lookup returns the keys of the cells that a table's index has under a word, sorted.
//
// The index is stored with the table's position. Where there is none, the first lookup reads the table's stored cells,
// passing over those without its IndexHint undecoded; from then on every fold keeps the index as the cells are.
func Lookup(r Reader, table, word string) []string {
	t := r.v.table(table)
	if t == nil || t.words == nil {
		return nil
	}

	if t.index == nil {
		loaded, err := r.v.loadIndex(r.ctx, t)
		if err != nil {
			r.trouble(err)
			return nil
		}
		t.index = loaded
	}

	return slices.Sorted(maps.Keys(t.index.keys[word]))
}

// Find returns the states that a table's index has under a word, in the order of their keys. Like every state that a
// [Reader] gives they are valid only until [View.Read] returns.
func Find[S any](r Reader, table, word string) []S {
	var found []S
	for _, key := range Lookup(r, table, word) {
		if s, ok := State[S](r, table, key); ok {
			found = append(found, s)
		}
	}
	return found
}

// index has the cells of one table by words that follow from their states ([Spec].Index).
type index struct {
	keys  map[string]map[string]struct{} // by word
	words map[string][]string            // by key
}

// maxStored is how many keys of an index are stored at most: they are written with every position.
const maxStored = 500

// indexOf is the index that was stored with a position.
func indexOf(stored map[string][]string) *index {
	x := newIndex()
	for _, word := range slices.Sorted(maps.Keys(stored)) {
		for _, key := range stored[word] {
			x.set(key, append(slices.Clone(x.words[key]), word))
		}
	}
	return x
}

// indexToStore is what [indexOf] reads; nil where the table has no index, it was not needed yet, or it is too large.
func (t *tableView) indexToStore() map[string][]string {
	x := t.index
	if x == nil && t.keep && t.words != nil {
		x = t.indexInMemory()
	}
	if x == nil || len(x.words) > maxStored {
		return nil
	}

	stored := make(map[string][]string, len(x.keys))
	for word, keys := range x.keys {
		stored[word] = slices.Sorted(maps.Keys(keys))
	}
	return stored
}

func newIndex() *index {
	return &index{keys: map[string]map[string]struct{}{}, words: map[string][]string{}}
}

// set replaces the words of a key.
func (x *index) set(key string, words []string) {
	before := x.words[key]
	if slices.Equal(before, words) {
		return
	}

	for _, w := range before {
		delete(x.keys[w], key)
		if len(x.keys[w]) == 0 {
			delete(x.keys, w)
		}
	}
	delete(x.words, key)

	for _, w := range words {
		if x.keys[w] == nil {
			x.keys[w] = map[string]struct{}{}
		}
		x.keys[w][key] = struct{}{}
	}
	if len(words) > 0 {
		x.words[key] = words
	}
}

// loadIndex makes the index of a table from all of its cells.
// What is only stored does not stay in memory.
func (v *View) loadIndex(ctx context.Context, t *tableView) (*index, error) {
	x := t.indexInMemory()
	err := v.stored(ctx, t, "", func(key string, b []byte) error {
		if !bytes.Contains(b, []byte(t.indexHint)) {
			return nil
		}

		c, err := t.load(b)
		if err != nil {
			c, err = v.cell(ctx, t, key) // the one place that deals with broken cells
		}
		if err != nil {
			return err
		}

		x.add(t, key, c)
		return nil
	})
	return x, err
}

// indexInMemory is the index of the cells that are in memory.
func (t *tableView) indexInMemory() *index {
	x := newIndex()
	for key, c := range t.cells {
		x.add(t, key, c)
	}
	return x
}

func (x *index) add(t *tableView, key string, c *cell) {
	if c.seq > 0 {
		x.set(key, t.words(c.state))
	}
}
