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

// Plan is what makes a found identity the current one.
type Plan struct {
	Result Recovered
	list   []events.Event
	after  int64 // Unix ms of the snapshot that is replaced
}

// Plan says what the target becomes: an identity.recovered event goes to it, and its snapshot is taken, so that the next
// session starts from it. Nothing may be appended between the plan and its events.
func (p Past) Plan(r projector.Reader, f Found, to string) (Plan, error) {
	out := f.Result
	out.Target = to
	pl := Plan{Result: out}
	target, _ := projector.State[identity.State](r, identity.Name, out.Target)
	source, _ := projector.State[identity.State](r, identity.Name, out.Session)
	latest, _ := projector.State[identity.Pointer](r, identity.PointerName, identity.PointerKey(out.Project))
	out.Replaces, pl.after = latest.Session, latest.AtMS
	if source.Deleted {
		return pl, problem.Conflict("session %s was deleted since; a deletion is not undone", out.Session).Advise("choose another one with --session")
	}
	pl.list = []events.Event{&events.IdentityRecovered{At: out.At, Session: out.Session, Seq: out.Seq, Replaces: out.Replaces, Carry: carryTo(out.Target, f.Identity)},
		&events.IdentityPersisted{Reason: "command"}}
	out.Before, out.After = coherenceOf(target), coherenceOf(p.foresee(target, out, pl.list))
	pl.Result = out
	return pl, nil
}

// Envelopes are the events of the plan, to be appended now. The pointer goes by the events' times: where the clock is
// behind the snapshot that is replaced, the recovery comes a millisecond after that, and its facts have the clock's own
// time. Result.Event is set.
func (pl *Plan) Envelopes(now time.Time) ([]events.Envelope, error) {
	now = now.UTC().Truncate(time.Millisecond)
	at, facts := now, (*events.Facts)(nil)
	if at.UnixMilli() <= pl.after {
		at, facts = time.UnixMilli(pl.after+1).UTC(), &events.Facts{Captured: now.UnixMilli()}
	}
	out := &pl.Result
	out.Event = wire.NewID(at.UnixMilli())
	envs := make([]events.Envelope, 0, len(pl.list))
	for i, e := range pl.list {
		k, _ := events.Lookup(e.Type())
		data, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Type(), err)
		}
		env := events.Envelope{ID: out.Event, Type: k.Type, Version: k.Version(), Time: at, Session: out.Target, Project: out.Project,
			Correlation: out.Target, Facts: facts, Data: data}
		if i > 0 {
			env.ID, env.Causation = events.DerivedID(out.Event, i), out.Event
		}
		envs = append(envs, env)
	}
	return envs, nil
}

// foresee folds events that are not in the log yet.
func (p Past) foresee(s identity.State, out Recovered, list []events.Event) identity.State {
	for _, e := range list {
		s = identity.Fold(s, events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: p.Now().UTC(),
			Session: out.Target, Project: out.Project}})
	}
	return s
}

// carryTo is what goes from an identity of the past to a session. To the session itself it goes as it was:
// no session has passed in which a facet went unused.
func carryTo(target string, was identity.State) *events.Carry {
	c := identity.CarryOf(was, 0)
	if c == nil || target != was.SessionID {
		return c
	}
	c.Unused = nil
	for i, n := range was.Unused {
		if n > 0 {
			if c.Unused == nil {
				c.Unused = map[int]int{}
			}
			c.Unused[i] = n
		}
	}
	return c
}
