// Package retraction folds which events were taken back. One cell has them all: the engine asks it for every record, and
// folds those into nothing.
package retraction

import (
	"maps"

	"hookline/events"
)

// Name and Version of the projection's cell, and its key.
const (
	Name    = "retraction"
	Version = 1
	Key     = "all"
)

// State is what was taken back.
type State struct {
	Taken map[string]Mark `json:"taken,omitempty" jsonschema_description:"by the id of the event that was taken back"`
}

// Mark is the first retraction of an event.
type Mark struct {
	Seq   uint64 `json:"seq" jsonschema_description:"of the retraction"`
	Event string `json:"event" jsonschema_description:"id of the retraction"`
}

// Keys gives the cell that a record folds into.
func Keys(r events.Record) []string {
	if _, ok := r.Event.(*events.RecordRetracted); ok {
		return []string{Key}
	}
	return nil
}

// Fold takes one retraction into the state.
func Fold(s State, r events.Record) State {
	e, ok := r.Event.(*events.RecordRetracted)
	if !ok {
		return s
	}
	if _, again := s.Taken[e.Target]; again {
		return s
	}

	taken := maps.Clone(s.Taken)
	if taken == nil {
		taken = map[string]Mark{}
	}
	taken[e.Target] = Mark{Seq: r.Seq, Event: r.ID}
	s.Taken = taken
	return s
}
