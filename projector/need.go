package projector

import (
	"context"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/project"
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
	if key == "" || t.needs == nil {
		return withRetractions([]Selector{{Types: typesInto(t.keys, "")}})
	}
	return withRetractions(t.needs(key))
}

// Keys are the cells that a record folds into.
func (t *Table) Keys(r events.Record) []string { return t.keys(r) }

// The parts of a probe's keys.
const (
	probeProject = "p"
	probeSession = "s"
	probeBranch  = "b"
)

// typesInto finds by trying which types fold into the cell that a probe of every type would have under that key; ""
// stands for any cell. nil is every type, those of the future too. So a list of types cannot be behind a fold.
func typesInto(keys func(events.Record) []string, key string) []string {
	folds := func(e events.Event) bool {
		got := keys(events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: time.UnixMilli(0),
			Project: probeProject, Session: probeSession, Branch: probeBranch}})
		return slices.Contains(got, key) || key == "" && len(got) > 0
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

// What the cells of each projection are folded from, besides retractions.

// needOfSession is for projections with a cell for each session.
func needOfSession(keyOf func(events.Record) string) func(string) []Selector {
	return func(key string) []Selector {
		return []Selector{{Session: key, Types: typesInto(one(keyOf), probeSession)}}
	}
}

// needOfProject is for projections with a cell for each project.
func needOfProject(keyOf func(events.Record) string) func(string) []Selector {
	return func(key string) []Selector {
		return []Selector{{Project: key, Types: typesInto(one(keyOf), probeProject)}}
	}
}

func retractionNeeds(string) []Selector {
	return []Selector{{Types: []string{events.TypeRecordRetracted}}}
}

func sessionNeeds(key string) []Selector { return []Selector{{Session: key}} }

func pointerNeeds(key string) []Selector {
	if _, session, ok := identity.SplitTime(key); ok {
		return []Selector{{Session: session, Types: typesInto(identity.PointerKeys, identity.TimeKey(0, probeSession))}}
	}
	return []Selector{{Project: strings.TrimPrefix(key, identity.PointerKey("")), Types: typesInto(identity.PointerKeys, identity.PointerKey(probeProject))}}
}

// projectNeeds has the joins of all projects: the one that is given up is named in their data.
func projectNeeds(key string) []Selector {
	return []Selector{{Project: key, Types: typesInto(project.Keys, probeProject)}, {Types: []string{events.TypeProjectRehomed}}}
}

func gateNeeds(key string) []Selector {
	project, branch := gate.SplitKey(key)
	if branch == "" {
		return []Selector{{Project: project, Types: typesInto(gate.Keys, gate.ProjectKey(probeProject))}}
	}
	return []Selector{{Project: project, Types: typesInto(gate.Keys, gate.Key(probeProject, probeBranch))}}
}
