package mend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/replay/carry"
	"hookline/replay/check"
)

// fromExport takes what one export has. Only an export of this log says what is missing, which shares events with it.
// Events of sessions that were deleted do not come back.
func (st RepairStore) fromExport(ctx context.Context, path string, dry bool, out *api.Repaired, l *check.Losses) (api.Source, error) {
	s := api.Source{Kind: "export", Name: path}
	var had, back []block.Range // of the lost sequences
	sound := map[string]bool{}  // contents that the store lacks
	lacking := slices.Concat(out.BadBlobs, out.GoneBlobs)
	o := carry.ImportOptions{Partial: true, Dry: true, Skip: func(r events.Record) bool { return l.Deleted[r.Session] }}
	o.See = func(item carry.Item, known bool) {
		if b := item.Blob; b != nil {
			if _, err := st.Blobs.Get(b.Digest); slices.Contains(lacking, b.Digest) && err != nil {
				sound[b.Digest] = true
			}
			return
		}

		lost := block.Common(l.Lost, block.Range{First: item.Event.Seq, Last: item.Event.Seq})
		had = append(had, lost...)
		if known {
			back = append(back, lost...)
		}
		if item.Event.Type == events.TypeLogRepaired { // what came back before stands in the export too
			l.Note(*item.Event)
		}
	}
	got, err := carry.Import(ctx, path, st.Into, o, nil)
	if err != nil {
		var p *problem.Error
		if !errors.As(err, &p) {
			return s, err
		}
		s.Problem = strings.TrimPrefix(p.Message, path+": ")
		return s, nil
	}
	s.Events, s.Known, s.Blobs, s.Problem = got.Added, got.Known, len(sound), got.Problem
	if s.Known == 0 && !l.AllLost() {
		s.Events, s.Blobs, s.Problem = 0, 0, "it shares no event with this log; `replay import` takes such a file"
		return s, nil
	}
	had = block.Join(had...)
	l.Fetched = block.Join(append(l.Fetched, had...)...)
	l.AddBack(back...)
	out.NewBlobs += s.Blobs
	if dry || s.Events+uint64(s.Blobs) == 0 {
		return s, nil
	}
	for digest := range sound {
		if slices.Contains(out.BadBlobs, digest) { // it stays beside, as evidence
			path := filepath.Join(st.Home, "store", "blobs", strings.TrimPrefix(digest, "sha256:")+".zst")
			if err := os.Rename(path, path+".damaged"); err != nil {
				st.Warn.Warn("set a damaged blob aside", "err", err)
			}
		}
	}
	o.Dry, o.See = false, nil
	if _, err = carry.Import(ctx, path, st.Into, o, nil); err != nil {
		return s, err
	}
	l.AddBack(had...)
	if len(had) == 0 {
		return s, nil
	}
	// Later repairs read from it what is back, without the export.
	return s, st.Record(ctx, &events.LogRepaired{Source: filepath.Base(path), Back: check.RunsOf(had)})
}
