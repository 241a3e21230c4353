package daemon

import (
	"context"
	"errors"
	"net/http"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/replay/carry"
	"hookline/replay/check"
	"hookline/replay/mend"
	"hookline/replay/past"
)

// The verbs that carry whole logs about, one at a time. What they do stands in packages of their own, which get the store
// and the ways into the log; here are their requests, the lock, and what follows in the daemon. Files are of this machine and
// named by absolute paths: they are read twice, and a stream could only be read once.

// alone returns the work that carries a whole log about so that a second one beside it is refused.
func alone[R any](ep *workEndpoints, run api.Work[R]) api.Work[R] {
	return func(ctx context.Context, progress func(uint64)) (none R, err error) {
		if !ep.carrying.TryLock() {
			return none, problem.Conflict("another import, backup or repair is running").Advise("try again when it is done")
		}
		defer ep.carrying.Unlock()
		defer ep.memory.task()()

		return run(ctx, progress)
	}
}

// importFile plans taking the events of an export that the log does not have ([carry.Import]). Cancelling leaves what is in; a
// second import takes the rest.
func (ep *workEndpoints) importFile(o api.ImportRequest) (api.Work[api.Imported], error) {
	return alone(ep, func(ctx context.Context, progress func(uint64)) (api.Imported, error) {
		options := carry.ImportOptions{Partial: o.Partial, Foreign: true}
		return carry.Import(ctx, o.File, ep.importTarget(), options, progress)
	}), nil
}

// backup plans writing the store into a new file, while hooks go on being recorded ([carry.Backup]).
func (ep *workEndpoints) backup(o api.BackupRequest) (api.Work[api.BackedUp], error) {
	return alone(ep, func(ctx context.Context, progress func(uint64)) (api.BackedUp, error) {
		store := carry.BackupStore{Home: ep.opts.Home, Log: ep.stream, Blobs: ep.server.Blobs(), Spool: ep.spool, Tail: exportOrigin(ep.core)}
		return carry.Backup(ctx, store, o.File, progress)
	}), nil
}

// repair plans finding what is lost and, unless it is a dry run, appending what exports and transcripts have ([mend.Repair]).
func (ep *workEndpoints) repair(o api.RepairRequest) (api.Work[api.Repaired], error) {
	return alone(ep, func(ctx context.Context, progress func(uint64)) (api.Repaired, error) {
		store := mend.RepairStore{
			Home:        ep.opts.Home,
			Report:      ep.server.Report(),
			Log:         ep.stream,
			Blobs:       ep.server.Blobs(),
			View:        ep.view,
			Spool:       ep.spool,
			Into:        ep.importTarget(),
			Transcripts: ep.transcripts(),
			Drain:       func(ctx context.Context) { ep.intake.drainer.drain(ctx) },
			Record: func(ctx context.Context, e events.Event) error { // about the log itself
				_, err := ep.rec.Note(ctx, events.Envelope{}, e)
				return err
			},
			Warn: ep.log,
		}
		options := mend.RepairOptions{From: o.From, Transcripts: o.Transcripts, DryRun: o.DryRun}
		return mend.Repair(ctx, store, options, progress)
	}), nil
}

// importTarget returns the log as files are taken into it.
func (ep *workEndpoints) importTarget() carry.Into {
	return carry.Into{Log: ep.stream, Blobs: ep.server.Blobs(), Redact: ep.redactor.JSON, Append: ep.rec.Import}
}

// verify proves the log record by record, folds it again and compares every cell of every bucket.
func (ep *workEndpoints) verify(ctx context.Context, progress func(uint64)) (v api.Verdict, err error) {
	store := check.Store{Log: ep.stream, Blobs: ep.server.Blobs(), View: ep.view, Report: ep.server.Report, Serving: ep.serving}
	took, err := ep.folding(ctx, progress, func(progress func(uint64)) error {
		v, err = check.Verify(ctx, store, progress)
		return err
	})
	v.TookMS = took
	return v, err
}

// rebuild plans folding the log again, for one projection or for "" all, and answers with what differed. A dry run only
// compares.
func (ep *workEndpoints) rebuild(o api.RebuildRequest) (api.Work[api.Rebuilt], error) {
	if o.Projection != "" {
		if err := past.KnownTable(o.Projection); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, progress func(uint64)) (api.Rebuilt, error) {
		var pos projector.Position
		var diffs []projector.Diff
		took, err := ep.folding(ctx, progress, func(progress func(uint64)) (err error) {
			if err := ep.view.WarmCache(ctx); err != nil { // or every brief would count as missing
				return err
			}
			if o.DryRun {
				pos, diffs, err = ep.view.Verify(ctx, ep.stream.ReadLent, progress)
				return err
			}
			began := ep.opts.Now()
			pos, diffs, err = ep.view.Rebuild(ctx, ep.stream.ReadLent, o.Projection, progress)
			if err != nil {
				return err
			}
			e := &events.BucketRebuilt{Cause: events.RebuiltCommand, Changed: len(diffs), Seq: pos.Seq}
			return ep.rec.NoteRebuilt(ctx, e, o.Projection, began)
		})

		out := api.Rebuilt{Projection: o.Projection, DryRun: o.DryRun, Seq: pos.Seq, TookMS: took, Changed: []projector.Diff{}}
		for _, df := range diffs {
			if o.Projection == "" || df.Projection == o.Projection {
				out.Changed = append(out.Changed, df)
			}
		}
		return out, err
	}, nil
}

// folding runs what folds the whole log again, where the store can be written, and returns how many milliseconds it took.
func (ep *workEndpoints) folding(ctx context.Context, progress func(uint64), run func(progress func(uint64)) error) (ms float64, err error) {
	begin := time.Now()
	if err := ep.server.Health(); errors.Is(err, embedded.ErrWriteStuck) {
		return 0, ep.stuck(err)
	}
	ep.rec.Heal(ctx)
	defer ep.memory.task()()
	err = run(func(seq uint64) {
		if heap("/gc/heap/live:bytes") > taskSmall {
			ep.memory.settle()
		}
		if progress != nil {
			progress(seq)
		}
	})
	return float64(time.Since(begin).Microseconds()) / 1000, ep.stuck(err)
}

// stuck gives an error of the store that only another opening takes away, as after a full disk, a form that
// says so, and ends the daemon: the next one opens the store anew. All other errors stay as they are.
func (ep *workEndpoints) stuck(err error) error {
	if err == nil || !errors.Is(err, embedded.ErrWriteStuck) && !errors.Is(ep.server.Health(), embedded.ErrWriteStuck) {
		return err
	}
	ep.stop("write_stuck")
	return problem.Refusef(http.StatusServiceUnavailable, "the store cannot write since a write failed, as on a full disk: %v", err).Advise(client.HintReopened)
}
