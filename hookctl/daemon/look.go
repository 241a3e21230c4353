package daemon

import (
	"context"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/pointer"
	"hookline/projector/session"
)

// What a decision is made from: the machine as it is and the past as the projections have it.

// look asks the machine about a frame: which project, work tree, branch and process, and how the
// project looks when it is not known yet; and about the hook's own working directory, which may be in another
// repository. It is cheap for what was seen before; a new project costs one call of git, within the hook's own
// deadline. What goes into events is clean of secrets.
func (d *Daemon) look(ctx context.Context, f wire.Frame, in hook.Input) (hook.World, sights) {
	var w hook.World
	var found sights
	launch := f.Env["CLAUDE_PROJECT_DIR"]
	cwd := whereOf(f, in)
	if launch == "" {
		launch = d.launchDir(ctx, in.Session, cwd)
	}
	home := d.world.Place(launch)
	found.here = home
	w.Worktree, w.Branch = home.Worktree, home.Branch
	if cwd != "" && cwd != launch { // nearly always it is the same: one look costs 25 µs
		here := d.world.Place(cwd)
		if here.Git && here.CommonDir == home.CommonDir {
			w.Worktree, w.Branch = here.Worktree, here.Branch
		}
		found.here, found.apart = here, here.CommonDir != home.CommonDir
	}
	if home.Path() != "" {
		w.Project, found.session = d.project(ctx, home)
	}
	p := d.clients.of(f, d.opts.Now())
	w.Facts = events.Facts{PID: p.PID, PIDStart: p.Start, Entrypoint: f.Env["CLAUDE_CODE_ENTRYPOINT"], LaunchDir: f.Env["CLAUDE_PROJECT_DIR"]}
	if _, ok := in.Event.(*events.SessionStarted); ok && p.PID != 0 {
		w.Facts.Client = facts.ClientVersion(p.PID)
	}
	w.Worktree, w.Branch = d.clean(w.Worktree), d.clean(w.Branch)
	w.Facts.LaunchDir, w.Facts.Entrypoint = d.clean(w.Facts.LaunchDir), d.clean(w.Facts.Entrypoint)
	return w, found
}

// sights is what a look at the machine found beside the world: the place of the hook's working directory, whether that
// is another repository than the session's, and the two projects where they are not known as they look.
type sights struct {
	here           facts.Place
	apart          bool
	session, gates *looked
}

// whereOf is a hook's working directory, as the disk has it.
func whereOf(f wire.Frame, in hook.Input) string {
	if in.Hook == nil || in.Hook.Hook().Cwd == "" {
		return f.Cwd
	}
	if in.Redacted > 0 { // the path may be what was redacted
		return f.Where()
	}
	return in.Hook.Hook().Cwd
}

// clientFor is how long a client's process is not asked for again: far less than a pid needs to come
// round, and a hook costs 20 µs less.
const clientFor = 5 * time.Second

// clientCache remembers which process started which hooks.
type clientCache struct {
	mu sync.Mutex
	by map[string]knownClient
}

type knownClient struct {
	process facts.Process
	until   time.Time
}

func (c *clientCache) of(f wire.Frame, now time.Time) facts.Process {
	key := f.Env["CLAUDE_PID"]
	if key == "" { // the parent may be a shell that lives for one hook
		p, _ := facts.ClientOf("", f.PPID)
		return p
	}
	c.mu.Lock()
	k, ok := c.by[key]
	c.mu.Unlock()
	if ok && now.Before(k.until) {
		return k.process
	}
	p, _ := facts.ClientOf(key, f.PPID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil || len(c.by) > 256 {
		c.by = map[string]knownClient{}
	}
	c.by[key] = knownClient{process: p, until: now.Add(clientFor)}
	return p
}

// clean takes secrets out of a text that goes beside a hook's body: a path, a branch, a note.
func (d *Daemon) clean(s string) string {
	if s == "" {
		return s
	}
	b, report := d.redactor.Text([]byte(s))
	if report.Count == 0 {
		return s
	}
	return string(b)
}

// launchDir is where a session was started when the client does not say: where it was first seen,
// since the working directory follows the model.
func (d *Daemon) launchDir(ctx context.Context, id, cwd string) string {
	dir := cwd
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		if s, ok := projector.State[session.State](r, session.Name, id); ok && s.LaunchDir != "" {
			dir = s.LaunchDir
		} else if ok && s.Worktree != "" {
			dir = s.Worktree
		}
		return nil
	})
	return dir
}

// past reads what the decision on a frame needs. The caller holds the order of the log.
func (d *Daemon) past(ctx context.Context, in hook.Input, w hook.World) (hook.Past, error) {
	var p hook.Past
	err := d.view.Read(ctx, func(r projector.Reader) error {
		p.Session, _ = projector.State[session.State](r, session.Name, in.Session)
		s, ok := projector.State[identity.State](r, identity.Name, in.Session)
		p.Identity, p.Born = s, ok && s.Born
		if in.Starts() {
			p.Latest = latest(r, w.Project, in.Session)
		}
		return nil
	})
	return p, err
}

// latest finds the newest persisted identity of the project that is not the session's own: through
// the project's pointer, else through the temporal index (EC-SESSION-03), else none.
func latest(r projector.Reader, project, own string) *hook.Snapshot {
	p, _ := projector.State[pointer.State](r, pointer.Name, pointer.ProjectKey(project))
	for i := len(p.History) - 1; i >= 0; i-- {
		if s := snapshot(r, p.History[i].Session, project, own); s != nil {
			return s
		}
	}
	keys, err := r.Keys(pointer.Name)
	if err != nil {
		return nil
	}
	for i := len(keys) - 1; i >= 0; i-- {
		if _, id, ok := pointer.SplitTime(keys[i]); ok {
			if s := snapshot(r, id, project, own); s != nil {
				return s
			}
		}
	}
	return nil
}

func snapshot(r projector.Reader, id, project, own string) *hook.Snapshot {
	if id == own || id == "" {
		return nil
	}
	s, ok := projector.State[identity.State](r, identity.Name, id)
	if !ok || !s.Born || s.Deleted || s.PersistedAtMS == 0 || s.Project != project {
		return nil
	}
	return &hook.Snapshot{Session: id, State: s}
}

// originWithin bounds the one call of git for a project that was never seen.
const originWithin = 300 * time.Millisecond
