package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"hookline/events"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/replay/carry"
	"hookline/replay/check"
	"hookline/replay/mend"
)

// The verbs that carry whole logs about, one at a time. What they do stands in packages of their own, which get the store
// and the ways into the log; here are their requests, the lock, and what follows in the daemon.

// alone runs what carries a whole log about; a second one beside it is refused.
func alone[T any](d *Daemon, run func() (T, error)) (none T, err error) {
	if !d.carrying.TryLock() {
		return none, problem.Conflict("another import, backup or repair is running").Advise("try again when it is done")
	}
	defer d.carrying.Unlock()

	return run()
}

// handleImport takes in a file of this machine, by its absolute path: it is read twice, and a stream
// could only be read once.
func (d *Daemon) handleImport(w http.ResponseWriter, r *http.Request) error {
	path, partial := r.URL.Query().Get("file"), r.URL.Query().Get("partial") == "1"
	if !filepath.IsAbs(path) {
		return problem.Bad("file: %q is no absolute path", path)
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		return d.Import(ctx, path, partial, progress)
	})
}

// Import takes the events of an export that the log does not have ([carry.Import]). Cancelling leaves what is in; a
// second import takes the rest.
func (d *Daemon) Import(ctx context.Context, path string, partial bool, progress func(uint64)) (carry.Imported, error) {
	return alone(d, func() (carry.Imported, error) {
		return carry.Import(ctx, path, d.toImport(), carry.ImportOptions{Partial: partial, Foreign: true}, progress)
	})
}

// toImport is this log as files are taken into it.
func (d *Daemon) toImport() carry.Into {
	return carry.Into{Log: d.stream, Blobs: d.ground.Blobs(), Redact: d.redactor.JSON, Append: d.rec.Import}
}

func (d *Daemon) handleBackup(w http.ResponseWriter, r *http.Request) error {
	file := r.URL.Query().Get("file")
	if !filepath.IsAbs(file) {
		return problem.Bad("file: %q is no absolute path", file)
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Backup(ctx, file, progress) })
}

// Backup writes the store into a new file, while hooks go on being recorded ([carry.Backup]).
func (d *Daemon) Backup(ctx context.Context, file string, progress func(uint64)) (carry.BackedUp, error) {
	store := carry.BackupStore{Home: d.opts.Home, Log: d.stream, Blobs: d.ground.Blobs(), Spool: d.spool, Tail: d.toExport()}
	return alone(d, func() (carry.BackedUp, error) { return carry.Backup(ctx, store, file, progress) })
}

// Restore makes a home from a backup ([carry.Restore]).
func Restore(ctx context.Context, o carry.RestoreOptions) (carry.Restored, error) {
	return carry.Restore(ctx, o, func(ctx context.Context, u carry.Unpacked) (uint64, check.Verdict, error) {
		d, err := Open(ctx, Options{Home: u.Home, unpacked: true})
		if err != nil {
			return 0, check.Verdict{}, err
		}
		last, verdict, err := d.fill(ctx, u)
		return last, verdict, errors.Join(err, d.Close(context.WithoutCancel(ctx)))
	})
}

// fill appends what stood behind the sealed blocks and verifies everything.
func (d *Daemon) fill(ctx context.Context, u carry.Unpacked) (last uint64, verdict check.Verdict, err error) {
	if last, _ := d.stream.Last(); last != u.Manifest.Sealed {
		return last, verdict, fmt.Errorf("the backup's blocks end at sequence %d, its manifest says %d", last, u.Manifest.Sealed)
	}
	got, err := d.Import(ctx, u.Tail, false, nil)
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
}

func (d *Daemon) handleRepair(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	o := mend.RepairOptions{From: q["from"], Transcripts: q.Get("transcripts"), DryRun: q.Get("dry_run") == "1"}
	for _, path := range append(slices.Clone(o.From), o.Transcripts) {
		if path != "" && !filepath.IsAbs(path) {
			return problem.Bad("%q is no absolute path", path)
		}
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Repair(ctx, o, progress) })
}

// Repair finds and, unless it is a dry run, appends ([mend.Repair]).
func (d *Daemon) Repair(ctx context.Context, o mend.RepairOptions, progress func(uint64)) (mend.Repaired, error) {
	record := func(ctx context.Context, e events.Event) error { // about the log itself
		_, err := d.rec.Note(ctx, events.Envelope{}, e)
		return err
	}
	store := mend.RepairStore{Home: d.opts.Home, Report: d.ground.Report(), Log: d.stream, Blobs: d.ground.Blobs(), View: d.view, Spool: d.spool, Into: d.toImport(),
		Drain: func(ctx context.Context) { d.drain(ctx) }, Record: record, Clean: d.clean, Now: d.opts.Now, Warn: d.log}
	return alone(d, func() (mend.Repaired, error) { return mend.Repair(ctx, store, o, progress) })
}

// Renew begins a new log where nothing is left of the old one, behind the sequences that it is known to have
// had, and records the loss. What is left of the old one is set aside. It is for whoever has asked the user.
func Renew(ctx context.Context, dir string) error {
	d, err := Open(ctx, Options{Home: dir, Renew: true})
	if err != nil {
		return err
	}
	return errors.Join(d.Close(ctx), home.PathsOf(dir, os.Getenv).Started()) // a start that failed is waited for no more
}
