package daemon

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/spool"
	"hookline/hookctl/transcript"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/working"
)

// What a decision is made from, beside the projections: the machine as it is now.

// observe asks the machine about a frame: which project, work tree, branch and process, how the project looks when it is
// not known yet, and what the gates need. It is cheap for what was seen before; a new project costs one call of git,
// within the hook's own deadline. What goes into events is clean of secrets.
func (i *intake) observe(ctx context.Context, f wire.Frame, in *hook.Input, from arrival) hook.World {
	w := hook.World{NowMS: i.opts.Now().UnixMilli()}
	launch := f.Env["CLAUDE_PROJECT_DIR"]
	cwd := f.Cwd
	if in.Hook != nil && in.Hook.Hook().Cwd != "" {
		cwd = in.Hook.Hook().Cwd
		if in.Redacted > 0 { // the path may be what was redacted
			cwd = f.Where()
		}
	}
	if launch == "" { // where it was first seen, since the working directory follows the model
		s, _ := i.session(ctx, in.Session)
		launch = cmp.Or(s.LaunchDir, s.Worktree, cwd)
	}

	home := i.world.Place(launch)
	here, apart := home, false
	w.Worktree, w.Branch = home.Worktree, home.Branch
	if cwd != "" && cwd != launch { // nearly always it is the same: one look costs 25 µs
		here = i.world.Place(cwd)
		apart = here.CommonDir != home.CommonDir
		if here.Git && !apart {
			w.Worktree, w.Branch = here.Worktree, here.Branch
		}
	}
	if home.Path() != "" {
		w.Project, w.Seen = i.project(ctx, home)
	}

	w.Facts = events.Facts{Entrypoint: i.clean(f.Env["CLAUDE_CODE_ENTRYPOINT"]), LaunchDir: i.clean(f.Env["CLAUDE_PROJECT_DIR"]), Spooled: from == fromSpool}
	if from == fromClient { // the pid of a frame that waited may be another process by now
		p := i.clientOf(f)
		w.Facts.PID, w.Facts.PIDStart = p.PID, p.Start
		if _, ok := in.Event.(*events.SessionStarted); ok && p.PID != 0 {
			w.Facts.Client = facts.ClientVersion(p.PID)
		}
	}
	w.Worktree, w.Branch = i.clean(w.Worktree), i.clean(w.Branch)
	w.Origin = originOf(*in, w.Facts.PID)
	w.Gates = i.gates.forHook(ctx, gatesRequest{frame: f, in: in, world: w, place: here, apart: apart})
	if from == fromSpool {
		return w
	}
	w.Use = i.usage.before(*in)
	w.Facts.Seen = fileAfter(*in)
	w.Survey = i.survey(ctx, *in, w)
	w.Missing = missingFiles(ctx, i.core, *in, w)
	if start, late := i.overdueStart(ctx, *in); late {
		w.Missing = missingFiles(ctx, i.core, start, w)
		soon, cancel := context.WithTimeout(ctx, wire.Deadline(f.Args, in.Name(), f.Where())/4)
		w.Survey = i.survey(soon, start, w)
		cancel()
	}
	w.Evidence = hook.EvidenceLoose
	if _, ok := in.Event.(*events.TurnStopped); ok && in.Call.Verb == hook.VerbHook { // by the configuration as it is now
		v := i.configured(spool.Launch(f)).Values
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
func (i *intake) clientOf(f wire.Frame) facts.Process {
	pid := f.Env["CLAUDE_PID"]
	if known, ok := i.clients.Get(pid); ok && i.opts.Now().Before(known.until) {
		return known.Process
	}
	p, _ := facts.ClientOf(pid, f.PPID)
	if pid != "" { // else the parent may be a shell that lives for one hook
		i.clients.Put(pid, knownClient{p, i.opts.Now().Add(clientFor)})
	}
	return p
}

// originOf returns the session that a session which starts is a fork of: as its transcript says, which the client mostly has
// not written yet, else as the arguments of the client's process say; "" for none.
func originOf(in hook.Input, client int) string {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok || in.Session == "" {
		return ""
	}
	switch e.Source {
	case "resume", "compact", "clear": // the session's own conversation, or an empty one
		return ""
	}
	origin := transcript.Origin(e.TranscriptPath)
	if origin == "" && e.Source == "fork" && client != 0 {
		origin = facts.Resumed(client)
	}
	if origin == in.Session {
		return ""
	}
	return origin
}

// overdueStart returns the start of a hook's session that was not told in time, and that this hook can tell.
func (i *intake) overdueStart(ctx context.Context, in hook.Input) (start hook.Input, late bool) {
	if !hook.CarriesStart(in) {
		return hook.Input{}, false
	}
	start = readStates(ctx, i.core, func(r projector.Reader) hook.Input {
		var start hook.Input
		start, late = hook.OverdueStart(in, hook.Reader{Reader: r})
		return start
	})
	return start, late
}

// Bounds of a survey.
const (
	maxStamped = 100 // files that are looked at, the newest
	maxChanged = 40
	maxIssues  = 5
)

// survey returns what a session that starts should know of its place: a work tree that is gone, files that changed,
// issues. Nil where there is nothing to say.
func (i *intake) survey(ctx context.Context, in hook.Input, w hook.World) *events.WorkplaceSurveyed {
	if _, ok := in.Event.(*events.SessionStarted); !ok || in.Call.Verb != hook.VerbHook || in.Session == "" {
		return nil
	}
	s := readStates(ctx, i.core, func(r projector.Reader) working.State {
		s := hook.WorkAt(in, w, hook.Reader{Reader: r})
		s.Files = slices.Clone(s.Files) // they are asked of the disk without the view's lock
		return s
	})

	out := &events.WorkplaceSurveyed{}
	if _, err := os.Stat(s.Worktree); s.Worktree != "" && os.IsNotExist(err) && s.Files != nil {
		out.Gone = s.Worktree
	}
	for _, f := range slices.Backward(s.Files[max(0, len(s.Files)-maxStamped):]) {
		edited := f.Edited > 0 || f.Created
		if out.Gone == "" && edited && f.Stamp != "" && len(out.Changed) < maxChanged && isOtherwise(f) {
			out.Changed = append(out.Changed, f.Path)
		}
	}

	issues, tracker := facts.Issues(ctx, w.Worktree)
	for _, issue := range issues[:min(len(issues), maxIssues)] {
		item := events.WorkItem{ID: working.Line(issue.ID), Title: i.clean(working.Line(issue.Title)), Status: working.Line(issue.Status)}
		out.Issues = append(out.Issues, item)
		out.Tracker = tracker
	}
	if out.Gone == "" && out.Changed == nil && out.Issues == nil {
		return nil
	}
	return out
}

// isOtherwise reports whether a file that is there looks otherwise than when the session saw it last.
func isOtherwise(f working.File) bool {
	now := stampOf(f.Path)
	return now != f.Stamp && now != goneFile
}

// maxAsked bounds how many files the disk is asked about for one answer.
const maxAsked = 1000

// missingFiles returns the files that the answer to a hook may name and that are not on the disk; nil for a hook that
// names none.
func missingFiles(ctx context.Context, c *core, in hook.Input, w hook.World) map[string]bool {
	if !hook.MayNameFiles(in) { // most hooks: the states are not asked
		return nil
	}
	return missingOf(readStates(ctx, c, func(r projector.Reader) []string {
		return hook.PathsToTell(in, w, hook.Reader{Reader: r})
	}))
}

// missingOf returns those of some files that are not on the disk.
func missingOf(files []string) map[string]bool {
	missing := map[string]bool{}
	for _, file := range files[:min(len(files), maxAsked)] {
		if !filepath.IsAbs(file) {
			continue // where it was meant from is not known
		}
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			missing[file] = true
		}
	}
	return missing
}

// fileAfter returns how the file of a successful call looks now, "" for a call without one.
func fileAfter(in hook.Input) string {
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

// goneFile is the stamp of a file that is not there.
const goneFile = "gone"

// stampOf returns size and time of a file, "gone" where there is none, "" where neither is known.
func stampOf(file string) string {
	if file == "" {
		return ""
	}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return goneFile
	case err != nil || !info.Mode().IsRegular():
		return ""
	}
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}
