package projector

import (
	"context"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/projector/gate"
	"hookline/projector/identity"
)

// Selector means records by what is known of them before their data is read. An empty field means any.
type Selector struct {
	Session string
	Project string
	Types   []string // wire names
}

// Match tells whether the selector means a record.
func (s Selector) Match(session, project, typ string) bool {
	return (s.Session == "" || s.Session == session) && (s.Project == "" || s.Project == project) &&
		(s.Types == nil || slices.Contains(s.Types, typ))
}

// Part reads records of the log from one sequence to another, both included and in order: all that one of the
// selectors means, and perhaps others.
type Part func(ctx context.Context, from, to uint64, want []Selector, fn func(events.Record) error) error

// Only is a source of nothing but what the selectors mean, for [Straight].
func (p Part) Only(want []Selector) Source {
	return func(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
		return p(ctx, from, to, want, fn)
	}
}

// Needs are selectors of all records that fold into the cell of that key, or with "" into any cell of the
// projection. What is folded from those alone is what is folded from the whole log.
func (t *Table) Needs(key string) []Selector {
	want := []Selector{{}}
	if key != "" && t.needs != nil {
		want = t.needs(key)
	}
	types := typesInto(t.keys)
	for i := range want {
		if want[i].Types == nil {
			want[i].Types = types
		}
	}
	return withRetractions(want)
}

// Keys are the cells that a record folds into.
func (t *Table) Keys(r events.Record) []string { return t.keys(r) }

// typesInto finds by trying which types of events fold into a cell of a projection. nil is every type, those of the
// future too. So a list of types cannot be behind a fold.
func typesInto(keys func(events.Record) []string) []string {
	folds := func(e events.Event) bool {
		return len(keys(events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: time.UnixMilli(0),
			Project: "p", Session: "s", Branch: "b"}})) > 0
	}
	if folds(&events.Unknown{}) {
		return nil
	}
	types := []string{}
	for _, k := range events.Catalog() {
		if folds(k.New()) {
			types = append(types, k.Type)
		}
	}
	return types
}

// Where the records stand that the cells of each projection are folded from.

// ofSession is for projections with a cell for each session.
func ofSession(key string) []Selector { return []Selector{{Session: key}} }

// ofProject is for projections with a cell for each project.
func ofProject(key string) []Selector { return []Selector{{Project: key}} }

// ofPointer is for the pointers of projects and those of points in time.
func ofPointer(key string) []Selector {
	if _, session, ok := identity.SplitTime(key); ok {
		return ofSession(session)
	}
	return ofProject(strings.TrimPrefix(key, identity.PointerKey("")))
}

// ofJoined has the joins of all projects besides: the one that is given up is named in their data.
func ofJoined(key string) []Selector {
	return []Selector{{Project: key}, {Types: []string{events.TypeProjectRehomed}}}
}

// ofBranch is for the gates of a project's branches.
func ofBranch(key string) []Selector {
	project, _ := gate.SplitKey(key)
	return ofProject(project)
}
