package daemon

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/project"
	"hookline/projector/working"
)

// What a decision is made from, beside the projections: the machine as it is now.

// look asks the machine about a frame: which project, work tree, branch and process, how the project looks when it is
// not known yet, and what the gates need. It is cheap for what was seen before; a new project costs one call of git,
// within the hook's own deadline. What goes into events is clean of secrets.
func (d *Daemon) look(ctx context.Context, f wire.Frame, in *hook.Input, spooled bool) hook.World {
	w := hook.World{NowMS: d.opts.Now().UnixMilli()}
	launch := f.Env["CLAUDE_PROJECT_DIR"]
	cwd := f.Cwd
	if in.Hook != nil && in.Hook.Hook().Cwd != "" {
		cwd = in.Hook.Hook().Cwd
		if in.Redacted > 0 { // the path may be what was redacted
			cwd = f.Where()
		}
	}
	if launch == "" { // where it was first seen, since the working directory follows the model
		s, _ := d.session(ctx, in.Session)
		launch = cmp.Or(s.LaunchDir, s.Worktree, cwd)
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

	w.Facts = events.Facts{Entrypoint: d.clean(f.Env["CLAUDE_CODE_ENTRYPOINT"]), LaunchDir: d.clean(f.Env["CLAUDE_PROJECT_DIR"]), Spooled: spooled}
	if !spooled { // the pid of a frame that waited may be another process by now
		p := d.clientOf(f)
		w.Facts.PID, w.Facts.PIDStart = p.PID, p.Start
		if _, ok := in.Event.(*events.SessionStarted); ok && p.PID != 0 {
			w.Facts.Client = facts.ClientVersion(p.PID)
		}
	}
	w.Worktree, w.Branch = d.clean(w.Worktree), d.clean(w.Branch)
	w.Gates = d.gatesOf(ctx, f, in, w, here, apart)
	if spooled {
		return w
	}
	w.Use = d.useAt(*in)
	w.Facts.Seen = seenBy(*in)
	w.Survey = d.survey(ctx, *in, w)
	w.Evidence = hook.EvidenceLoose
	if _, ok := in.Event.(*events.TurnStopped); ok && in.Call.Verb == hook.VerbHook { // by the configuration as it is now
		v := d.configured(spool.Launch(f)).Values
		w.Evidence, w.Delta = v.Evidence, v.Attention[0]
	}
	return w
}

// clientFor is the time for which a client's process is remembered: far less than a pid needs to come round, and a hook
// costs 20 µs less.
const clientFor = 5 * time.Second

// knownClient is a client's process, and the time until which it is remembered.
type knownClient struct {
	facts.Process
	until time.Time
}

// clientOf returns the process of the client that sent a frame.
func (d *Daemon) clientOf(f wire.Frame) facts.Process {
	pid := f.Env["CLAUDE_PID"]
	if known, ok := d.clients.Get(pid); ok && d.opts.Now().Before(known.until) {
		return known.Process
	}
	p, _ := facts.ClientOf(pid, f.PPID)
	if pid != "" { // else the parent may be a shell that lives for one hook
		d.clients.Put(pid, knownClient{p, d.opts.Now().Add(clientFor)})
	}
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

// originWithin bounds the one call of git for a project that was never seen.
const originWithin = 300 * time.Millisecond

// maxJoins bounds how many joined projects are followed to the one that stands for them.
const maxJoins = 64

// projectAt returns the id of the project that the log has at a path, "" for none. A project that was joined into another
// gives the other's.
func (d *Daemon) projectAt(ctx context.Context, path string) string {
	return seen(ctx, d, func(r projector.Reader) string {
		found := projector.Find[project.State](r, project.Name, project.LivesAt(path))
		if len(found) == 0 {
			return ""
		}

		s := found[0]
		for n := 0; s.JoinedInto != "" && n < maxJoins; n++ {
			next, ok := projector.State[project.State](r, project.Name, s.JoinedInto)
			if !ok {
				next = project.Start(s.JoinedInto)
			}
			s = next
		}
		return s.ID
	})
}

// project returns the id of the project at a place, and how it looks there unless that is known.
func (d *Daemon) project(ctx context.Context, at facts.Place) (string, *hook.Sighting) {
	path := d.clean(at.Path())
	if _, asked := d.visits.Get(path); asked {
		if id := d.projectAt(ctx, path); id != "" {
			return id, nil
		}
	}

	now := events.ProjectSeen{Path: path, Git: at.Git, Name: cmp.Or(at.Name, filepath.Base(path))}
	if at.Git {
		bounded, cancel := context.WithTimeout(ctx, originWithin)
		defer cancel()
		if o, err := d.world.Origin(bounded, at.CommonDir); err == nil {
			now.RootCommit, now.Remote = o.RootCommit, o.Remote
		}
	}

	known := seen(ctx, d, func(r projector.Reader) []project.State {
		return projector.Find[project.State](r, project.Name, project.Known)
	})
	id, moved, ok := project.Recognise(known, now, func(path string) bool { return stampOf(path) != "gone" }) // asks the disk: not under a lock
	if !ok {
		id = project.NewID(known, facts.ProjectID(at.Path()))
	}

	now.Name, now.Remote = d.clean(now.Name), d.clean(now.Remote)
	d.visits.Put(path, true)
	return id, &hook.Sighting{Project: id, Seen: now, Moved: moved}
}

// Bounds of a survey.
const (
	maxStamped = 100 // files that are looked at, the newest
	maxChanged = 40
	maxIssues  = 5
)

// survey returns what a session that starts should know of its place: a work tree that is gone, files that changed,
// issues. Nil where there is nothing to say.
func (d *Daemon) survey(ctx context.Context, in hook.Input, w hook.World) *events.WorkplaceSurveyed {
	if _, ok := in.Event.(*events.SessionStarted); !ok || in.Call.Verb != hook.VerbHook || in.Session == "" {
		return nil
	}
	s := seen(ctx, d, func(r projector.Reader) working.State {
		s := hook.WorkAt(in, w.Project, hook.Reader{Reader: r})
		s.Files = slices.Clone(s.Files) // they are asked of the disk without the view's lock
		return s
	})

	out := &events.WorkplaceSurveyed{}
	if _, err := os.Stat(s.Worktree); s.Worktree != "" && os.IsNotExist(err) && s.Files != nil {
		out.Gone = s.Worktree
	}
	for _, f := range slices.Backward(s.Files[max(0, len(s.Files)-maxStamped):]) {
		edited := f.Edited > 0 || f.Created
		if out.Gone == "" && edited && f.Stamp != "" && len(out.Changed) < maxChanged && stampOf(f.Path) != f.Stamp {
			out.Changed = append(out.Changed, f.Path)
		}
	}

	issues, tracker := facts.Issues(ctx, w.Worktree)
	for _, issue := range issues[:min(len(issues), maxIssues)] {
		item := events.WorkItem{ID: working.Line(issue.ID), Title: d.clean(working.Line(issue.Title)), Status: working.Line(issue.Status)}
		out.Issues = append(out.Issues, item)
		out.Tracker = tracker
	}
	if out.Gone == "" && out.Changed == nil && out.Issues == nil {
		return nil
	}
	return out
}

// seenBy returns how the file of a successful call looks now, "" for a call without one.
func seenBy(in hook.Input) string {
	e, ok := in.Event.(*events.ToolSucceeded)
	if !ok || !slices.Contains([]string{"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"}, e.ToolName) {
		return ""
	}
	file := events.InputOf(e.ToolInput).File()
	if file != "" && !filepath.IsAbs(file) {
		return "" // where it was meant from is not known later
	}
	return stampOf(file)
}

// stampOf returns size and time of a file, "gone" where there is none, "" where neither is known.
func stampOf(file string) string {
	if file == "" {
		return ""
	}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return "gone"
	case err != nil || !info.Mode().IsRegular():
		return ""
	}
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}
