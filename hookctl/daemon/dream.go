package daemon

import (
	"context"
	"sort"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/identity"
)

// Dreams are effects: started after the append, run beside the line, and their outcome is an event.

// dreamOthers is how many sessions of the project REM looks at beside the dreaming one.
const dreamOthers = 8

// Dream triggers a dream by command; the cool-down does not hold it back.
func (d *Daemon) Dream(ctx context.Context, session, phase string) (uint64, error) {
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		s, ok := identityIn(r, session)
		if !ok {
			return nil, problem.Missing("session %s has no identity", session).Advise("`hookctl session list --all` lists the sessions")
		}
		if _, err := identity.Dream(s, nil, phase); err != nil {
			return nil, problem.Bad("%v", err)
		}
		e := &events.DreamTriggered{Phase: phase, Reason: "manual", IC: s.LastIC}
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: session, Project: s.Project}, e)
	})
	if err != nil {
		return 0, err
	}
	d.goDream(session, phase, recs[0].ID)
	return recs[0].Seq, nil
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
		e := d.consolidated(r, s, session, phase)
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: session, Project: s.Project, Causation: cause}, e)
	})
	if err != nil {
		d.log.Error("record dream", "session", session, "err", err)
	}
}

// consolidated is the outcome of a dream.
func (d *Daemon) consolidated(r projector.Reader, s identity.State, session, phase string) events.Event {
	begin := time.Now()
	consolidate := identity.Dream
	if d.consolidate != nil {
		consolidate = d.consolidate
	}

	out, err := consolidate(s, siblings(r, s), phase)
	if err != nil {
		d.failedDreams.keep(session, err.Error(), s.LastIC)
		return &events.DreamFailed{Phase: phase, Error: err.Error(), IC: s.LastIC}
	}
	out.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
	return &out
}

// consolidation is what a dream does.
type consolidation func(own identity.State, others []identity.State, phase string) (events.DreamCompleted, error)

// failedDreams are the dreams that failed and whose users were not told yet: the check that asked for one
// has had its answer by then. Safe for concurrent use; the zero value is ready.
type failedDreams struct {
	mu sync.Mutex
	by map[string]hook.Item
}

func (f *failedDreams) keep(session, why string, ic float64) {
	const most = 256 // sessions in a crisis at once; beyond that the log has it
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil || len(f.by) >= most {
		f.by = map[string]hook.Item{}
	}
	f.by[session] = hook.Item{ID: "identity.dream", Text: hook.DreamFailed(why, ic), Event: session, User: true}
}

// of gives a failure to the first tool outcome behind it.
func (f *failedDreams) of(in hook.Input) (hook.Item, bool) {
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed:
	default:
		return hook.Item{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	it, failed := f.by[in.Session]
	delete(f.by, in.Session)
	it.Event, it.Same = in.Frame, in.Frame // each failure is told
	return it, failed
}

func identityIn(r projector.Reader, session string) (identity.State, bool) {
	s, found := projector.State[identity.State](r, identity.Name, session)
	return s, found && s.Born && !s.Deleted
}

func (d *Daemon) identity(ctx context.Context, session string) (identity.State, bool) {
	s, found := stateOf[identity.State](ctx, d, identity.Name, session)
	return s, found && s.Born && !s.Deleted
}

// siblings are the newest other sessions of the project.
func siblings(r projector.Reader, own identity.State) []identity.State {
	keys, _ := r.Keys(identity.Name)
	var out []identity.State
	for _, k := range keys {
		s, ok := identityIn(r, k)
		if ok && s.Project == own.Project && k != own.SessionID {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].TimestampMS > out[j].TimestampMS })
	return out[:min(len(out), dreamOthers)]
}
