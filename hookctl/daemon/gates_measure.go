package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/gate"
)

// measure asks git, and only for requirements that this hook would be held to.
func (d *Daemon) measure(ctx context.Context, in *hook.Input, w hook.World, g *hook.Gates) {
	for _, q := range d.measured(ctx, *in, w, g) {
		var err error
		if q.Type == gates.Dynamic {
			err = d.measureSize(ctx, g, q)
		} else {
			g.Dirty, err = inTime(ctx, d, func(ctx context.Context) (int, error) { return d.gates.sizes.Dirty(ctx, g.Root) })
		}
		if err == nil {
			continue
		}
		d.log.Warn("measure for a gate", "requirement", q.Name, "err", err)
		p := events.GateConfigInvalid{Requirement: q.Name, Message: fmt.Sprintf("requirement '%s' lets everything pass for now: git did not answer", q.Name)}
		if errors.Is(err, facts.ErrUnknownBase) {
			p = events.GateConfigInvalid{File: q.File, Line: q.Line, Column: q.Column, Requirement: q.Name, Message: q.UnknownBase()}
		}
		in.Warnings = append(in.Warnings, d.clean(p.Message))
		if d.notices.once("gate " + p.Message) { // recorded once in a run of the daemon
			g.Problems = append(g.Problems, p)
		}
	}
}

// measured are the requirements with a number or a condition that git knows, and that the hook is held
// to while nothing satisfies them.
func (d *Daemon) measured(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) []gates.Requirement {
	var list []gates.Requirement
	if !asksGit(g.Rules) {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.ToolRequested:
		for _, h := range g.Rules.Match(e.ToolName, inputOf(g, e.ToolInput)) {
			if !h.Requirement.StopOnly {
				list = append(list, h.Requirement)
			}
		}
	case *events.TurnStopped:
		if e.StopHookActive || gate.Working(e) || !g.Rules.Active() || !g.Rules.Hooks.Stop.VerifyRequirements {
			return nil
		}
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q gates.Requirement) bool {
			return !g.Rules.Hooks.Stop.Verifies(q)
		})
	case *events.SessionStarted:
		list = slices.DeleteFunc(g.Rules.InOrder(), func(q gates.Requirement) bool { return q.Type == gates.Dynamic })
	}
	list = slices.DeleteFunc(list, func(q gates.Requirement) bool { return !ofGit(q) })
	if len(list) == 0 {
		return nil
	}
	_, stops := in.Event.(*events.TurnStopped)
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s := hook.GatesAt(r, w.Project, g)
		list = slices.DeleteFunc(list, func(q gates.Requirement) bool {
			return s.Satisfied(q.Name, hook.ScopeOf(q), in.Session, in.Time) || stops && !s.Triggered(q.Name, string(q.Scope), in.Session)
		})
		return nil
	})
	return list
}

// inputOf is a call's input as it was sent, where it is not as the event has it.
func inputOf(g *hook.Gates, redacted json.RawMessage) json.RawMessage {
	if len(g.Input) > 0 {
		return g.Input
	}
	return redacted
}

// headOf is the commit that HEAD is at, where the hook is decided by that; "" else.
func (d *Daemon) headOf(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) string {
	if !d.asksHead(ctx, in, w, g) {
		return ""
	}
	head, err := inTime(ctx, d, func(ctx context.Context) (string, error) { return d.gates.sizes.Head(ctx, g.Root) })
	if err != nil {
		d.log.Warn("read HEAD for a gate", "err", err)
	}
	return head
}

// asksHead tells whether a hook is decided by where HEAD is: a call that commits behind a gate that counts once, and the
// end of such a call.
func (d *Daemon) asksHead(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) bool {
	if e, ok := in.Event.(*events.ToolRequested); ok {
		input := inputOf(g, e.ToolInput)
		if !slices.ContainsFunc(g.Rules.Match(e.ToolName, input), func(h gates.Hit) bool { return h.Requirement.Scope == gates.SingleUse }) {
			return false
		}
		commits, _ := gates.Acts(e.ToolName, input)
		return commits
	}
	return seen(ctx, d, func(r projector.Reader) bool {
		s := hook.GatesAt(r, w.Project, g)
		return slices.ContainsFunc(s.InUse(in.Session), func(name string) bool { return s.Own(name, in.Session).Reserved.Head != "" })
	})
}

// ofGit tells the requirements that git is asked for.
func ofGit(q gates.Requirement) bool {
	return q.Type == gates.Dynamic || q.Type == gates.Guard && q.GuardType == gates.GuardDirtyTree
}

func asksGit(r gates.Rules) bool {
	for _, q := range r.ByName {
		if q.Enabled && ofGit(q) {
			return true
		}
	}
	return false
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

func (d *Daemon) measureSize(ctx context.Context, g *hook.Gates, q gates.Requirement) error {
	size, err := inTime(ctx, d, func(ctx context.Context) (facts.Size, error) {
		return d.gates.sizes.Of(ctx, facts.SizeQuery{Worktree: g.Root, Branch: g.Branch, Base: q.Base, TTL: q.CacheTTL})
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
	g.Sizes[q.Name] = hook.BranchSize{Committed: gates.Changed(size.Committed), Staged: gates.Changed(size.Staged),
		Unstaged: gates.Changed(size.Unstaged), Base: d.clean(size.Base)}
	return nil
}
