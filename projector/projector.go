// Package projector is the engine that folds the log into projections.
//
// # The contract of a fold
//
// A fold is func(S, events.Record) S: total, pure and deterministic. It reads nothing else: no clock, no
// configuration, no process table, no randomness; what it needs stands in the record. It may reuse
// the state it is given (the engine hands every state to one fold at a time and reads it under the
// same lock), but must not keep the record's bytes. Its state survives a round trip through JSON.
//
// # Cells and positions
//
// One aggregate of one projection is one cell. A cell remembers the sequence it was folded at, so
// folding a record twice changes nothing. Cells are written behind, in batches; the last cell of a
// batch is the projection's [Position] (sequence and event id), so a position is never newer than
// the values. After a crash the tail of the log is folded again; a position whose event id is not
// the log's means that the log is another one, and the projection is folded from the start.
//
//	bucket snapshot   identity.v4.<session>   {"seq":1201,"state":{…}}
//	                  position.identity.v4    {"seq":1204,"id":"01K…"}
//	bucket latest     identity.<project>      "<session>"
//	bucket cache      brief.<session>         "[C:EMG r=1.00 IC=0.85]"
package projector

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"hookline/events"
)

// Table is one projection: how records map to keys, how they fold, and what is derived from a cell.
type Table struct {
	name    string
	former  []string
	version int
	keys    func(events.Record) []string
	zero    func(key string) any // a state is an any with a *S, which the cell alone has
	fold    func(any, events.Record)
	decode  func(json.RawMessage) (any, error)
	needs   func(key string) []Selector
	views   func(key string, state any) []ViewCell
	buckets []string // that the views write, each owned by this table alone

	words func(state any) []string
}

// ViewCell is a cell of bucket latest or cache that follows from a folded state. A nil Value means
// that it must not be there.
type ViewCell struct {
	Bucket string
	Key    string
	Value  []byte
}

// Spec describes a projection with states of type S.
type Spec[S any] struct {
	Name    string                               // lower-case noun; prefix of its cells
	Former  []string                             // names of projections whose state it has taken over; their cells go when it is folded anew
	Version int                                  // raised when the meaning of the state changes; the old cells are then folded anew
	Keys    func(events.Record) []string         // cells that the record folds into; none = does not concern it
	Needs   func(key string) []Selector          // the records that fold into a cell; nil = read the whole log for it
	Start   func(key string) S                   // state before the first record; nil = the zero value
	Fold    func(S, events.Record) S             // see the package comment
	Views   func(key string, state S) []ViewCell // may be nil
	Buckets []string                             // what Views writes to; a bucket of views belongs to one projection

	Index func(S) []string // words by which [Lookup] finds the cell, nil for none; may be nil; other words need another Version
}

// NewTable makes the engine's form of a projection.
func NewTable[S any](s Spec[S]) *Table {
	t := &Table{
		name: s.Name, former: s.Former, version: s.Version, keys: s.Keys, needs: s.Needs, buckets: s.Buckets,
		zero: func(key string) any {
			st := new(S)
			if s.Start != nil {
				*st = s.Start(key)
			}
			return st
		},
		fold: func(st any, r events.Record) {
			p := st.(*S)
			*p = s.Fold(*p, r)
		},
		decode: func(b json.RawMessage) (any, error) {
			st := new(S)
			err := json.Unmarshal(b, st)
			return st, err
		},
		views: func(key string, st any) []ViewCell {
			if s.Views == nil {
				return nil
			}
			return s.Views(key, *st.(*S))
		},
	}
	if s.Index != nil {
		t.words = func(st any) []string { return s.Index(*st.(*S)) }
	}
	return t
}

// Name is the projection's name.
func (t *Table) Name() string { return t.name }

func (t *Table) prefix() string { return fmt.Sprintf("%s.v%d.", t.name, t.version) }

// positionPrefix begins the keys of positions in bucket snapshot.
const positionPrefix = "position."

func (t *Table) positionKey() string {
	return fmt.Sprintf("%s%s.v%d", positionPrefix, t.name, t.version)
}

// Position is how far a projection has come: the last record folded, by sequence and by id.
type Position struct {
	Seq uint64 `json:"seq"`
	ID  string `json:"id"`
}

// storedPosition is a position as it lies in bucket snapshot, with the words of the table's index by key.
type storedPosition struct {
	Position
	Words map[string][]string `json:"words,omitzero"`
}

// storedCell is a cell as it lies in bucket snapshot.
type storedCell struct {
	Seq   uint64          `json:"seq"`
	State json.RawMessage `json:"state"`
}

// cell is a folded state in memory.
type cell struct {
	seq   uint64
	state any // *S: folded in place under the view's lock, and copied for readers
	dirty bool
}

func (t *Table) load(b []byte) (*cell, error) {
	sc, err := readCell(b)
	if err != nil {
		return nil, err
	}
	st, err := t.decode(sc.State)
	return &cell{seq: sc.Seq, state: st}, err
}

// readCell takes a stored cell apart. Its state is not copied.
func readCell(b []byte) (storedCell, error) {
	var sc storedCell
	if events.Fill(b, &sc) && sc.Seq > 0 {
		return sc, nil
	}
	err := json.Unmarshal(b, &sc)
	return sc, err
}

func (c *cell) encode() ([]byte, error) {
	st, err := json.Marshal(c.state)
	if err != nil {
		return nil, err
	}
	// encoding/json would go over the state once more.
	b := strconv.AppendUint([]byte(`{"seq":`), c.seq, 10)
	return slices.Concat(b, []byte(`,"state":`), st, []byte("}")), nil
}
