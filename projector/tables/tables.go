// Package tables lists all projections. A projection adds its line here.
package tables

import (
	"slices"

	"hookline/projector"
	"hookline/projector/codes"
	"hookline/projector/gate"
	"hookline/projector/handover"
	"hookline/projector/identity"
	"hookline/projector/ledger"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/touches"
	"hookline/projector/working"
)

var all = []*projector.Table{
	session.Table,
	identity.Table,
	identity.PointerTable,
	project.Table,
	gate.Table,
	working.Table,
	ledger.Table,
	projector.Retractions,
	touches.Table,
	codes.Table,
	handover.Table,
}

// All returns all projections, always in the same order.
func All() []*projector.Table { return slices.Clone(all) }

// Named returns the projections with these names, in the order of [All].
func Named(names ...string) []*projector.Table {
	return slices.DeleteFunc(All(), func(t *projector.Table) bool { return !slices.Contains(names, t.Name()) })
}

// Names returns the names of all projections, in the order of [All].
func Names() []string {
	var names []string
	for _, t := range all {
		names = append(names, t.Name())
	}
	return names
}
