// Package projector is the engine that folds the log into projections.
//
// # The contract of a fold
//
// A projection has a handler for each kind of event that concerns it, func(*S, events.Record, *events.X), see [On]:
// total, pure and deterministic. A handler reads nothing but the state and the record: no clock, no configuration, no
// process table, no randomness. It changes the state in place (the engine gives every state to one handler at a time
// and reads it under the same lock), but must not keep the record's bytes. The state survives a round trip through
// JSON.
//
// The handlers are the only list of a projection's events, and its [Scope] is the only place that says which cells a
// record folds into. So the engine knows of each cell which records it is folded from (see [Table.Needs]).
//
// # Cells and positions
//
// One aggregate of one projection is one cell. A cell remembers the sequence it was folded at, so
// folding a record twice changes nothing. Cells are written behind, in batches; the last cell of a
// batch is the projection's [Position] (sequence and event id), so a position is never newer than
// the values. After a crash the tail of the log is folded again; a position whose event id is not
// the log's means that the log is another one, and the projection is folded from the start.
//
//	bucket snapshot   identity.v<version>.<session>   {"seq":1201,"state":{…}}
//	                  position.identity.v<version>    {"seq":1204,"id":"01K…"}
//	bucket latest     identity.<project>              "<session>"
//	bucket cache      brief.<session>                 "[C:EMG r=1.00 IC=0.85]"
package projector

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"hookline/events"
)

// Table is one projection: how records map to keys, how they fold, and what is derived from a cell. It does not change
// after [New].
type Table struct {
	name    string
	former  []string
	version int

	handlers map[reflect.Type]*handler // by the event's pointer type
	other    *handler                  // for records without one of their own; nil for none
	scopes   []scopeTypes
	skip     func(events.Record) bool

	zero    func(key string) any // returns a *S, which the cell alone has
	decode  func(json.RawMessage) (any, error)
	views   func(key string, state any) []ViewCell
	buckets []string // the buckets that views writes to, each owned by this table alone
	words   func(state any) []string
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
	Name string // a lower-case noun; the prefix of its cells

	// Former are names of projections whose state this one has taken over; their cells go when it is folded anew.
	Former []string

	// Version is raised when the meaning of the state changes; the old cells are then folded anew.
	Version int

	// Scope says which cells a record folds into.
	Scope *Scope

	// Skip reports the records that do not concern the projection whatever their event is. It may be nil.
	Skip func(events.Record) bool

	// Before is called before the handlers of a record. Where it returns false none is called. It may be nil.
	Before func(*S, events.Record) bool

	// On are the handlers, see [On].
	On []Handler[S]

	// Start returns the state before the first record. Where it is nil that is the zero value.
	Start func(key string) S

	// Views returns the cells of other buckets that follow from a state. It may be nil.
	Views func(key string, state S) []ViewCell

	// Buckets are those that Views writes to. Such a bucket belongs to one projection.
	Buckets []string

	// Index returns the words by which [Lookup] finds a cell, nil for none. It may be nil. Other words want another Version.
	Index func(S) []string
}

// New makes the engine's form of a projection. It panics where two handlers are for one kind of event.
func New[S any](spec Spec[S]) *Table {
	t := &Table{
		name:     spec.Name,
		former:   spec.Former,
		version:  spec.Version,
		handlers: map[reflect.Type]*handler{},
		skip:     spec.Skip,
		buckets:  spec.Buckets,
	}
	addHandlers(t, spec)

	t.zero = func(key string) any {
		state := new(S)
		if spec.Start != nil {
			*state = spec.Start(key)
		}
		return state
	}
	t.decode = func(b json.RawMessage) (any, error) {
		state := new(S)
		err := json.Unmarshal(b, state)
		return state, err
	}
	t.views = func(key string, state any) []ViewCell {
		if spec.Views == nil {
			return nil
		}
		return spec.Views(key, *state.(*S))
	}
	if spec.Index != nil {
		t.words = func(state any) []string { return spec.Index(*state.(*S)) }
	}
	return t
}

// Name returns the name of the projection.
func (t *Table) Name() string { return t.name }

// Version returns the version of the states of the projection.
func (t *Table) Version() int { return t.version }

// Buckets returns the buckets that the projection's cells lie in.
func (t *Table) Buckets() []string { return append([]string{BucketSnapshot}, t.buckets...) }

// Decode reads the JSON of a state, and returns a pointer to the projection's state.
func (t *Table) Decode(state json.RawMessage) (any, error) { return t.decode(state) }

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
	state any // a *S: folded in place under the view's lock, and copied for readers
	dirty bool
}

// load decodes a stored cell.
func (t *Table) load(b []byte) (*cell, error) {
	stored, err := readCell(b)
	if err != nil {
		return nil, err
	}
	state, err := t.decode(stored.State)
	if err != nil {
		return nil, err
	}
	return &cell{seq: stored.Seq, state: state}, nil
}

// readCell takes a stored cell apart. Its state is not copied.
func readCell(b []byte) (storedCell, error) {
	var stored storedCell
	if events.Fill(b, &stored) && stored.Seq > 0 {
		return stored, nil
	}
	err := json.Unmarshal(b, &stored)
	return stored, err
}

// encode returns the cell as it is stored.
func (c *cell) encode() ([]byte, error) {
	state, err := json.Marshal(c.state)
	if err != nil {
		return nil, err
	}
	// encoding/json would go over the state once more.
	b := strconv.AppendUint([]byte(`{"seq":`), c.seq, 10)
	return slices.Concat(b, []byte(`,"state":`), state, []byte("}")), nil
}
