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
	"hookline/hookctl/hook"
	"hookline/hookctl/requirements"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/intake"
	"hookline/projector/session"
)

// The gates' way along the line: rules and measurements are read before the order of the log, the
// decision is made within it. Nothing here fails a hook: what cannot be read or measured closes no
// gate, is told once and is recorded.

// gated are the hooks that gates have something to do with.
func gated(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.PermissionRequested, *events.ToolSucceeded, *events.TurnStopped, *events.PromptSubmitted, *events.SessionStarted, *events.SessionEnded:
		return true
	}
	return false
}

// gatesOf reads and measures what the gates need for a frame, before it has a place in the log; nil
// where no gates are. They are those of the
// repository around the hook's working directory.
func (d *Daemon) gatesOf(ctx context.Context, f wire.Frame, in *hook.Input, w hook.World, found sights) (*hook.Gates, *looked) {
	here := found.here
	if in.Hook == nil || in.Call.Verb != hook.VerbHook || w.Project == "" || here.Branch == "" || here.Worktree == "" || !gated(in.Event) {
		return nil, nil
	}
	home, _ := os.UserHomeDir()
	root := filepath.Clean(here.Worktree)
	l := d.gates.of(requirements.Options{Home: home, Root: root, Main: here.Main()}, d.opts.Now())
	g := &hook.Gates{Rules: l.rules, Project: w.Project, Branch: d.clean(here.Branch), Root: root, Dir: d.clean(here.Worktree), Adopted: l.adopted,
		Skip: f.Env["CLAUDE_SKIP_REQUIREMENTS"] != "", Late: w.Facts.Spooled}
	if l.rules.ProjectFile == "" {
		return g, nil
	}

	var seen *looked
	if found.apart {
		g.Project, seen = d.project(ctx, here)
	}
	g.Input = rawInput(f, *in)
	if text := troubleWith(l.rules); text != "" {
		in.Warnings = append(in.Warnings, d.clean(text))
	}
	if !g.Skip && !g.Late {
		d.measure(ctx, in, w, g)
	}
	return g, seen
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
func troubleWith(r requirements.Rules) string {
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

// gatesAt reads the gates of a branch, with what is known of the session's project. The state is valid until the next
// fold.
func gatesAt(r projector.Reader, project string, g *hook.Gates) gate.State {
	branch, _ := projector.State[gate.State](r, gate.Name, gate.Key(g.Project, g.Branch))
	own, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(project))
	if g.Project != project {
		there, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(g.Project))
		own.Deleted = slices.Concat(own.Deleted, there.Deleted)
		own.Retracted = slices.Concat(own.Retracted, there.Retracted)
	}
	return gate.At(branch, own)
}

// judgeGates decides on a frame. The caller holds the order of the log.
func (d *Daemon) judgeGates(ctx context.Context, in hook.Input, w hook.World, s session.State) hook.Verdict {
	if w.Gates == nil {
		return hook.Verdict{}
	}
	p := hook.GatesPast{Session: s}
	err := d.view.Read(ctx, func(r projector.Reader) error {
		p.State = gatesAt(r, w.Project, w.Gates)
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
		w.Gates.Problems = append(d.gates.news(w.Gates.Root), w.Gates.Problems...)
	}
	for i := range w.Gates.Problems { // a message may quote the file
		e := &w.Gates.Problems[i]
		e.File, e.Requirement, e.Message = d.clean(e.File), d.clean(e.Requirement), d.clean(e.Message)
	}
	v := hook.Judge(in, w.Gates, p)
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
	for _, s := range projector.Find[session.State](r, session.Name, session.AliveIn(w.Gates.Project)) {
		id, p := s.ID, s.Process()
		if id == in.Session || s.Worktree != w.Gates.Dir || p == own && own.PID != 0 {
			continue
		}
		if p.PID != 0 && !facts.SameProcess(p.PID, p.Start) {
			continue // it will be reaped
		}
		list = append(list, requirements.Other{Session: id, Branch: s.Branch, Ago: max(0, in.Time.Sub(s.LastActive))})
	}
	slices.SortFunc(list, func(a, b requirements.Other) int {
		return cmp.Or(cmp.Compare(a.Ago, b.Ago), cmp.Compare(a.Session, b.Session))
	})
	return list
}

// decisionOf bounds how far behind a hook's event its decision is looked for.
const decisionOf = 64

// verdictAgain is the refusal that was decided with the record of a hook, for one that comes again: a client that
// asks twice on a busy machine must not be let through the second time.
func (d *Daemon) verdictAgain(ctx context.Context, in hook.Input, w hook.World, first intake.Entry) hook.Verdict {
	if w.Gates == nil || !refusable(in.Event) {
		return hook.Verdict{}
	}
	for next := first.Seq + 1; next < first.Seq+decisionOf; next++ {
		rec, err := d.stream.Get(ctx, next)
		if err != nil || rec.Causation != first.ID {
			return hook.Verdict{}
		}
		switch rec.Event.(type) {
		case *events.GateBlocked, *events.GateStopBlocked, *events.PermissionAutoDenied:
			return hook.Repeat(in, w.Gates, rec.Event)
		}
	}
	return hook.Verdict{}
}

// refusable tells whether gates can refuse what a hook announces.
func refusable(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.PermissionRequested, *events.TurnStopped:
		return true
	}
	return false
}
