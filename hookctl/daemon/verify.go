package daemon

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/replay/check"
)

func (d *Daemon) handleVerify(w http.ResponseWriter, r *http.Request) error {
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Verify(ctx, progress) })
}

// gcWhileFolding lets garbage pile up while the whole log goes by; the memory limit still bounds it.
const gcWhileFolding = 400

// Verify proves the log record by record, folds it again and compares every cell of every bucket.
func (d *Daemon) Verify(ctx context.Context, progress func(uint64)) (check.Verdict, error) {
	begin := time.Now()
	if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) {
		return check.Verdict{}, d.stuck(err)
	}
	d.rec.Heal(ctx)
	defer debug.SetGCPercent(debug.SetGCPercent(gcWhileFolding))
	v, err := check.Verify(ctx, check.Store{Log: d.stream, Blobs: d.ground.Blobs(), View: d.view, Report: d.ground.Report, Serving: d.serving}, progress)
	if err != nil {
		return v, d.stuck(err)
	}
	v.TookMS = float64(time.Since(begin).Microseconds()) / 1000
	return v, nil
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
