package daemon

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/session"
)

// silentAfter ends a session whose process is unknown.
const silentAfter = 12 * time.Hour

// liveSessions are the sessions that have not ended, with the process that tells whether they are
// still there.
type liveSessions struct {
	mu sync.Mutex
	by map[string]liveSession
}

type liveSession struct {
	project string
	process session.Process
	active  time.Time
}

// liveHint is in the JSON of every session that lives.
const liveHint = `"status":"` + session.Live + `"`

// loadLive looks at every session of the past, thousands in a long log, which is most of what a start
// costs us; so no more than the live ones are decoded and kept.
func loadLive(ctx context.Context, v *projector.View) (*liveSessions, error) {
	l := &liveSessions{by: map[string]liveSession{}}
	err := v.Read(ctx, func(r projector.Reader) error {
		return projector.Each(r, session.Name, liveHint, func(id string, s session.State) {
			if s.Status == session.Live {
				l.by[id] = liveSession{project: s.Project, process: s.Process(), active: s.LastActive}
			}
		})
	})
	return l, err
}

// saw keeps the list as the session projection is.
func (l *liveSessions) saw(in hook.Input, w hook.World) {
	if in.Session == "" || in.Hook == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ended := in.Event.(*events.SessionEnded); ended {
		delete(l.by, in.Session)
		return
	}
	s := l.by[in.Session]
	s.project, s.active = w.Project, in.Time
	if w.Facts.PID != 0 {
		s.process = session.Process{PID: w.Facts.PID, Start: w.Facts.PIDStart}
	}
	l.by[in.Session] = s
}

func (l *liveSessions) drop(id string) {
	l.mu.Lock()
	delete(l.by, id)
	l.mu.Unlock()
}

func (l *liveSessions) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.by)
}

// ids lists the sessions.
func (l *liveSessions) ids() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.by))
}

// byProcess is the session of a process that was active last; of the project when one is known.
func (l *liveSessions) byProcess(pid int, start int64, project string) string {
	if pid == 0 {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found, newest := "", time.Time{}
	for id, s := range l.by {
		if s.process.PID != pid || s.process.Start != start && start != 0 || project != "" && s.project != project {
			continue
		}
		if found == "" || s.active.After(newest) || s.active.Equal(newest) && id < found {
			found, newest = id, s.active
		}
	}
	return found
}

// only is the live session of a project when there is exactly one.
func (l *liveSessions) only(project string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := ""
	for id, s := range l.by {
		if s.project != project || project == "" {
			continue
		}
		if found != "" {
			return ""
		}
		found = id
	}
	return found
}

// gone lists the sessions that have ended without saying so.
func (l *liveSessions) gone(now time.Time) map[string]events.SessionReaped {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]events.SessionReaped{}
	for id, s := range l.by {
		reaped := events.SessionReaped{PID: s.process.PID, LastActive: s.active.Format(time.RFC3339)}
		switch {
		case s.process.PID != 0 && !facts.SameProcess(s.process.PID, s.process.Start):
			reaped.Reason = "process_gone"
		case s.process.PID == 0 && now.Sub(s.active) > silentAfter:
			reaped.Reason = "silent"
		default:
			continue
		}
		out[id] = reaped
	}
	return out
}

// reap ends them: an event each, and the identity is persisted as at an orderly end.
func (d *Daemon) reap(ctx context.Context) {
	for id, e := range d.live.gone(d.opts.Now()) {
		if err := d.reapOne(ctx, id, e); err != nil {
			d.log.Error("reap", "session", id, "err", err)
		}
	}
}

func (d *Daemon) reapOne(ctx context.Context, id string, e events.SessionReaped) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	project, alive := "", false
	err := d.view.Read(ctx, func(r projector.Reader) error {
		s, ok := projector.State[session.State](r, session.Name, id)
		project, alive = s.Project, ok && s.Status == session.Live
		return nil
	})
	d.live.drop(id)
	if err != nil || !alive {
		return err
	}
	seq, err := d.appendDerived(ctx, id, project, "", &e, &events.IdentityPersisted{Reason: "reaped"})
	if err == nil {
		err = d.stream.Sync(ctx, seq)
	}
	if err == nil {
		d.hub.wake(seq)
	}
	return err
}
