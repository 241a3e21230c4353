// Package mend brings back what was lost. [Repair] looks for everything that is damaged or missing in a store and fetches what other places still have:
// exports, and the client's transcripts. It never fills a hole: sequences are the log's, and what comes back is appended
// (docs/decisions/0008).
package mend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/spool"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/replay/carry"
	"hookline/replay/check"
)

// RepairOptions say where to look.
type RepairOptions struct {
	From        []string // exports, absolute paths
	Transcripts string   // folder with the client's transcripts; "" = those that the sessions name
	DryRun      bool
}

// RepairStore is what is repaired, while hooks go on being recorded.
type RepairStore struct {
	Home   string // folder of all state
	Report embedded.Report
	Log    *embedded.Stream
	Blobs  *embedded.Blobs
	View   *projector.View
	Spool  *spool.Spool
	Into   carry.Into // the same log, for what comes back from exports

	Transcripts transcript.Into // the same log, for what comes back from transcripts

	Drain  func(ctx context.Context)                       // takes the frames that wait in the spool
	Record func(ctx context.Context, e events.Event) error // appends an event about the log itself
	Warn   *slog.Logger
}

// Repair finds what is lost and, unless it is a dry run, appends it and folds the log again. progress, which may be nil, gets
// the sequence that was read last.
func Repair(ctx context.Context, st RepairStore, o RepairOptions, progress func(uint64)) (api.Repaired, error) {
	out := newResult(st.Report)
	out.DryRun = o.DryRun
	if err := st.checkSealed(&out); err != nil {
		return out, err
	}
	out.Waiting, out.Quarantined = st.Spool.Count(), st.Spool.Quarantined()
	if len(out.Damage) > 0 { // the log cannot be read to its end before it was opened anew
		return out, nil
	}
	if !o.DryRun {
		st.Drain(ctx)
		out.Waiting = st.Spool.Count()
	}
	l, err := check.ReadLosses(ctx, st.Log, progress)
	if err != nil {
		return out, err
	}
	if err := st.checkBlobs(ctx, &out, l); err != nil {
		return out, err
	}
	out.Lost, out.LostN = append(out.Lost, l.Lost...), block.Count(l.Lost)
	if err := st.fetch(ctx, o, &out, l); err != nil {
		return out, err
	}
	out.Back, out.BackN = append(out.Back, l.Back...), block.Count(l.Back)
	out.NotHad = out.LostN - min(out.LostN, out.Fetched+out.Rebuilt)
	out.Seq, _ = st.Log.Last()
	if o.DryRun || out.Added == 0 {
		return out, nil
	}
	// The cells may have been folded with events that are gone, and what came back would count twice.
	if _, _, err := st.View.Rebuild(ctx, st.Log.Read, "", nil); err != nil {
		return out, fmt.Errorf("fold the log again: %w", err)
	}
	return out, nil
}

func newResult(rep embedded.Report) api.Repaired {
	return api.Repaired{PID: os.Getpid(), Opened: check.Opened(rep), Damage: []string{}, Lost: []block.Range{}, Back: []block.Range{},
		BadBlobs: []string{}, GoneBlobs: []string{}, Sources: []api.Source{}}
}

// Looked is the result of a dry run that found the log damaged and did not open it.
func Looked(rep embedded.Report) api.Repaired {
	out := newResult(rep)
	out.DryRun, out.Blocks = true, rep.Checked
	return out
}

// checkSealed reads every block and passes over damage in the newest, to which the server appends: that one was checked
// when the store was opened.
func (st RepairStore) checkSealed(out *api.Repaired) error {
	msgs, stream := embedded.Blocks(filepath.Join(st.Home, "store"))
	found, err := block.Check(msgs, block.Options{Stream: stream})
	if err != nil || len(found.Blocks) == 0 {
		return err
	}
	out.Blocks = len(found.Blocks) - 1
	newest := found.Blocks[out.Blocks].Name
	for _, dm := range found.Damage {
		if dm.Block != newest {
			out.Damage = append(out.Damage, check.Line(dm))
		}
	}
	return nil
}

// checkBlobs reads every content and compares it with its digest.
func (st RepairStore) checkBlobs(ctx context.Context, out *api.Repaired, l *check.Losses) error {
	err := st.Blobs.Walk(ctx, func(digest string) error {
		out.Blobs++
		_, err := st.Blobs.Get(digest)
		if errors.Is(err, embedded.ErrBlobDamaged) {
			out.BadBlobs = append(out.BadBlobs, digest)
			return nil
		}
		return err
	})
	for digest := range l.Refs {
		if !st.Blobs.Has(digest) {
			out.GoneBlobs = append(out.GoneBlobs, digest)
		}
	}
	slices.Sort(out.GoneBlobs)
	return err
}

// fetch asks the exports, then the transcripts for what these did not have.
func (st RepairStore) fetch(ctx context.Context, o RepairOptions, out *api.Repaired, l *check.Losses) error {
	for _, path := range o.From {
		s, err := st.fromExport(ctx, path, o.DryRun, out, l)
		if err != nil {
			return err
		}
		out.Sources = append(out.Sources, s)
		if !o.DryRun {
			out.Added += s.Events
		}
	}
	out.Fetched = block.Count(l.Fetched)
	windows := l.Outstanding(st.Transcripts.Now)
	if len(windows) == 0 {
		return nil
	}
	return st.fromTranscripts(ctx, o, out, l, windows)
}
