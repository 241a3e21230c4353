package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/requirements"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/session"
)

// The gates' way along the line: rules and measurements are read before the order of the log, the
// decision is made within it. Nothing here fails a hook: what cannot be read or measured closes no
// gate, is told once and is recorded.

// gateFiles remembers the rules of work trees for as long as their files look as they did. The zero
// value is ready.
type gateFiles struct {
	mu    sync.Mutex
	by    map[string]*loadedRules
	sizes facts.Sizes
}

type loadedRules struct {
	rules    requirements.Rules
	adopted  bool // the user's own file exists
	marks    [3]fileMark
	recorded bool // its problems are in the log
}

// fileMark is how a file looked. Equal stat data proves equal content only once the modification is
// older than the coarsest clock of a file system, 2 s.
type fileMark struct {
	info    os.FileInfo // nil: there was none
	settled bool
}

const settleTime = 2 * time.Second

func markFile(name string, now time.Time) fileMark {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return fileMark{settled: true}
	}
	return fileMark{info: info, settled: now.Sub(info.ModTime()) > settleTime}
}

func (m fileMark) same(o fileMark) bool {
	if m.info == nil || o.info == nil {
		return m.info == nil && o.info == nil
	}
	return m.settled && os.SameFile(m.info, o.info) && m.info.Size() == o.info.Size() && m.info.ModTime().Equal(o.info.ModTime())
}

// maxRoots bounds the work trees whose rules are remembered.
const maxRoots = 256

// of gives the rules of a work tree.
func (g *gateFiles) of(root, home string, now time.Time) *loadedRules {
	o := requirements.Options{Home: home, Root: root}
	global, project, local := o.Paths()
	marks := [3]fileMark{markFile(global, now), markFile(project, now), markFile(local, now)} // before the reading: a change meanwhile is seen next time
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.by[root]
	if old != nil && slices.EqualFunc(old.marks[:], marks[:], fileMark.same) {
		return old
	}
	next := &loadedRules{rules: requirements.Load(o), adopted: marks[0].info != nil, marks: marks}
	if old != nil && slices.Equal(old.rules.Problems, next.rules.Problems) {
		next.recorded = old.recorded
	}
	if g.by == nil || len(g.by) >= maxRoots {
		g.by = map[string]*loadedRules{}
	}
	g.by[root] = next
	return next
}

// maxProblems bounds what one reading of a configuration puts into the log.
const maxProblems = 16

// news are the problems that the log does not have yet. The caller holds the order of the log.
func (g *gateFiles) news(root string) []events.GateConfigInvalid {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.by[root]
	if l == nil || l.recorded {
		return nil
	}
	l.recorded = true
	var out []events.GateConfigInvalid
	for _, p := range l.rules.Invalid() {
		if len(out) < maxProblems {
			out = append(out, events.GateConfigInvalid{File: p.File, Line: p.Line, Column: p.Column, Requirement: p.Requirement, Message: p.Message})
		}
	}
	return out
}

// gated are the hooks that gates have something to do with.
func gated(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.ToolSucceeded, *events.TurnStopped, *events.PromptSubmitted, *events.SessionStarted, *events.SessionEnded:
		return true
	}
	return false
}

// gatesOf reads and measures what the gates need for a frame, before it has a place in the log; nil
// where no gates are.
func (d *Daemon) gatesOf(ctx context.Context, f wire.Frame, in *hook.Input, w hook.World) *hook.Gates {
	if in.Hook == nil || in.Call.Verb != hook.VerbHook || w.Project == "" || w.Branch == "" || w.Root == "" || !gated(in.Event) {
		return nil
	}
	home, _ := os.UserHomeDir()
	l := d.gates.of(w.Root, home, d.opts.Now())
	g := &hook.Gates{Rules: l.rules, Dir: w.Worktree, Adopted: l.adopted, Skip: f.Env["CLAUDE_SKIP_REQUIREMENTS"] != "", Late: w.Facts.Spooled}
	if l.rules.ProjectFile == "" {
		return g
	}
	if list := l.rules.Invalid(); len(list) > 0 {
		text := "requirements: " + list[0].Error() + "; what it concerns is off, everything passes there"
		if len(list) > 1 {
			text += fmt.Sprintf(" (%d problems: hookctl req status --verbose)", len(list))
		}
		in.Warnings = append(in.Warnings, d.clean(text))
	}
	if !g.Skip && !g.Late {
		d.measure(ctx, in, w, g)
	}
	return g
}

// measure asks git, and only for requirements that this hook would be held to.
func (d *Daemon) measure(ctx context.Context, in *hook.Input, w hook.World, g *hook.Gates) {
	for _, q := range d.measured(ctx, *in, w, g) {
		var err error
		if q.Type == requirements.Dynamic {
			err = d.measureSize(ctx, w, g, q)
		} else {
			g.Dirty, err = inTime(ctx, d, func(ctx context.Context) (bool, error) { return d.gates.sizes.Dirty(ctx, w.Root) })
		}
		if err != nil {
			d.log.Warn("measure for a gate", "requirement", q.Name, "err", err)
			text := fmt.Sprintf("requirement '%s' lets everything pass for now: git did not answer", q.Name)
			in.Warnings = append(in.Warnings, text)
			g.Problems = append(g.Problems, events.GateConfigInvalid{Requirement: q.Name, Message: text})
		}
	}
}

// measured are the requirements with a number or a condition that git knows, and that the hook is held
// to while nothing satisfies them.
func (d *Daemon) measured(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) []requirements.Requirement {
	var list []requirements.Requirement
	switch e := in.Event.(type) {
	case *events.ToolRequested:
		for _, h := range g.Rules.Match(e.ToolName, e.ToolInput) {
			list = append(list, h.Requirement)
		}
	case *events.TurnStopped:
		if e.StopHookActive || gate.Working(e) || !g.Rules.Active() || !g.Rules.Hooks.Stop.VerifyRequirements {
			return nil
		}
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q requirements.Requirement) bool {
			return !slices.Contains(g.Rules.Hooks.Stop.VerifyScopes, q.Scope)
		})
	case *events.SessionStarted:
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q requirements.Requirement) bool { return q.Type == requirements.Dynamic })
	}
	list = slices.DeleteFunc(list, func(q requirements.Requirement) bool {
		return q.Type != requirements.Dynamic && (q.Type != requirements.Guard || q.GuardType != requirements.GuardDirtyTree)
	})
	if len(list) == 0 {
		return nil
	}
	_, stops := in.Event.(*events.TurnStopped)
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s := gatesAt(r, w)
		list = slices.DeleteFunc(list, func(q requirements.Requirement) bool {
			return s.Satisfied(q.Name, hook.ScopeOf(q), in.Session, in.Time) || stops && !s.Triggered(q.Name, string(q.Scope), in.Session)
		})
		return nil
	})
	return list
}

// measureWithin is how long a hook waits for git; the measurement goes on and serves the next one. It
// leaves a PreToolUse time to answer before its client gives up on the daemon (1.2 s).
const measureWithin = time.Second

// inTime runs ask for as long as it takes, and waits for it as long as a hook may.
func inTime[T any](ctx context.Context, d *Daemon, ask func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	d.effects.Add(1)
	go func() {
		defer d.effects.Done()
		v, err := ask(d.life)
		done <- answer{v, err}
	}()
	t := time.NewTimer(measureWithin)
	defer t.Stop()
	var none T
	select {
	case a := <-done:
		return a.value, a.err
	case <-t.C:
		return none, fmt.Errorf("no answer within %s", measureWithin)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

func (d *Daemon) measureSize(ctx context.Context, w hook.World, g *hook.Gates, q requirements.Requirement) error {
	size, err := inTime(ctx, d, func(ctx context.Context) (facts.Size, error) {
		return d.gates.sizes.Of(ctx, facts.SizeQuery{Worktree: w.Root, Branch: w.Branch, Base: q.Base, TTL: q.CacheTTL})
	})
	if errors.Is(err, facts.ErrNoBase) {
		return nil
	}
	if err != nil {
		return err
	}
	if g.Sizes == nil {
		g.Sizes = map[string]hook.BranchSize{}
	}
	g.Sizes[q.Name] = hook.BranchSize{Committed: requirements.Changed(size.Committed), Staged: requirements.Changed(size.Staged),
		Unstaged: requirements.Changed(size.Unstaged), Base: d.clean(size.Base)}
	return nil
}

// gatesAt reads the gates of a branch. The state is valid until the next fold.
func gatesAt(r projector.Reader, w hook.World) gate.State {
	branch, _ := projector.State[gate.State](r, gate.Name, gate.Key(w.Project, w.Branch))
	project, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(w.Project))
	return gate.At(branch, project)
}

// judgeGates decides on a frame. The caller holds the order of the log.
func (d *Daemon) judgeGates(ctx context.Context, in hook.Input, w hook.World, s session.State) hook.Verdict {
	if w.Gates == nil {
		return hook.Verdict{}
	}
	p := hook.GatesPast{Session: s}
	err := d.view.Read(ctx, func(r projector.Reader) error {
		p.State = gatesAt(r, w)
		if asksForOthers(in.Event, w.Gates.Rules) {
			p.Others = d.others(r, in, w)
		}
		return nil
	})
	if err != nil {
		d.log.Error("read gates", "session", in.Session, "err", err)
		return hook.Verdict{}
	}
	if w.Gates.Problems = d.notYetTold(w.Gates.Problems); w.Gates.Rules.ProjectFile != "" {
		w.Gates.Problems = append(d.gates.news(w.Root), w.Gates.Problems...)
	}
	v := hook.Judge(in, w, p)
	if v.Message != "" && !d.first(in.Session+" review") {
		v.Message = ""
	}
	return v
}

// notYetTold keeps the problems of measuring that this run of the daemon has not recorded.
func (d *Daemon) notYetTold(list []events.GateConfigInvalid) []events.GateConfigInvalid {
	return slices.DeleteFunc(list, func(p events.GateConfigInvalid) bool { return !d.first("gate " + p.Message) })
}

// asksForOthers tells whether the other sessions of the project matter to a frame.
func asksForOthers(e events.Event, rules requirements.Rules) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.TurnStopped, *events.SessionStarted, *events.PromptSubmitted:
	default:
		return false
	}
	return rules.Active() && slices.ContainsFunc(rules.InOrder(), func(q requirements.Requirement) bool { return q.GuardType == requirements.GuardSingleSession })
}

// others are the live sessions in the same work tree: another tree of the project is in nobody's way.
// A session of the same process is this one under its former id.
func (d *Daemon) others(r projector.Reader, in hook.Input, w hook.World) []requirements.Other {
	own := session.Process{PID: w.Facts.PID, Start: w.Facts.PIDStart}
	var list []requirements.Other
	for _, id := range d.live.inProject(w.Project) {
		s, ok := projector.State[session.State](r, session.Name, id)
		p := s.Process()
		if !ok || id == in.Session || s.Status != session.Live || s.Worktree != w.Worktree || p == own && own.PID != 0 {
			continue
		}
		if p.PID != 0 && !facts.SameProcess(p.PID, p.Start) {
			continue // it will be reaped
		}
		list = append(list, requirements.Other{Session: id, Branch: s.Branch, Ago: max(0, in.Time.Sub(s.LastActive))})
	}
	slices.SortFunc(list, func(a, b requirements.Other) int {
		if a.Ago != b.Ago {
			return int(a.Ago - b.Ago)
		}
		return len(a.Session) - len(b.Session)
	})
	return list
}

// inProject lists the live sessions of a project, sorted.
func (l *liveSessions) inProject(project string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for id, s := range l.by {
		if s.project == project {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// decisionOf bounds how far behind a hook's event its decision is looked for.
const decisionOf = 64

// verdictAgain finds the refusal that was decided with the record at seq, for a frame that comes again:
// a client that asks twice on a busy machine must not be let through the second time.
func (d *Daemon) verdictAgain(ctx context.Context, in hook.Input, w hook.World, seq uint64) hook.Verdict {
	switch in.Event.(type) {
	case *events.ToolRequested, *events.TurnStopped:
	default:
		return hook.Verdict{}
	}
	if w.Gates == nil {
		return hook.Verdict{}
	}
	for next := seq + 1; next < seq+decisionOf; next++ {
		rec, err := d.stream.Get(ctx, next)
		if err != nil || rec.Causation != in.Frame {
			return hook.Verdict{}
		}
		switch rec.Event.(type) {
		case *events.GateBlocked, *events.GateStopBlocked:
			return hook.Repeat(in, w, rec.Event)
		}
	}
	return hook.Verdict{}
}

// rootOf is the top of the work tree that a place is in.
func rootOf(p facts.Place) string {
	if p.Worktree == "" {
		return ""
	}
	return filepath.Clean(p.Worktree)
}
