package projector

import "slices"

// Lookup returns the keys of the cells that a table's index has under a word, sorted.
func Lookup(r Reader, table, word string) []string {
	t := r.view.table(table)
	if t == nil {
		return nil
	}

	var keys []string
	for key, words := range t.indexed() {
		if slices.Contains(words, word) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Find returns the states that a table's index has under a word, in the order of their keys. Like every state that a
// [Reader] gives they are valid only until [View.Read] returns.
func Find[S any](r Reader, table, word string) []S {
	var states []S
	for _, key := range Lookup(r, table, word) {
		if s, there := State[S](r, table, key); there {
			states = append(states, s)
		}
	}
	return states
}

// indexed returns the words of the table's cells ([Spec].Index) by key, nil for a table without. They are stored with
// the position and kept as the cells are; a view in memory makes them of its cells when they are first needed.
func (t *tableView) indexed() map[string][]string {
	if t.index == nil && t.words != nil {
		t.index = map[string][]string{}
		for key, c := range t.cells {
			t.indexCell(key, c)
		}
	}
	return t.index
}

// indexCell replaces the words that the index has of a cell.
func (t *tableView) indexCell(key string, c *cell) {
	if t.index == nil {
		return
	}
	delete(t.index, key)
	if c.seq == 0 {
		return
	}
	if words := t.words(c.state); words != nil {
		t.index[key] = words
	}
}
