package daemon

import (
	"context"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/recorder"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Sessions by their processes: whose hook it is, and which sessions have gone without an end.

// sessionByProcess returns the live session of the client that started a frame, in this project, of several the one that was
// active last: the process that CLAUDE_PID names, else an ancestor. What is recorded for a session goes by this and no
// guess.
func (i *intake) sessionByProcess(ctx context.Context, f wire.Frame) (id, project string) {
	p, _ := facts.ClientOf(f.Env["CLAUDE_PID"], f.PPID)
	project = i.projectAt(ctx, i.clean(i.world.Place(spool.Launch(f)).Path()))
	if p.PID == 0 {
		return "", project
	}

	found := session.State{}
	for _, s := range i.sessionsBy(ctx, session.RunBy(p.PID)) {
		another := p.Start != 0 && s.Process().Start != p.Start
		elsewhere := project != "" && s.Project != project
		later := found.ID == "" || s.LastActive.After(found.LastActive)
		if !another && !elsewhere && later {
			found = s
		}
	}
	return found.ID, project
}

// silentAfter ends a session whose process is unknown.
const silentAfter = 12 * time.Hour

// reap ends the sessions that have gone: an event each, and the identity is persisted as at an orderly end.
func (i *intake) reap(ctx context.Context) {
	for _, was := range i.sessionsBy(ctx, session.Alive) {
		if ctx.Err() != nil { // the daemon ends; the next one goes on
			return
		}
		p := was.Process()
		e := events.SessionReaped{PID: p.PID, LastActive: was.LastActive.Format(time.RFC3339)}
		switch {
		case p.PID != 0 && !facts.SameProcess(p.PID, p.Start):
			e.Reason = "process_gone"
		case p.PID == 0 && i.opts.Now().Sub(was.LastActive) > silentAfter:
			e.Reason = "silent"
		default:
			continue
		}
		_, err := i.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
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
			return recorder.Envelopes(i.opts.Now(), events.Envelope{Session: was.ID, Project: now.Project}, list...)
		})
		if err != nil {
			i.log.Error("reap", "session", was.ID, "err", err)
		}
	}
}
