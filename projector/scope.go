package projector

import (
	"slices"

	"hookline/events"
)

// Scope says which cells a record folds into, and which records fold into a cell. It is known before any data is read,
// so that one cell of the past is folded from its own records instead of the whole log.
type Scope struct {
	// Keys returns the keys of the cells that a record folds into. It may be none; an empty key is no cell.
	Keys func(events.Record) []string

	// Records returns selectors of at least those records that fold into the cell of a key. Selectors without types get
	// those of the handlers.
	Records func(key string) []Selector
}

// BySession is the scope of projections with a cell for each session, under its whole id.
var BySession = &Scope{
	Keys:    func(r events.Record) []string { return []string{r.Session} },
	Records: func(key string) []Selector { return []Selector{{Session: key}} },
}

// ByProject is the scope of projections with a cell for each project, under its id.
var ByProject = &Scope{
	Keys:    func(r events.Record) []string { return []string{r.Project} },
	Records: func(key string) []Selector { return []Selector{{Project: key}} },
}

// Selector means records by what is known of them before their data is read. An empty field means any.
type Selector struct {
	Session string
	Project string
	Types   []string // wire names
}

// Match reports whether the selector means a record.
func (s Selector) Match(session, project, typ string) bool {
	if s.Session != "" && s.Session != session {
		return false
	}
	if s.Project != "" && s.Project != project {
		return false
	}
	return s.Types == nil || slices.Contains(s.Types, typ)
}

// scopeTypes are the wire names of the events that fold by one scope. nil means all, also those of later builds.
type scopeTypes struct {
	scope *Scope
	types []string
}

// require enters wire names under their scope. nil stands for all types; a scope that needs them all takes no more
// names.
func (t *Table) require(scope *Scope, types []string) {
	for i, by := range t.scopes {
		if by.scope != scope {
			continue
		}
		if by.types != nil {
			t.scopes[i].types = append(by.types, types...)
		}
		return
	}
	t.scopes = append(t.scopes, scopeTypes{scope: scope, types: types})
}

// Needs returns selectors of all records that fold into the cell of a key, or with "" into any cell of the projection,
// and of the retractions. What is folded from those alone is what is folded from the whole log.
func (t *Table) Needs(key string) []Selector {
	var want []Selector
	for _, by := range t.scopes {
		selectors := []Selector{{}}
		if key != "" {
			selectors = by.scope.Records(key)
		}
		for _, s := range selectors {
			if s.Types == nil {
				s.Types = by.types
			}
			want = append(want, s)
		}
	}
	return withRetractions(want)
}

// Keys returns the keys of the cells that a record folds into.
func (t *Table) Keys(r events.Record) []string {
	h := t.handlerOf(r)
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(h.scope.Keys(r), func(key string) bool { return key == "" })
}

// withRetractions returns the selectors with the retractions among the types of each.
func withRetractions(want []Selector) []Selector {
	out := slices.Clone(want)
	for i, s := range out {
		has := s.Types == nil || slices.Contains(s.Types, events.TypeRecordRetracted)
		if !has {
			out[i].Types = append(slices.Clip(s.Types), events.TypeRecordRetracted)
		}
	}
	return out
}
