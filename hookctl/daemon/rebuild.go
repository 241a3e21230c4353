package daemon

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/projector"
	"hookline/replay/past"
)

// long answers a request that may go over the whole log.
func (d *Daemon) long(w http.ResponseWriter, r *http.Request, run func(ctx context.Context, progress func(uint64)) (any, error)) error {
	last, _ := d.stream.Last()
	return client.AnswerLong(w, r, last, run)
}

func (d *Daemon) handleRebuild(w http.ResponseWriter, r *http.Request) error {
	only, dry := r.URL.Query().Get("projection"), r.URL.Query().Get("dry_run") == "1"
	if only != "" {
		if err := past.KnownTable(d.view.Tables(), only); err != nil {
			return err
		}
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		begin := time.Now()
		if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) {
			return nil, d.stuck(err)
		}
		d.rec.Heal(ctx)
		defer debug.SetGCPercent(debug.SetGCPercent(gcWhileFolding))
		err := d.view.WarmCache(ctx) // or every brief would count as missing
		if err != nil {
			return nil, d.stuck(err)
		}
		var pos projector.Position
		var diffs []projector.Diff
		if dry {
			pos, diffs, err = d.view.Verify(ctx, d.stream.ReadLent, progress)
		} else {
			pos, diffs, err = d.view.Renew(ctx, d.stream.ReadLent, only, progress)
		}
		out := client.Rebuilt{Projection: only, DryRun: dry, Seq: pos.Seq, Changed: []projector.Diff{}}
		for _, df := range diffs {
			if only == "" || df.Projection == only {
				out.Changed = append(out.Changed, df)
			}
		}
		out.TookMS = float64(time.Since(begin).Microseconds()) / 1000
		return out, d.stuck(err)
	})
}
