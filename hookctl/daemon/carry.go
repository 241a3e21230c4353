package daemon

import (
	"context"
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
func (d *Daemon) alone(run work) work {
	return func(ctx context.Context, progress func(uint64)) (any, error) {
		if !d.carrying.TryLock() {
			return nil, problem.Conflict("another import, backup or repair is running").Advise("try again when it is done")
		}
		defer d.carrying.Unlock()
		defer d.large.task()()

		return run(ctx, progress)
	}
}

// importFile plans taking the events of an export that the log does not have ([carry.Import]). Cancelling leaves what is in; a
// second import takes the rest.
func (d *Daemon) importFile(r *http.Request) (work, error) {
	file, partial := r.URL.Query().Get("file"), r.URL.Query().Get("partial") == "1"
	return d.alone(func(ctx context.Context, progress func(uint64)) (any, error) {
		return carry.Import(ctx, file, d.toImport(), carry.ImportOptions{Partial: partial, Foreign: true}, progress)
	}), nil
}

// backup plans writing the store into a new file, while hooks go on being recorded ([carry.Backup]).
func (d *Daemon) backup(r *http.Request) (work, error) {
	file := r.URL.Query().Get("file")
	return d.alone(func(ctx context.Context, progress func(uint64)) (any, error) {
		store := carry.BackupStore{Home: d.opts.Home, Log: d.stream, Blobs: d.ground.Blobs(), Spool: d.spool, Tail: d.toExport()}
		return carry.Backup(ctx, store, file, progress)
	}), nil
}

// repair plans finding what is lost and, unless it is a dry run, appending what exports and transcripts have ([mend.Repair]).
func (d *Daemon) repair(r *http.Request) (work, error) {
	q := r.URL.Query()
	o := mend.RepairOptions{From: q["from"], Transcripts: q.Get("transcripts"), DryRun: q.Get("dry_run") == "1"}
	record := func(ctx context.Context, e events.Event) error { // about the log itself
		_, err := d.rec.Note(ctx, events.Envelope{}, e)
		return err
	}
	return d.alone(func(ctx context.Context, progress func(uint64)) (any, error) {
		store := mend.RepairStore{Home: d.opts.Home, Report: d.ground.Report(), Log: d.stream, Blobs: d.ground.Blobs(), View: d.view, Spool: d.spool, Into: d.toImport(),
			Drain: func(ctx context.Context) { d.drain(ctx) }, Record: record, Transcripts: d.transcripts(), Warn: d.log}
		return mend.Repair(ctx, store, o, progress)
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

// handleExport writes an export as plain lines; the caller compresses them. A time means the time of the append, as
// everywhere in a log.
func (d *Daemon) handleExport(w http.ResponseWriter, r *http.Request) error {
	q, ctx := r.URL.Query(), r.Context()
	p := carry.Portion{First: 1, Blobs: true}
	var err error
	if p.Session, err = d.resolveSession(ctx, q.Get("session")); err != nil {
		return err
	}
	if p.Last, err = d.pastView().SeqOf(ctx, past.Point(q.Get("until"))); err != nil {
		return err
	}
	if s := q.Get("since"); s != "" {
		if p.First, err = d.seqOf(ctx, s); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, err = d.toExport().Write(ctx, w, p)
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

// rebuild folds the log again, for one projection or for "" all, and answers with what differed. A dry run only compares.
func (d *Daemon) rebuild(r *http.Request) (work, error) {
	only, dry := r.URL.Query().Get("projection"), r.URL.Query().Get("dry_run") == "1"
	if only != "" {
		if err := past.KnownTable(only); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, progress func(uint64)) (any, error) {
		var pos projector.Position
		var diffs []projector.Diff
		took, err := d.folding(ctx, progress, func(progress func(uint64)) error {
			err := d.view.WarmCache(ctx) // or every brief would count as missing
			switch {
			case err != nil:
			case dry:
				pos, diffs, err = d.view.Verify(ctx, d.stream.ReadLent, progress)
			default:
				pos, diffs, err = d.view.Rebuild(ctx, d.stream.ReadLent, only, progress)
			}
			return err
		})
		out := api.Rebuilt{Projection: only, DryRun: dry, Seq: pos.Seq, TookMS: took, Changed: []projector.Diff{}}
		for _, df := range diffs {
			if only == "" || df.Projection == only {
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
