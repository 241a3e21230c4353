package projector

import (
	"context"
	"maps"

	"hookline/events"
)

// Source reads the log from one sequence to another, both included, in order. As the last sequence 0 means the newest.
type Source func(ctx context.Context, from, to uint64, fn func(events.Record) error) error

// SelectiveSource reads records of the log from one sequence to another, both included and in order: all that one of
// the selectors means, and perhaps others.
type SelectiveSource func(ctx context.Context, from, to uint64, want []Selector, fn func(events.Record) error) error

// Only returns a source of what the selectors mean, for [FoldLog].
func (s SelectiveSource) Only(want []Selector) Source {
	return func(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
		return s(ctx, from, to, want, fn)
	}
}

// FoldOptions say what [FoldLog] folds.
type FoldOptions struct {
	Tables   []*Table
	To       uint64           // the last sequence; 0 folds nothing
	Progress func(seq uint64) // called now and then with the sequence that was reached; may be nil

	retracted  retractedEvents // what is known to be taken back before the log is read
	maxChanged int             // how many changed cells stay in memory as states, of others only their JSON; 0 for all
}

// progressEvery is the number of records between two calls of [FoldOptions].Progress.
const progressEvery = 1024

// FoldLog folds the log from its first record into a new view in memory. Where the log retracts events that were not
// known to be retracted, it is folded once more without those.
func FoldLog(ctx context.Context, log Source, o FoldOptions) (*View, error) {
	v, err := inMemory(ctx, o.Tables, o.retracted)
	if err != nil {
		return nil, err
	}
	if o.To == 0 { // for a Source it would mean the newest
		return v, nil
	}

	err = log(ctx, 1, o.To, func(r events.Record) error {
		if o.Progress != nil && r.Seq%progressEvery == 0 {
			o.Progress(r.Seq)
		}
		if err := v.Apply(ctx, r); err != nil {
			return err
		}
		if o.maxChanged == 0 || v.changed() <= o.maxChanged {
			return nil
		}
		return v.encodeCells(ctx)
	})
	if err != nil {
		return nil, err
	}

	if !maps.Equal(v.retractedInLog, o.retracted) {
		o.retracted = v.retractedInLog
		return FoldLog(ctx, log, o)
	}
	return v, nil
}

// inMemory returns an empty view that folds everything but the retracted events.
func inMemory(ctx context.Context, tables []*Table, retracted retractedEvents) (*View, error) {
	v, err := OpenView(ctx, NewMemory(), tables)
	if err != nil {
		return nil, err
	}

	v.retracted = retracted
	for _, t := range v.tables {
		t.keepsAll = true
		t.index = nil
	}
	return v, nil
}

// changed returns the number of cells that a flush would write.
func (v *View) changed() int {
	n := 0
	for _, t := range v.tables {
		n += t.dirty
	}
	return n
}

// encodeCells replaces the states of a view in memory by their JSON, which takes a fraction of the memory.
func (v *View) encodeCells(ctx context.Context) error {
	for _, t := range v.tables {
		t.keepsAll = false
	}
	_, err := v.Flush(ctx)
	return err
}
