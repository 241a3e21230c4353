package daemon

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/identity"
)

// Dreams are effects: started after the append, run beside the line, and their outcome is an event.

// dreamOthers is the number of the project's sessions that REM reads beside the dreaming one.
const dreamOthers = 8

// doDream triggers a dream by command; the cool-down does not hold it back.
func (d *Daemon) doDream(ctx context.Context, o api.DreamRequest) (none api.DreamStarted, err error) {
	id, err := d.resolveSession(ctx, o.Session)
	if err != nil {
		return none, err
	}
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		s, ok := identityIn(r, id)
		if !ok {
			return nil, problem.Missing("session %s has no identity", id).Advise("`hookctl session list --all` lists the sessions")
		}
		if _, err := identity.Dream(s, nil, o.Phase); err != nil {
			return nil, problem.Bad("%v", err)
		}
		e := &events.DreamTriggered{Phase: o.Phase, Reason: "manual", IC: s.LastIC}
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: id, Project: s.Project}, e)
	})
	if err != nil {
		return none, err
	}

	d.goDream(id, o.Phase, recs[0].ID)
	return api.DreamStarted{Triggered: recs[0].Seq, Session: id, Phase: o.Phase}, nil
}

func (d *Daemon) goDream(session, phase, cause string) {
	d.effects.Go(func() { d.dream(context.WithoutCancel(d.life), session, phase, cause) })
}

// dream consolidates and records the outcome.
func (d *Daemon) dream(ctx context.Context, session, phase, cause string) {
	_, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		s, ok := identityIn(r, session)
		if !ok {
			return nil, nil
		}
		var others []identity.State // the newest of the project
		keys, _ := r.Keys(identity.Name)
		for _, k := range keys {
			if other, ok := identityIn(r, k); ok && other.Project == s.Project && k != session {
				others = append(others, other)
			}
		}
		slices.SortStableFunc(others, func(a, b identity.State) int { return cmp.Compare(b.TimestampMS, a.TimestampMS) })

		begin := time.Now()
		out, err := d.consolidate(s, others[:min(len(others), dreamOthers)], phase)
		out.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
		var e events.Event = &out
		if err != nil {
			e = &events.DreamFailed{Phase: phase, Error: err.Error(), IC: s.LastIC}
			d.failedDreams.Store(session, hook.DreamFailed(err.Error(), s.LastIC))
		}
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: session, Project: s.Project, Causation: cause}, e)
	})
	if err != nil {
		d.log.Error("record dream", "session", session, "err", err)
	}
}

// consolidation is what a dream does.
type consolidation func(own identity.State, others []identity.State, phase string) (events.DreamCompleted, error)

func identityIn(r projector.Reader, session string) (identity.State, bool) {
	s, found := projector.State[identity.State](r, identity.Name, session)
	return s, found && s.Born && !s.Deleted
}
