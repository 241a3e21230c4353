package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
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
func alone[R any](d *Daemon, run api.Work[R]) api.Work[R] {
	return func(ctx context.Context, progress func(uint64)) (none R, err error) {
		if !d.carrying.TryLock() {
			return none, problem.Conflict("another import, backup or repair is running").Advise("try again when it is done")
		}
		defer d.carrying.Unlock()
		defer d.large.task()()

		return run(ctx, progress)
	}
}

// importFile plans taking the events of an export that the log does not have ([carry.Import]). Cancelling leaves what is in; a
// second import takes the rest.
func (d *Daemon) importFile(o api.ImportRequest) (api.Work[api.Imported], error) {
	return alone(d, func(ctx context.Context, progress func(uint64)) (api.Imported, error) {
		options := carry.ImportOptions{Partial: o.Partial, Foreign: true}
		return carry.Import(ctx, o.File, d.toImport(), options, progress)
	}), nil
}

// backup plans writing the store into a new file, while hooks go on being recorded ([carry.Backup]).
func (d *Daemon) backup(o api.BackupRequest) (api.Work[api.BackedUp], error) {
	return alone(d, func(ctx context.Context, progress func(uint64)) (api.BackedUp, error) {
		store := carry.BackupStore{Home: d.opts.Home, Log: d.stream, Blobs: d.ground.Blobs(), Spool: d.spool, Tail: d.toExport()}
		return carry.Backup(ctx, store, o.File, progress)
	}), nil
}

// repair plans finding what is lost and, unless it is a dry run, appending what exports and transcripts have ([mend.Repair]).
func (d *Daemon) repair(o api.RepairRequest) (api.Work[api.Repaired], error) {
	return alone(d, func(ctx context.Context, progress func(uint64)) (api.Repaired, error) {
		store := mend.RepairStore{
			Home:        d.opts.Home,
			Report:      d.ground.Report(),
			Log:         d.stream,
			Blobs:       d.ground.Blobs(),
			View:        d.view,
			Spool:       d.spool,
			Into:        d.toImport(),
			Transcripts: d.transcripts(),
			Drain:       func(ctx context.Context) { d.drain(ctx) },
			Record: func(ctx context.Context, e events.Event) error { // about the log itself
				_, err := d.rec.Note(ctx, events.Envelope{}, e)
				return err
			},
			Warn: d.log,
		}
		options := mend.RepairOptions{From: o.From, Transcripts: o.Transcripts, DryRun: o.DryRun}
		return mend.Repair(ctx, store, options, progress)
	}), nil
}

// toImport is this log as files are taken into it.
func (d *Daemon) toImport() carry.Into {
	return carry.Into{Log: d.stream, Blobs: d.ground.Blobs(), Redact: d.redactor.JSON, Append: d.rec.Import}
}

// Restore makes a home from a backup ([carry.Restore]): what stood after the sealed blocks is appended, and everything is
// verified.
func Restore(ctx context.Context, o carry.RestoreOptions) (carry.Restored, error) {
	return carry.Restore(ctx, o, func(ctx context.Context, u carry.Unpacked) (last uint64, verdict api.Verdict, err error) {
		d, err := Open(ctx, Options{Home: u.Home, unpacked: true})
		if err != nil {
			return 0, verdict, err
		}
		defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()

		if last, _ := d.stream.Last(); last != u.Manifest.Sealed {
			return last, verdict, fmt.Errorf("the backup's blocks end at sequence %d, its manifest says %d", last, u.Manifest.Sealed)
		}
		got, err := carry.Import(ctx, u.Tail, d.toImport(), carry.ImportOptions{Foreign: true}, nil)
		if err != nil {
			return 0, verdict, err
		}
		if got.Added != u.Manifest.Events {
			return 0, verdict, fmt.Errorf("%d of %d events were taken from the backup's tail", got.Added, u.Manifest.Events)
		}
		last, id := d.stream.Last()
		if want := u.Manifest.ID; want != "" && id != want {
			return last, verdict, fmt.Errorf("the restored log ends with event %s, the backup's with %s", id, want)
		}
		verdict, err = d.Verify(ctx, nil)
		return last, verdict, err
	})
}

// Renew begins a new log where nothing is left of the old one, after the sequences that it is known to have
// had, and records the loss. What is left of the old one is set aside. The caller has asked the user.
func Renew(ctx context.Context, dir string) error {
	d, err := Open(ctx, Options{Home: dir, Renew: true})
	if err != nil {
		return err
	}
	return errors.Join(d.Close(ctx), home.PathsOf(dir, os.Getenv).Started()) // a start that failed is waited for no more
}

// export writes an export as plain lines; the caller compresses them. A time means the time of the append, as everywhere in
// a log.
func (d *Daemon) export(ctx context.Context, r api.ExportRequest, out api.Lines[json.RawMessage]) error {
	p := carry.Portion{First: 1, Blobs: true}
	var err error
	if p.Session, err = d.resolveSession(ctx, r.Session); err != nil {
		return err
	}
	if p.Last, err = d.pastView().SeqOf(ctx, r.Until); err != nil {
		return err
	}
	if r.Since != "" {
		if p.First, err = d.seqAppended(ctx, r.Since); err != nil {
			return err
		}
	}
	_, err = d.toExport().Write(ctx, out, p)
	return err
}

// toExport is this log as exports are written from it. A large content that is lost or damaged is none, since its event must
// not be lost for it.
func (d *Daemon) toExport() carry.Origin {
	content := func(digest string) ([]byte, bool, error) {
		content, err := d.ground.Blobs().Get(digest)
		if errors.Is(err, embedded.ErrNoBlob) || errors.Is(err, embedded.ErrBlobDamaged) {
			d.log.Warn("export without a blob", "err", err)
			return nil, false, nil
		}
		return content, err == nil, err
	}
	return carry.Origin{Log: d.stream, Content: content, Build: wire.Build, Created: d.opts.Now().UTC().Truncate(time.Second)}
}

// Verify proves the log record by record, folds it again and compares every cell of every bucket.
func (d *Daemon) Verify(ctx context.Context, progress func(uint64)) (v api.Verdict, err error) {
	store := check.Store{Log: d.stream, Blobs: d.ground.Blobs(), View: d.view, Report: d.ground.Report, Serving: d.serving}
	took, err := d.folding(ctx, progress, func(progress func(uint64)) error {
		v, err = check.Verify(ctx, store, progress)
		return err
	})
	v.TookMS = took
	return v, err
}

// rebuild plans folding the log again, for one projection or for "" all, and answers with what differed. A dry run only
// compares.
func (d *Daemon) rebuild(o api.RebuildRequest) (api.Work[api.Rebuilt], error) {
	if o.Projection != "" {
		if err := past.KnownTable(o.Projection); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, progress func(uint64)) (api.Rebuilt, error) {
		var pos projector.Position
		var diffs []projector.Diff
		took, err := d.folding(ctx, progress, func(progress func(uint64)) (err error) {
			if err := d.view.WarmCache(ctx); err != nil { // or every brief would count as missing
				return err
			}
			if o.DryRun {
				pos, diffs, err = d.view.Verify(ctx, d.stream.ReadLent, progress)
			} else {
				pos, diffs, err = d.view.Rebuild(ctx, d.stream.ReadLent, o.Projection, progress)
			}
			return err
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
func (d *Daemon) folding(ctx context.Context, progress func(uint64), run func(progress func(uint64)) error) (ms float64, err error) {
	begin := time.Now()
	if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) {
		return 0, d.stuck(err)
	}
	d.rec.Heal(ctx)
	defer d.large.task()()
	err = run(func(seq uint64) {
		if heap("/gc/heap/live:bytes") > taskSmall {
			d.large.settle()
		}
		if progress != nil {
			progress(seq)
		}
	})
	return float64(time.Since(begin).Microseconds()) / 1000, d.stuck(err)
}

// stuck gives an error of the store that only another opening takes away, as after a full disk, a form that
// says so, and ends the daemon: the next one opens the store anew. All other errors stay as they are.
func (d *Daemon) stuck(err error) error {
	if err == nil || !errors.Is(err, embedded.ErrWriteStuck) && !errors.Is(d.ground.Health(), embedded.ErrWriteStuck) {
		return err
	}
	d.stop("write_stuck")
	return problem.Refusef(http.StatusServiceUnavailable, "the store cannot write since a write failed, as on a full disk: %v", err).Advise(client.HintReopened)
}
