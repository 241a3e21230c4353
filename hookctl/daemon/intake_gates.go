package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/session"
)

// The gates' way along the line: rules and measurements are read before the order of the log, the
// decision is made within it. Nothing here fails a hook: what cannot be read or measured closes no
// gate, is told once and is recorded.

// gated reports whether gates have something to do with a hook.
func gated(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.PermissionRequested, *events.ToolSucceeded, *events.ToolFailed,
		*events.ToolBatchFinished, *events.TurnStopped, *events.PromptSubmitted, *events.SessionStarted, *events.SessionEnded:
		return true
	}
	return false
}

// gateReader reads the rules of work trees, and measures what they ask for.
type gateReader struct {
	*core
	notices *notices
	rules   facts.Cache[*gateRules] // by the top of the work tree
}

func newGateReader(c *core, n *notices) *gateReader {
	gr := &gateReader{core: c, notices: n}
	gr.rules.Most = maxRoots
	return gr
}

// gatesRequest asks for the gates of a hook.
type gatesRequest struct {
	frame wire.Frame
	in    *hook.Input // gets warnings
	world hook.World
	place facts.Place // of the working directory
	apart bool        // place is another repository than the session's
}

// forHook reads and measures what the gates need for a frame, before it has a place in the log: those of the repository
// around the hook's working directory, which may be apart from the session's. Nil where no gates are.
func (gr *gateReader) forHook(ctx context.Context, q gatesRequest) *hook.Gates {
	in, w := q.in, q.world
	ofClient := in.Hook != nil && in.Call.Verb == hook.VerbHook
	somewhere := w.Project != "" && q.place.Worktree != ""
	if !ofClient || !gated(in.Event) || !somewhere {
		return nil
	}
	g, rules := gr.at(q.place, w.Project)
	if g == nil {
		return nil
	}
	if q.apart && g.Rules.ProjectFile == "" { // that repository's project is not looked up for nothing
		return nil
	}
	g.Skip, g.Late = q.frame.Env["CLAUDE_SKIP_REQUIREMENTS"] != "", w.Facts.Spooled
	if g.Rules.ProjectFile == "" {
		return g
	}

	if q.apart {
		g.Project, g.Seen = gr.project(ctx, q.place)
	}
	g.Input = rawInput(q.frame, *in)
	if text := troubleWith(g.Rules); text != "" {
		in.Warnings = append(in.Warnings, gr.clean(text))
	}
	if asksForOthers(in.Event, g.Rules) {
		g.Others = gr.others(ctx, *in, w, g)
	}
	g.Problems = rules.news()
	g.Head = gr.headOf(ctx, *in, w, g)
	if !g.Skip && !g.Late {
		gr.measure(ctx, in, w, g)
	}
	for i := range g.Problems { // a message may quote the file
		e := &g.Problems[i]
		e.File, e.Requirement, e.Message = gr.clean(e.File), gr.clean(e.Requirement), gr.clean(e.Message)
	}
	return g
}

// at reads the gates of a work tree, nothing measured; nil where it is on no branch.
func (gr *gateReader) at(place facts.Place, project string) (*hook.Gates, *gateRules) {
	if place.Branch == "" {
		return nil, nil
	}
	home, _ := os.UserHomeDir()
	root := filepath.Clean(place.Worktree)
	l := gr.rulesOf(gates.Options{Home: home, Root: root, Main: place.Main()})
	return &hook.Gates{Rules: l.Rules, Project: project, Branch: gr.clean(place.Branch), Root: root, Dir: gr.clean(place.Worktree),
		WasOn: l.wasOn, Adopted: l.adopted}, l
}

// rawInput returns a tool call's input before it was redacted and cut, where it was either.
func rawInput(f wire.Frame, in hook.Input) json.RawMessage {
	if in.Redacted == 0 && len(f.Body) <= hook.BlobOver {
		return nil
	}
	var body struct {
		Input json.RawMessage `json:"tool_input"`
	}
	if json.Unmarshal(f.Body, &body) != nil {
		return nil
	}
	return body.Input
}

// troubleWith returns the warning about a configuration that is not as it was meant: about what is left out, else about
// keys that have no effect, with the number of problems. "" for none.
func troubleWith(r gates.Rules) string {
	list := r.Invalid()
	if len(list) == 0 {
		list = r.Problems
	}
	if len(list) == 0 {
		return ""
	}

	text := "requirements: " + list[0].Error()
	if !list[0].Warning {
		text += "; this part is left out"
	}
	if n := len(r.Problems); n > 1 {
		text += fmt.Sprintf(" (%d problems: hookctl req validate)", n)
	}
	return text
}

// asksForOthers reports whether the other sessions of the project matter to a frame.
func asksForOthers(e events.Event, rules gates.Rules) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.TurnStopped, *events.SessionStarted, *events.PromptSubmitted:
	default:
		return false
	}
	return rules.Active() && slices.ContainsFunc(rules.InOrder(), func(q gates.Requirement) bool { return q.GuardType == gates.GuardSingleSession })
}

// others returns the live sessions in the same work tree: sessions in another tree of the project do not disturb each other.
// A session of the same process is this one under its former id.
func (gr *gateReader) others(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) []gates.Other {
	self := session.Process{PID: w.Facts.PID, Start: w.Facts.PIDStart}
	var list []gates.Other
	for _, s := range gr.sessionsBy(ctx, session.AliveIn(g.Project)) {
		id, p := s.ID, s.Process()
		if id == in.Session || s.Worktree != g.Dir || p == self && self.PID != 0 {
			continue
		}
		if p.PID != 0 && !facts.SameProcess(p.PID, p.Start) {
			continue // it will be reaped
		}
		list = append(list, gates.Other{Session: id, Branch: s.Branch, Ago: max(0, in.Time.Sub(s.LastActive))})
	}
	slices.SortFunc(list, func(a, b gates.Other) int {
		return cmp.Or(cmp.Compare(a.Ago, b.Ago), cmp.Compare(a.Session, b.Session))
	})
	return list
}

// measure asks git, and only for requirements that this hook would be held to.
func (gr *gateReader) measure(ctx context.Context, in *hook.Input, w hook.World, g *hook.Gates) {
	g.Sizes = map[string]gates.Size{}
	for _, q := range gr.measured(ctx, *in, w, g) {
		var err error
		if q.Type == gates.Dynamic {
			var size facts.Size
			size, err = inTime(ctx, gr.core, func(ctx context.Context) (facts.Size, error) {
				return gr.world.SizeOf(ctx, facts.SizeQuery{Worktree: g.Root, Branch: g.Branch, Base: q.Base, TTL: q.CacheTTL})
			})
			if err == nil {
				size.Base = gr.clean(size.Base)
				g.Sizes[q.Name] = gates.Size(size)
			}
		} else {
			g.Dirty, err = inTime(ctx, gr.core, func(ctx context.Context) (int, error) { return gr.world.Dirty(ctx, g.Root) })
		}
		if err == nil || errors.Is(err, facts.ErrNoBase) {
			continue
		}
		gr.log.Warn("measure for a gate", "requirement", q.Name, "err", err)
		p := events.GateConfigInvalid{Requirement: q.Name, Message: fmt.Sprintf("requirement '%s' lets everything pass for now: git did not answer", q.Name)}
		if errors.Is(err, facts.ErrUnknownBase) {
			p = events.GateConfigInvalid{File: q.File, Line: q.Line, Column: q.Column, Requirement: q.Name, Message: q.UnknownBase()}
		}
		in.Warnings = append(in.Warnings, gr.clean(p.Message))
		if gr.notices.isNews("gate "+p.Message, "") { // recorded once in a run of the daemon
			g.Problems = append(g.Problems, p)
		}
	}
}

// measured returns the requirements with a number or a condition that git knows, and that the hook is held
// to while nothing satisfies them.
func (gr *gateReader) measured(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) []gates.Requirement {
	var list []gates.Requirement
	if !slices.ContainsFunc(g.Rules.InOrder(), ofGit) {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.ToolRequested:
		list = slices.DeleteFunc(g.Rules.Match(e.ToolName, g.Sent(e.ToolInput)), func(q gates.Requirement) bool { return q.StopOnly })
	case *events.TurnStopped:
		if e.StopHookActive || gate.Working(e) || !g.Rules.Active() || !g.Rules.Hooks.VerifyRequirements {
			return nil
		}
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q gates.Requirement) bool {
			return !g.Rules.Hooks.Verifies(q)
		})
	case *events.SessionStarted:
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q gates.Requirement) bool { return q.Type == gates.Dynamic })
	}
	list = slices.DeleteFunc(list, func(q gates.Requirement) bool { return !ofGit(q) })
	if len(list) == 0 {
		return nil
	}
	_, stops := in.Event.(*events.TurnStopped)
	_ = gr.view.Read(ctx, func(r projector.Reader) error {
		s := hook.GatesAt(r, w.Project, g)
		list = slices.DeleteFunc(list, func(q gates.Requirement) bool {
			return s.Satisfied(q.Name, hook.ScopeOf(q), in.Session, in.Time) || stops && !s.Triggered(q.Name, q.Scope, in.Session)
		})
		return nil
	})
	return list
}

// headOf returns the commit that HEAD is at, where the hook is decided by that: a call that commits where a gate counts
// once, and the end of such a call. "" else.
func (gr *gateReader) headOf(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) string {
	asks := false
	if e, ok := in.Event.(*events.ToolRequested); ok {
		input := g.Sent(e.ToolInput)
		asks = slices.ContainsFunc(g.Rules.Match(e.ToolName, input), func(q gates.Requirement) bool { return q.Scope == gates.SingleUse })
		if asks {
			asks, _ = gates.Acts(e.ToolName, input)
		}
	} else {
		asks = readStates(ctx, gr.core, func(r projector.Reader) bool {
			s := hook.GatesAt(r, w.Project, g)
			return slices.ContainsFunc(s.InUse(in.Session), func(name string) bool { return s.Own(name, in.Session).Reserved.Head != "" })
		})
	}
	if !asks {
		return ""
	}

	head, err := inTime(ctx, gr.core, func(ctx context.Context) (string, error) { return gr.world.Head(ctx, g.Root) })
	if err != nil {
		gr.log.Warn("read HEAD for a gate", "err", err)
	}
	return head
}

// ofSession reads the gates of the work tree that a session is in, nothing measured; nil where it is on no branch.
func (gr *gateReader) ofSession(s session.State) *hook.Gates {
	g, _ := gr.at(gr.world.Place(cmp.Or(s.Cwd, s.Worktree)), s.Project)
	return g
}

// atStartOf reads the gates where a session works, with what their guards ask for, as a start of the session would now.
// Nil where none apply.
func (gr *gateReader) atStartOf(ctx context.Context, id string) *hook.Gates {
	s, _ := gr.session(ctx, id)
	g := gr.ofSession(s)
	if g == nil {
		return nil
	}

	now := gr.opts.Now()
	w := hook.World{Project: s.Project}
	w.Facts.PID, w.Facts.PIDStart = s.Process().PID, s.Process().Start
	start := &events.SessionStarted{}
	in := hook.Input{Call: hook.Call{Verb: hook.VerbHook, Hook: "SessionStart"}, Time: now, Session: id, Event: start, Hook: start}
	if asksForOthers(start, g.Rules) {
		g.Others = gr.others(ctx, in, w, g)
	}
	if len(gr.measured(ctx, in, w, g)) > 0 { // at a start that is the dirty tree alone
		g.Dirty, _ = inTime(ctx, gr.core, func(ctx context.Context) (int, error) { return gr.world.Dirty(ctx, g.Root) })
	}
	return g
}

// ofGit reports whether git is asked for a requirement.
func ofGit(q gates.Requirement) bool {
	return q.Type == gates.Dynamic || q.Type == gates.Guard && q.GuardType == gates.GuardDirtyTree
}

// measureWithin is the longest time that a hook waits for git; the measurement goes on and serves the next hook. It
// leaves a PreToolUse time to answer before its client gives up on the daemon (1.2 s).
const measureWithin = time.Second

// inTime returns the answer of ask, or an error when it takes longer than a hook may wait; ask goes on then.
func inTime[T any](ctx context.Context, c *core, ask func(context.Context) (T, error)) (none T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, measureWithin, fmt.Errorf("no answer within %s", measureWithin))
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	c.effects.Go(func() {
		v, err := ask(c.life)
		done <- answer{v, err}
	})

	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
