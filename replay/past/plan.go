package past

import (
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
)

// Plan returns what the target becomes, and the events that make it so: an identity.recovered event goes to it, and its
// snapshot is taken, so that the next session starts from it. Nothing may be appended between the plan and its events; a dry
// run has none. The pointer goes by the events' times: where the clock is behind the snapshot that is replaced the recovery
// comes a millisecond after that, and its facts have the clock's own time.
func (p Recovery) Plan(r projector.Reader, c Candidate, target string) (Recovered, []events.Envelope, error) {
	out := c.Result
	out.Target = target
	becomes, _ := projector.State[identity.State](r, identity.Name, out.Target)
	source, _ := projector.State[identity.State](r, identity.Name, out.Session)
	latest, _ := projector.State[identity.Pointer](r, identity.PointerName, identity.PointerKey(out.Project))
	out.Replaces = latest.Session
	if source.Deleted {
		return out, nil, problem.Conflict("session %s was deleted since; a deletion is not undone", out.Session).
			Advise("choose another one with --session")
	}

	recovered := &events.IdentityRecovered{
		At:       out.At,
		Session:  out.Session,
		Seq:      out.Seq,
		Replaces: out.Replaces,
		Carry:    identity.CarryOf(c.Identity, 0),
	}
	list := []events.Event{recovered, &events.IdentityPersisted{Reason: "command"}}

	out.Before = coherenceOf(becomes)
	base := events.Envelope{Time: p.Now().UTC(), Session: out.Target, Project: out.Project}
	for _, e := range list {
		becomes = projector.Fold(identity.Table, becomes, events.Record{Event: e, Envelope: base})
	}
	out.After = coherenceOf(becomes)
	if out.DryRun {
		return out, nil, nil
	}

	if now := base.Time.UnixMilli(); now <= latest.AtMS {
		base.Time = time.UnixMilli(latest.AtMS + 1)
		base.Facts = &events.Facts{Captured: now}
	}
	envs, err := p.Envelopes(base.Time, base, list...)
	if err != nil {
		return out, nil, err
	}
	out.Event = envs[0].ID
	return out, envs, nil
}
