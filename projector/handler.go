package projector

import (
	"fmt"
	"reflect"

	"hookline/events"
)

// Handler folds the records of one kind of event into states of type S. The handlers of a projection are the only list
// of its events: a record reaches the fold exactly when there is a handler for it.
type Handler[S any] struct {
	event reflect.Type // the event's pointer type; nil for a handler of every record
	kind  string       // the event's wire name
	scope *Scope       // nil for the projection's own
	fold  func(*S, events.Record)
}

// Handlers returns its arguments as the value of [Spec].On.
func Handlers[S any](list ...Handler[S]) []Handler[S] { return list }

// On returns a handler for one kind of event: the type of fn's third argument.
func On[S any, P interface {
	*E
	events.Event
}, E any](fn func(*S, events.Record, P)) Handler[S] {
	return Handler[S]{
		event: reflect.TypeFor[P](),
		kind:  P(new(E)).Type(),
		fold:  func(s *S, r events.Record) { fn(s, r, r.Event.(P)) },
	}
}

// OnAny returns a handler for every record, also for those of kinds that this build does not know. It is called before
// the handler of the record's own kind.
func OnAny[S any](fn func(*S, events.Record)) Handler[S] { return Handler[S]{fold: fn} }

// In returns the handler with a scope of its own instead of the projection's.
func (h Handler[S]) In(scope *Scope) Handler[S] {
	h.scope = scope
	return h
}

// handler folds the records of one kind of event into the cells of its scope. A state is a *S.
type handler struct {
	scope *Scope
	fold  func(state any, r events.Record)
}

// handlerOf returns the handler of a record, nil where the record does not concern the projection.
func (t *Table) handlerOf(r events.Record) *handler {
	h := t.handlers[reflect.TypeOf(r.Event)]
	if h == nil {
		h = t.other
	}
	if h == nil {
		return nil
	}
	if t.skip != nil && t.skip(r) {
		return nil
	}
	return h
}

// addHandlers enters the handlers of a projection into its table. It panics where one could never be called: two for
// the same kind of event, or one without a scope.
func addHandlers[S any](t *Table, spec Spec[S]) {
	every := everyRecord(spec)
	if every != nil {
		t.other = &handler{scope: spec.Scope, fold: steps(spec.Before, every)}
		t.require(spec.Scope, nil)
	}

	for _, h := range spec.On {
		if h.event == nil {
			continue
		}
		scope := spec.Scope
		if h.scope != nil {
			scope = h.scope
		}
		if scope == nil {
			panic(fmt.Sprintf("projection %s has no scope for %s", spec.Name, h.kind))
		}
		if t.handlers[h.event] != nil {
			panic(fmt.Sprintf("projection %s has two handlers for %s", spec.Name, h.kind))
		}
		t.handlers[h.event] = &handler{scope: scope, fold: steps(spec.Before, every, h.fold)}
		t.require(scope, []string{h.kind})
	}
}

// everyRecord returns the function of the handler for every record, nil where there is none.
func everyRecord[S any](spec Spec[S]) func(*S, events.Record) {
	var every func(*S, events.Record)
	for _, h := range spec.On {
		if h.event != nil {
			continue
		}
		if every != nil {
			panic(fmt.Sprintf("projection %s has two handlers for every record", spec.Name))
		}
		every = h.fold
	}
	return every
}

// steps joins what is done for a record. Where before returns false nothing else is done.
func steps[S any](before func(*S, events.Record) bool, then ...func(*S, events.Record)) func(any, events.Record) {
	return func(state any, r events.Record) {
		s := state.(*S)
		if before != nil && !before(s, r) {
			return
		}
		for _, step := range then {
			if step != nil {
				step(s, r)
			}
		}
	}
}

// Fold returns the state after a record. It is for callers that have a state without a cell, such as a decision that is
// judged before it is recorded: the record's keys do not count.
func Fold[S any](t *Table, s S, r events.Record) S {
	if h := t.handlerOf(r); h != nil {
		h.fold(&s, r)
	}
	return s
}
