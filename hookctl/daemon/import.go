package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"hookline/events"
	"hookline/hookctl/importer"
	"hookline/hookctl/problem"
)

// handleImport takes in a file of this machine, by its absolute path: it is read twice, and a stream
// could only be read once.
func (d *Daemon) handleImport(w http.ResponseWriter, r *http.Request) error {
	path, partial := r.URL.Query().Get("file"), r.URL.Query().Get("partial") == "1"
	if !filepath.IsAbs(path) {
		return problem.New(http.StatusBadRequest, fmt.Sprintf("file: %q is no absolute path", path), "")
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		return d.Import(ctx, path, partial, progress)
	})
}

// errBusy refuses a second one of the verbs that carry whole logs about.
func errBusy() error {
	return problem.New(http.StatusConflict, "another import, backup or repair is running", "try again when it is done")
}

// Import takes the events of an export that the log does not have ([importer.File]). Cancelling leaves what is in; a
// second import takes the rest.
func (d *Daemon) Import(ctx context.Context, path string, partial bool, progress func(uint64)) (importer.Result, error) {
	if !d.carrying.TryLock() {
		return importer.Result{}, errBusy()
	}
	defer d.carrying.Unlock()
	got, err := importer.File(ctx, path, d.toImport(), importer.Options{Partial: partial}, progress)
	if got.Added > 0 || err != nil {
		err = errors.Join(err, d.refreshLive(ctx))
	}
	return got, err
}

// toImport is this log as files are taken into it.
func (d *Daemon) toImport() importer.Into {
	return importer.Into{Log: d.stream, Blobs: d.ground.Blobs(), Redact: d.redactor.JSON, Append: d.takeIn}
}

// takeIn appends events that have their ids already, folds them and returns when they are on disk. Those
// that came into the log by another way since they were looked up are left out.
func (d *Daemon) takeIn(ctx context.Context, envs []events.Envelope) (int, error) {
	d.mu.Lock()
	seq, err := d.append(ctx, envs, nil)
	if errors.Is(err, errRaced) {
		if envs, err = d.without(ctx, envs); err == nil && len(envs) > 0 {
			seq, err = d.append(ctx, envs, nil)
		}
	}
	d.mu.Unlock()
	if err != nil || len(envs) == 0 {
		return 0, err
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		return 0, err
	}
	d.hub.wake(seq)
	return len(envs), nil
}

// without leaves out what the log has, and the second of two with one id.
func (d *Daemon) without(ctx context.Context, envs []events.Envelope) ([]events.Envelope, error) {
	ids := make(map[string]struct{}, len(envs))
	for _, e := range envs {
		ids[e.ID] = struct{}{}
	}
	found, err := d.stream.FindIDs(ctx, 1, ids)
	var left []events.Envelope
	for _, e := range envs {
		_, fresh := ids[e.ID]
		if _, known := found[e.ID]; fresh && !known {
			left = append(left, e)
		}
		delete(ids, e.ID)
	}
	return left, err
}

// refreshLive lists the live sessions anew, after events that no hook brought.
func (d *Daemon) refreshLive(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := loadLive(context.WithoutCancel(ctx), d.view)
	if err != nil {
		return err
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.live.by = now.by
	return nil
}
