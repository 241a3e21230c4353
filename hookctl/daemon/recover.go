package daemon

import (
	"context"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/replay/mend"
)

func (d *Daemon) momentOf(ctx context.Context, s string) (mend.Moment, error) {
	if s == "now" {
		return mend.Moment{Time: d.opts.Now()}, nil
	}
	if seq, err := strconv.ParseUint(s, 10, 64); err == nil {
		if _, err := d.pastView().Point(ctx, s, ""); err != nil {
			return mend.Moment{}, err
		}
		rec, err := d.find(ctx, s)
		return mend.Moment{Seq: seq, Time: rec.Time}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return mend.Moment{}, problem.Bad("at: %q is no sequence and no RFC 3339 time", s)
	}
	return mend.Moment{Time: t}, nil
}

// Recover makes an identity of the past the current one ([mend.Past]).
func (d *Daemon) Recover(ctx context.Context, a mend.Asked, progress func(uint64)) (mend.Recovered, error) {
	past := mend.Past{Log: d.stream, View: d.view, Now: d.opts.Now}
	found, err := past.Find(ctx, a, progress)
	if err != nil {
		return found.Result, err
	}
	target := d.targetOf(ctx, found.Identity)
	var plan mend.Plan
	_, err = d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		var err error
		if plan, err = past.Plan(r, found, target); err != nil || a.DryRun {
			return nil, err
		}
		return plan.Envelopes(d.opts.Now())
	})
	return plan.Result, err
}

// targetOf is the session that gets an identity of the past: the one it came from where that lives, else the project's only
// live session, else the one it came from.
func (d *Daemon) targetOf(ctx context.Context, was identity.State) string {
	lives := slices.Contains(d.liveIDs(ctx, session.Alive), was.SessionID)
	if only := d.onlyIn(ctx, was.Project); !lives && only != "" {
		return only
	}
	return was.SessionID
}
