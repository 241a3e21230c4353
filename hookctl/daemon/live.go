package daemon

import (
	"context"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// silentAfter ends a session whose process is unknown.
const silentAfter = 12 * time.Hour

// sessionsBy are the sessions that the session index has under a word, in the order of their ids.
func (d *Daemon) sessionsBy(ctx context.Context, word string) []session.State {
	return seen(ctx, d, func(r projector.Reader) []session.State { return projector.Find[session.State](r, session.Name, word) })
}

// liveIDs are the ids of the live sessions that the session index has under a word, sorted.
func (d *Daemon) liveIDs(ctx context.Context, word string) []string {
	return seen(ctx, d, func(r projector.Reader) []string { return projector.Lookup(r, session.Name, word) })
}

// byProcess is the session of a process that was active last; of the project when one is known.
func (d *Daemon) byProcess(ctx context.Context, pid int, start int64, project string) string {
	if pid == 0 {
		return ""
	}

	found := session.State{}
	for _, s := range d.sessionsBy(ctx, session.RunBy(pid)) {
		another := start != 0 && s.Process().Start != start
		elsewhere := project != "" && s.Project != project
		if another || elsewhere {
			continue
		}
		if found.ID == "" || s.LastActive.After(found.LastActive) {
			found = s
		}
	}
	return found.ID
}

// onlyIn is the live session of a project when there is exactly one.
func (d *Daemon) onlyIn(ctx context.Context, project string) string {
	ids := d.liveIDs(ctx, session.AliveIn(project))
	if project == "" || len(ids) != 1 {
		return ""
	}
	return ids[0]
}

// hasGone tells whether a live session has ended without saying so, and how.
func hasGone(s session.State, now time.Time) (events.SessionReaped, bool) {
	p := s.Process()
	reaped := events.SessionReaped{PID: p.PID, LastActive: s.LastActive.Format(time.RFC3339)}
	switch {
	case p.PID != 0 && !facts.SameProcess(p.PID, p.Start):
		reaped.Reason = "process_gone"
	case p.PID == 0 && now.Sub(s.LastActive) > silentAfter:
		reaped.Reason = "silent"
	default:
		return reaped, false
	}
	return reaped, true
}

// reap ends the sessions that have gone: an event each, and the identity is persisted as at an orderly end.
func (d *Daemon) reap(ctx context.Context) {
	for _, s := range d.sessionsBy(ctx, session.Alive) {
		if ctx.Err() != nil { // the daemon ends; the next one goes on
			return
		}
		e, gone := hasGone(s, d.opts.Now())
		if !gone {
			continue
		}
		if err := d.reapOne(ctx, s, e); err != nil {
			d.log.Error("reap", "session", s.ID, "err", err)
		}
	}
}

func (d *Daemon) reapOne(ctx context.Context, was session.State, e events.SessionReaped) error {
	_, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		now, found := projector.State[session.State](r, session.Name, was.ID)
		heardOf := now.LastActive.After(was.LastActive) // meanwhile
		if !found || now.Status != session.Live || heardOf {
			return nil, nil
		}
		list := []events.Event{&e, &events.IdentityPersisted{Reason: "reaped", AsOf: e.LastActive}}
		work, _ := projector.State[working.State](r, working.Name, was.ID)
		if h := work.HandoffOf("reaped"); h != nil {
			list = append(list, h)
		}
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: was.ID, Project: now.Project}, list...)
	})
	return err
}
