package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
)

// Dreams are effects: started after the append, run beside the line, and their outcome is an event.

// dreamOthers is how many sessions of the project REM looks at beside the dreaming one.
const dreamOthers = 8

// appendDerived appends events that no hook delivered, as one step. The caller holds d.mu.
func (d *Daemon) appendDerived(ctx context.Context, session, project, cause string, list ...events.Event) (uint64, error) {
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	first := wire.NewID(now.UnixMilli())
	envs := make([]events.Envelope, 0, len(list))
	for i, e := range list {
		k, ok := events.Lookup(e.Type())
		if !ok {
			return 0, fmt.Errorf("no event type is called %q", e.Type())
		}
		data, err := json.Marshal(e)
		if err != nil {
			return 0, fmt.Errorf("encode %s: %w", e.Type(), err)
		}
		id := first
		if i > 0 {
			id = events.DerivedID(first, i)
		}
		envs = append(envs, events.Envelope{ID: id, Type: k.Type, Version: k.Version(), Time: now, Session: session, Project: project,
			Correlation: session, Causation: cause, Data: data})
		if cause == "" && i > 0 {
			envs[i].Causation = first
		}
	}
	return d.append(ctx, envs, nil)
}

// maybeDream starts a dream when a tool's outcome left the session in a crisis, at most once in the
// cool-down, and gives the sequence of its event; 0 when there is none. The caller holds d.mu.
func (d *Daemon) maybeDream(ctx context.Context, in hook.Input, s identity.State) (uint64, error) {
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed:
	default:
		return 0, nil
	}
	wanted := in.Call.Verb == hook.VerbHook || in.Call.AutoDream
	if !wanted || !s.DreamDue(d.opts.Now().UnixMilli()) {
		return 0, nil
	}
	seq, err := d.appendDerived(ctx, in.Session, s.Project, in.Frame, &events.DreamTriggered{Phase: "full", Reason: "crisis", IC: s.LastIC})
	if err != nil {
		d.log.Error("trigger dream", "session", in.Session, "err", err) // EC-SESSION-06: never the hook's trouble
		return 0, err
	}
	d.goDream(in.Session, "full", d.view.Position().ID)
	return seq, nil
}

// Dream triggers a dream by command; the cool-down does not hold it back.
func (d *Daemon) Dream(ctx context.Context, session, phase string) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.identity(ctx, session)
	if !ok {
		return 0, problem.New(404, "session "+session+" has no identity", "`hookctl session list --all` lists the sessions")
	}
	if _, err := identity.Dream(s, nil, phase); err != nil {
		return 0, problem.New(400, err.Error(), "")
	}
	seq, err := d.appendDerived(ctx, session, s.Project, "", &events.DreamTriggered{Phase: phase, Reason: "manual", IC: s.LastIC})
	if err != nil {
		return 0, err
	}
	d.goDream(session, phase, d.view.Position().ID)
	return seq, d.stream.Sync(ctx, seq)
}

func (d *Daemon) goDream(session, phase, cause string) {
	d.effects.Add(1)
	go func() {
		defer d.effects.Done()
		d.dream(context.WithoutCancel(d.life), session, phase, cause)
	}()
}

// dream consolidates and records the outcome.
func (d *Daemon) dream(ctx context.Context, session, phase, cause string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	begin := time.Now()
	s, ok := d.identity(ctx, session)
	if !ok {
		return
	}
	consolidate := identity.Dream
	if d.consolidate != nil {
		consolidate = d.consolidate
	}
	out, err := consolidate(s, d.siblings(ctx, s), phase)
	out.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
	var e events.Event = &out
	if err != nil {
		e = &events.DreamFailed{Phase: phase, Error: err.Error(), IC: s.LastIC}
		d.failedDreams.keep(session, err)
	}
	seq, err := d.appendDerived(ctx, session, s.Project, cause, e)
	if err != nil {
		d.log.Error("record dream", "session", session, "err", err)
		return
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		d.log.Error("sync dream", "session", session, "err", err)
		return
	}
	d.hub.wake(seq)
}

// consolidation is what a dream does.
type consolidation func(own identity.State, others []identity.State, phase string) (events.DreamCompleted, error)

// failedDreams are the dreams that came to nothing and whose users have not heard of it: the check that
// asked for one has had its answer by then. Guarded by d.mu; the zero value is ready.
type failedDreams struct{ by map[string]error }

func (f *failedDreams) keep(session string, err error) {
	const most = 256 // sessions in a crisis at once; beyond that the log has it
	if f.by == nil || len(f.by) >= most {
		f.by = map[string]error{}
	}
	f.by[session] = err
}

// of gives a failure to the first tool outcome behind it.
func (f *failedDreams) of(in hook.Input) error {
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed:
		err := f.by[in.Session]
		delete(f.by, in.Session)
		return err
	}
	return nil
}

func (d *Daemon) identity(ctx context.Context, session string) (identity.State, bool) {
	var s identity.State
	found := false
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s, found = projector.State[identity.State](r, identity.Name, session)
		return nil
	})
	return s, found && s.Born && !s.Deleted
}

// siblings are the newest other sessions of the project.
func (d *Daemon) siblings(ctx context.Context, own identity.State) []identity.State {
	var out []identity.State
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(identity.Name)
		if err != nil {
			return err
		}
		for _, k := range keys {
			s, ok := projector.State[identity.State](r, identity.Name, k)
			if ok && s.Born && !s.Deleted && s.Project == own.Project && k != own.SessionID {
				out = append(out, s)
			}
		}
		return nil
	})
	sort.Slice(out, func(i, j int) bool { return out[i].TimestampMS > out[j].TimestampMS })
	return out[:min(len(out), dreamOthers)]
}
