package daemon

import (
	"cmp"
	"context"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
)

// What a decision is made from: the machine as it is and the past as the projections have it.

// look asks the machine about a frame: which project, work tree, branch and process, how the project looks when it is
// not known yet, and what the gates need. It is cheap for what was seen before; a new project costs one call of git,
// within the hook's own deadline. What goes into events is clean of secrets.
func (d *Daemon) look(ctx context.Context, f wire.Frame, in *hook.Input, spooled bool) hook.World {
	w := hook.World{NowMS: d.opts.Now().UnixMilli()}
	launch := f.Env["CLAUDE_PROJECT_DIR"]
	cwd := whereOf(f, *in)
	if launch == "" {
		launch = d.launchDir(ctx, in.Session, cwd)
	}

	home := d.world.Place(launch)
	here, apart := home, false
	w.Worktree, w.Branch = home.Worktree, home.Branch
	if cwd != "" && cwd != launch { // nearly always it is the same: one look costs 25 µs
		here = d.world.Place(cwd)
		apart = here.CommonDir != home.CommonDir
		if here.Git && !apart {
			w.Worktree, w.Branch = here.Worktree, here.Branch
		}
	}
	if home.Path() != "" {
		w.Project, w.Seen = d.project(ctx, home)
	}

	w.Facts = d.factsOf(f, *in, spooled)
	w.Worktree, w.Branch = d.clean(w.Worktree), d.clean(w.Branch)
	w.Gates = d.gatesOf(ctx, f, in, w, here, apart)
	if !spooled {
		w.Use = d.useAt(*in)
		w.Evidence, w.Delta = endOfTurn(f, *in)
		w.Facts.Seen = seenBy(*in)
		w.Survey = d.survey(ctx, *in, w)
	}
	return w
}

// factsOf is what the client's process tells. Whoever has the pid of a frame that waited is not who sent it.
func (d *Daemon) factsOf(f wire.Frame, in hook.Input, spooled bool) events.Facts {
	known := events.Facts{Entrypoint: d.clean(f.Env["CLAUDE_CODE_ENTRYPOINT"]), LaunchDir: d.clean(f.Env["CLAUDE_PROJECT_DIR"]), Spooled: spooled}
	if spooled {
		return known
	}

	p := d.clients.of(f, d.opts.Now())
	known.PID, known.PIDStart = p.PID, p.Start
	if _, ok := in.Event.(*events.SessionStarted); ok && p.PID != 0 {
		known.Client = facts.ClientVersion(p.PID)
	}
	return known
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
	keep(&c.by, 256, key, knownClient{process: p, until: now.Add(clientFor)})
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
	s, _ := d.session(ctx, id)
	return cmp.Or(s.LaunchDir, s.Worktree, cwd)
}

// originWithin bounds the one call of git for a project that was never seen.
const originWithin = 300 * time.Millisecond
