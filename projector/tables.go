package projector

import (
	"slices"

	"hookline/events"
	"hookline/projector/codes"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/ledger"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/touches"
	"hookline/projector/working"
)

// Tables is the list of all projections, or of those with these names, in the same order. A capability adds its line here
// and its leaf package below this folder.
func Tables(only ...string) []*Table {
	all := []*Table{
		NewTable(Spec[session.State]{Name: session.Name, Former: []string{"attention"}, Version: session.Version, Keys: session.Keys, Needs: ofSession,
			Fold: session.Fold, Index: session.Words}),
		NewTable(Spec[identity.State]{Name: identity.Name, Version: identity.Version, Keys: one(identity.Key), Needs: ofSession,
			Fold: identity.Fold, Views: briefCell, Buckets: []string{BucketCache}}),
		NewTable(Spec[identity.Pointer]{Name: identity.PointerName, Version: identity.PointerVersion, Keys: identity.PointerKeys, Needs: ofPointer,
			Fold: identity.FoldPointer, Views: pointerCell, Buckets: []string{BucketLatest}}),
		NewTable(Spec[project.State]{Name: project.Name, Version: project.Version, Keys: project.Keys, Needs: ofJoined,
			Start: project.Start, Fold: project.Fold, Index: project.Words}),
		NewTable(Spec[gate.State]{Name: gate.Name, Version: gate.Version, Keys: gate.Keys, Needs: ofBranch, Fold: gate.Fold}),
		NewTable(Spec[working.State]{Name: working.Name, Version: working.Version, Keys: one(working.Key), Needs: ofSession,
			Fold: working.Fold}),
		NewTable(Spec[ledger.State]{Name: ledger.Name, Version: ledger.Version, Keys: one(ledger.Key), Needs: ofProject,
			Fold: ledger.Fold}),
		NewTable(Spec[retractions]{Name: retractionName, Version: retractionVersion, Keys: one(retractionCell),
			Fold: foldRetraction}),
		NewTable(Spec[touches.State]{Name: touches.Name, Version: touches.Version, Keys: one(touches.Key), Needs: ofProject,
			Fold: touches.Fold}),
		NewTable(Spec[codes.State]{Name: codes.Name, Version: codes.Version, Keys: one(codes.Key), Needs: ofProject, Fold: codes.Fold}),
	}
	return slices.DeleteFunc(all, func(t *Table) bool { return only != nil && !slices.Contains(only, t.name) })
}

// Names are those of all projections in their order.
func Names() []string {
	var names []string
	for _, t := range Tables() {
		names = append(names, t.name)
	}
	return names
}

func one(key func(events.Record) string) func(events.Record) []string {
	return func(r events.Record) []string {
		if k := key(r); k != "" {
			return []string{k}
		}
		return nil
	}
}

// briefCell is what the hot path prints, for sessions that live.
func briefCell(key string, s identity.State) []ViewCell {
	c := ViewCell{Bucket: BucketCache, Key: "brief." + key}
	if s.Live {
		c.Value = []byte(s.Brief())
	}
	return []ViewCell{c}
}

func pointerCell(key string, s identity.Pointer) []ViewCell {
	c := ViewCell{Bucket: BucketLatest, Key: key}
	if s.Session != "" {
		c.Value = []byte(s.Session)
	}
	return []ViewCell{c}
}
