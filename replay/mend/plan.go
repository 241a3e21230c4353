package mend

import (
	"encoding/json"
	"fmt"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
)

// Plan returns what the target becomes, and the events that make it so: an identity.recovered event goes to it, and its
// snapshot is taken, so that the next session starts from it. Nothing may be appended between the plan and its events; a dry
// run has none.
func (p Past) Plan(r projector.Reader, f Found, to string) (Recovered, []events.Envelope, error) {
	out := f.Result
	out.Target = to
	target, _ := projector.State[identity.State](r, identity.Name, out.Target)
	source, _ := projector.State[identity.State](r, identity.Name, out.Session)
	latest, _ := projector.State[identity.Pointer](r, identity.PointerName, identity.PointerKey(out.Project))
	out.Replaces = latest.Session
	if source.Deleted {
		return out, nil, problem.Conflict("session %s was deleted since; a deletion is not undone", out.Session).Advise("choose another one with --session")
	}

	list := []events.Event{
		&events.IdentityRecovered{At: out.At, Session: out.Session, Seq: out.Seq, Replaces: out.Replaces, Carry: identity.CarryOf(f.Identity, 0)},
		&events.IdentityPersisted{Reason: "command"},
	}
	out.Before = coherenceOf(target)
	for _, e := range list {
		target = identity.Fold(target, events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: p.Now().UTC(),
			Session: out.Target, Project: out.Project}})
	}
	out.After = coherenceOf(target)
	if out.DryRun {
		return out, nil, nil
	}

	envs, err := envelopes(out, list, p.Now(), latest.AtMS)
	if err != nil {
		return out, nil, err
	}
	out.Event = envs[0].ID
	return out, envs, nil
}

// envelopes returns a recovery's events, to be appended now. The pointer goes by the events' times: where the clock is
// behind the snapshot that is replaced, of so many milliseconds since 1970, the recovery comes a millisecond after that, and
// its facts have the clock's own time.
func envelopes(out Recovered, list []events.Event, now time.Time, replaced int64) ([]events.Envelope, error) {
	now = now.UTC().Truncate(time.Millisecond)
	at, facts := now, (*events.Facts)(nil)
	if at.UnixMilli() <= replaced {
		at, facts = time.UnixMilli(replaced+1).UTC(), &events.Facts{Captured: now.UnixMilli()}
	}
	id := wire.NewID(at.UnixMilli())
	var envs []events.Envelope
	for i, e := range list {
		k, _ := events.Lookup(e.Type())
		data, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Type(), err)
		}
		env := events.Envelope{ID: id, Type: k.Type, Version: k.Version(), Time: at, Session: out.Target, Project: out.Project,
			Correlation: out.Target, Facts: facts, Data: data}
		if i > 0 {
			env.ID, env.Causation = events.DerivedID(id, i), id
		}
		envs = append(envs, env)
	}
	return envs, nil
}
