// Package check finds what is wrong with a store. [Verify] returns the verdict: it reads the log record by record, folds it again
// and compares every cell of every bucket and every large content. What the log's own events explain is known and no fault; all
// else is damage.
//
// [Losses] are the sequences that the log does not give, and what its own events say of them. A hole stays a hole (docs/decisions/0008): what comes back is appended, under its own id at a new sequence.
//
// What an opening of the store found becomes the event that records it ([EventOf]), and words for people ([Told], [Status],
// [Opened]).
package check

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/projector"
	"hookline/projector/tables"
)

// Store is what is verified.
type Store struct {
	Log     *embedded.Stream
	Blobs   *embedded.Blobs
	View    *projector.View
	Report  func() embedded.Report // of the store's opening, with what was met since
	Serving bool                   // by a daemon; else it was opened for this, and what that found is told to the caller
}

// Verify reads all of the store. Damage does not end it: what comes after it is read, and everything that is wrong is named.
// An error says that the store could not be read; Verdict.TookMS is left to the caller, which has the time of the beginning.
func Verify(ctx context.Context, s Store, progress func(uint64)) (api.Verdict, error) {
	if err := s.View.WarmCache(ctx); err != nil {
		return api.Verdict{}, err
	}
	e := evidence{refs: map[string]bool{}, seed: maphash.MakeSeed(), ids: map[uint64]uint64{}}
	passes := 0
	source := func(ctx context.Context, from, to uint64, fn func(events.Record) error) (err error) {
		passes++
		if passes > 1 { // the stored retractions are not those of the log: it is folded once more
			_, err = s.Log.Examine(ctx, from, to, fn)
			return err
		}
		e.found, err = s.Log.Examine(ctx, from, to, func(rec events.Record) error {
			e.take(rec)
			return fn(rec)
		})
		return err
	}
	pos, diffs, err := s.View.Verify(ctx, source, progress)
	if err != nil {
		return api.Verdict{}, err
	}

	v := api.Verdict{Events: pos.Seq, Read: e.read, Unknown: e.unknown, Holes: pos.Seq - min(pos.Seq, e.read), Known: []api.Hole{}, New: []api.Hole{},
		Compared: []string{}, Unsure: []string{}, Diffs: append([]projector.Diff{}, diffs...), Damage: []string{}}
	rep := s.Report()
	news := ""
	if !s.Serving { // the store was opened for this command: what that found is told to the caller
		news = rep.Found.ID
	}
	e.judge(&v, news, rep.Damage)
	v.Damage = append(v.Damage, e.faults...)
	for _, dm := range rep.Damage {
		if !s.Serving && !rep.Found.Empty() && !slices.Contains(v.Damage, Line(dm)) {
			v.Damage = append(v.Damage, Line(dm))
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(e.refs)) {
		if _, err := s.Blobs.Get(digest); err != nil {
			v.Damage = append(v.Damage, "blob "+digest+": "+strings.TrimPrefix(err.Error(), digest+": "))
		}
	}
	judgeCells(&v)
	return v, nil
}

// judgeCells sets which projections the differences are of, and the exit code.
func judgeCells(v *api.Verdict) {
	for _, name := range tables.Names() {
		differs := slices.ContainsFunc(v.Diffs, func(df projector.Diff) bool { return df.Projection == name })
		if differs && len(v.New) > 0 {
			v.Unsure = append(v.Unsure, name)
		} else {
			v.Compared = append(v.Compared, name)
		}
	}
	switch {
	case len(v.Damage) > 0:
		v.Exit = 2
	case len(v.Diffs) > 0:
		v.Exit = 1
	}
	v.Clean = v.Exit == 0
}
