package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// The gates' way along the line: rules and measurements are read before the order of the log, the
// decision is made within it. Nothing here fails a hook: what cannot be read or measured closes no
// gate, is told once and is recorded.

// gated are the hooks that gates have something to do with.
func gated(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.PermissionRequested, *events.ToolSucceeded, *events.ToolFailed,
		*events.ToolBatchFinished, *events.TurnStopped, *events.PromptSubmitted, *events.SessionStarted, *events.SessionEnded:
		return true
	}
	return false
}

// gatesOf reads and measures what the gates need for a frame, before it has a place in the log: those of the repository
// around the hook's working directory, which may be apart from the session's. Nil where no gates are.
func (d *Daemon) gatesOf(ctx context.Context, f wire.Frame, in *hook.Input, w hook.World, here facts.Place, apart bool) *hook.Gates {
	if in.Hook == nil || in.Call.Verb != hook.VerbHook || w.Project == "" || here.Branch == "" || here.Worktree == "" || !gated(in.Event) {
		return nil
	}
	home, _ := os.UserHomeDir()
	root := filepath.Clean(here.Worktree)
	l := d.gates.of(gates.Options{Home: home, Root: root, Main: here.Main()}, d.opts.Now())
	g := &hook.Gates{Rules: l.rules, Project: w.Project, Branch: d.clean(here.Branch), Root: root, Dir: d.clean(here.Worktree), WasOn: l.wasOn, Adopted: l.adopted,
		Skip: f.Env["CLAUDE_SKIP_REQUIREMENTS"] != "", Late: w.Facts.Spooled}
	if l.rules.ProjectFile == "" && apart {
		return nil // that repository's project is not looked up for nothing
	}
	if l.rules.ProjectFile == "" {
		return g
	}

	if apart {
		g.Project, g.Seen = d.project(ctx, here)
	}
	g.Input = rawInput(f, *in)
	if text := troubleWith(l.rules); text != "" {
		in.Warnings = append(in.Warnings, d.clean(text))
	}
	if asksForOthers(in.Event, g.Rules) {
		g.Others = d.others(ctx, *in, w, g)
	}
	g.Problems = d.gates.news(root)
	g.Head = d.headOf(ctx, *in, w, g)
	if !g.Skip && !g.Late {
		d.measure(ctx, in, w, g)
	}
	for i := range g.Problems { // a message may quote the file
		e := &g.Problems[i]
		e.File, e.Requirement, e.Message = d.clean(e.File), d.clean(e.Requirement), d.clean(e.Message)
	}
	return g
}

// rawInput is a tool call's input before it was redacted and cut, where it was either.
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

// troubleWith tells the user of a configuration that is not as it was meant: of what is left out, else of keys
// that have no effect, and how many there are.
func troubleWith(r gates.Rules) string {
	list := r.Invalid()
	if len(list) == 0 {
		list = r.Problems
	}
	if len(list) == 0 {
		return ""
	}
	p := list[0]
	text := "requirements: " + p.Error()
	switch {
	case !p.Warning && p.Requirement != "":
		text += "; what it concerns is off, everything passes there"
	case p.Hint != "": // a setting has its default, an unknown key a likely name; validate lists the others
		hint, _, asks := strings.Cut(p.Hint, "? ")
		if text += "; " + hint; asks {
			text += "?"
		}
	case !p.Warning:
		text += "; what it concerns is off, everything passes there"
	}
	if n := len(r.Problems); n > 1 {
		text += fmt.Sprintf(" (%d problems: hookctl req validate)", n)
	}
	return text
}

// asksForOthers tells whether the other sessions of the project matter to a frame.
func asksForOthers(e events.Event, rules gates.Rules) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.TurnStopped, *events.SessionStarted, *events.PromptSubmitted:
	default:
		return false
	}
	return rules.Active() && slices.ContainsFunc(rules.InOrder(), func(q gates.Requirement) bool { return q.GuardType == gates.GuardSingleSession })
}

// others are the live sessions in the same work tree: sessions in another tree of the project do not disturb each other.
// A session of the same process is this one under its former id.
func (d *Daemon) others(ctx context.Context, in hook.Input, w hook.World, g *hook.Gates) []gates.Other {
	own := session.Process{PID: w.Facts.PID, Start: w.Facts.PIDStart}
	var list []gates.Other
	for _, s := range d.sessionsBy(ctx, session.AliveIn(g.Project)) {
		id, p := s.ID, s.Process()
		if id == in.Session || s.Worktree != g.Dir || p == own && own.PID != 0 {
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
