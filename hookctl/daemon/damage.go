package daemon

import (
	"context"
	"fmt"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/recorder"
	"hookline/replay/check"
)

// What an opening of the store found wrong with the log is recorded by that opening, before anything else is
// appended, and told to the user at the start of the next session, whoever opened it and whoever serves then.

// emitDamage records, once, what was lost, healed or brought back, and keeps the words for the user.
func (d *Daemon) emitDamage(ctx context.Context, rec *recorder.Recorder) error {
	f := rec.Store().Report().Found
	if d.opts.unpacked {
		f.Did = nil // a backup has no log beside its archive
	}
	if !f.Empty() {
		if err := d.appendDamage(ctx, rec, f); err != nil {
			return fmt.Errorf("record the log's damage: %w", err)
		}
	}
	if err := rec.Store().Recorded(); err != nil {
		return fmt.Errorf("record the log's damage: %w", err)
	}
	return nil
}

// appendDamage puts the event into the log, unless an opening that was killed before it could say so has done it.
func (d *Daemon) appendDamage(ctx context.Context, rec *recorder.Recorder, f embedded.Found) error {
	if f.ID != "" {
		log := rec.Store().Stream()
		last, _ := log.Last()
		known, err := log.FindIDs(ctx, last-min(last, recorder.WarmWindow)+1, map[string]struct{}{f.ID: {}})
		if err != nil || len(known) > 0 {
			return err
		}
	}
	d.warnings.Add(f.ID, check.Told(f))

	envs, err := recorder.Envelopes(d.opts.Now(), events.Envelope{ID: f.ID}, check.EventOf(f))
	if err == nil {
		_, err = rec.Import(ctx, envs)
	}
	return err
}
