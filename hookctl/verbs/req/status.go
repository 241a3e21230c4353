package req

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/gate"
)

func statusCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Records, command.Text{
		Use:   "status",
		Short: "Show what is open, and who satisfied what, when, by which event",
		Example: "  hookctl req status\n" +
			"  hookctl req status --summary\n" +
			"  hookctl req status --json | jq '.gates[] | select(.satisfied | not) | .name'",
	}, &statusVerb{})
}

type statusVerb struct {
	flags
	Verbose bool `flag:"verbose,v" help:"also sessions, measurements and the configuration's problems"`
	Summary bool `help:"one line"`
}

func (f *statusVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	d, err := deskOn(ctx, e, f.Branch)
	if err != nil {
		return err
	}
	if words := !e.JSON && !f.Summary; words && (d.rules.ProjectFile == "" || !d.rules.Enabled) {
		why := "⚠️  Requirements framework disabled"
		if d.rules.ProjectFile == "" {
			why = noRequirements
		}
		say(e, why)
		return nil
	}
	id, explicit, err := d.find(ctx, f.Session)
	if errors.Is(err, errNoSession) {
		id, err = "", nil
		say(e, noSession)
	}
	if err != nil {
		return err
	}
	board := d.board(ctx, id)
	switch {
	case e.JSON:
		err = e.PrintJSON(d.statusJSON(ctx, id, board, f.Verbose))
	case f.Summary:
		e.Printf("%s\n", d.summary(board))
	default:
		named := ""
		if explicit {
			named = id
		}
		e.Printf("%s\n", d.focused(named, board))
		if f.Verbose {
			d.verbose(ctx, id, board)
		}
		d.table(id, board)
		d.problems(ctx, f.Verbose)
	}
	return err
}

// focused returns what is missing. The commands in it name the session, if one is given.
func (d *desk) focused(session string, board []gates.Gate) string {
	var open, dynamic, all []string
	for _, g := range board {
		q := g.Requirement
		switch {
		case g.Satisfied:
		case q.Type == gates.Dynamic:
			dynamic = append(dynamic, "  • "+q.Name+" (needs approval after calculation)")
		default:
			open = append(open, fmt.Sprintf("  • %s (%s scope)", q.Name, q.Scope), "    → "+gates.SatisfyCommand(session, q.Name))
			all = append(all, q.Name)
		}
	}

	parts := []string{"📋 Requirements Status\n\nBranch: " + d.branch}
	if len(open) > 0 {
		parts = append(parts, "❌ Unsatisfied Requirements:\n"+strings.Join(open, "\n"))
	}
	if len(dynamic) > 0 {
		parts = append(parts, "⚠️  Dynamic Requirements (not yet approved):\n"+strings.Join(dynamic, "\n"))
	}
	switch {
	case len(all) > 0:
		parts = append(parts, "💡 Satisfy all: "+gates.SatisfyCommand(session, all...))
	case len(dynamic) > 0:
	case len(d.rules.Invalid()) > 0:
		parts = append(parts, gates.NothingOpen)
	default:
		parts = append(parts, gates.AllSatisfied)
	}
	return strings.Join(parts, "\n\n")
}

// summary returns the status in one line. Dynamic requirements count as satisfied.
func (d *desk) summary(board []gates.Gate) string {
	text := ""
	invalid := len(d.rules.Invalid())
	if invalid > 0 {
		text = gates.LeftOut(invalid) + "; "
	}
	switch {
	case !d.rules.Enabled:
		return "Requirements framework disabled"
	case len(board) == 0:
		return text + "No requirements configured"
	}

	var open []string
	for _, g := range board {
		if !g.Satisfied && g.Requirement.Type != gates.Dynamic {
			open = append(open, g.Requirement.Name)
		}
	}
	if len(open) > 0 {
		return text + fmt.Sprintf("⚠️  %d/%d requirements satisfied (%s needed)", len(board)-len(open), len(board), strings.Join(open, ", "))
	}
	if invalid > 0 {
		return text + fmt.Sprintf("%d/%d requirements satisfied", len(board), len(board))
	}
	return fmt.Sprintf("✅ All %d requirements satisfied", len(board))
}

// GateStatus is one requirement as `req status --json` prints it.
type GateStatus struct {
	Name      string   `json:"name" jsonschema_description:"of the requirement"`
	Type      string   `json:"type" jsonschema_description:"blocking, dynamic or guard"`
	Scope     string   `json:"scope" jsonschema_description:"session, branch, permanent or single_use"`
	Satisfied bool     `json:"satisfied" jsonschema_description:"it holds nothing up"`
	Note      string   `json:"note,omitempty" jsonschema_description:"why, where that is no satisfaction"`
	Triggered bool     `json:"triggered" jsonschema_description:"a call has asked for it"`
	By        string   `json:"by,omitempty" jsonschema_description:"who satisfied it: skill, cli, cli_bypass, approval, …"`
	Through   string   `json:"skill,omitempty" jsonschema_description:"which, where by is skill"`
	Level     string   `json:"level,omitempty" jsonschema_description:"session or branch"`
	At        string   `json:"at,omitempty" jsonschema:"format=date-time" jsonschema_description:"when it was satisfied"`
	ExpiresAt string   `json:"expires_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"until when that holds; absent: no end"`
	Event     string   `json:"event,omitempty" jsonschema_description:"id of the event that says so"`
	Value     *float64 `json:"value,omitempty" jsonschema_description:"measured now; only of type dynamic, with --verbose"`
	Summary   string   `json:"summary,omitempty" jsonschema_description:"of what was measured, in words"`
	Base      string   `json:"base,omitempty" jsonschema_description:"ref that it was measured from"`
}

// statusJSON is what `req status --json` prints.
type statusJSON struct {
	Project    string          `json:"project" jsonschema_description:"id"`
	Worktree   string          `json:"worktree" jsonschema_description:"where it was asked"`
	Branch     string          `json:"branch" jsonschema_description:"of the state"`
	Session    string          `json:"session" jsonschema_description:"whole id; empty where none is meant"`
	Configured bool            `json:"configured" jsonschema_description:"the repository has a file"`
	Enabled    bool            `json:"enabled" jsonschema_description:"gates are switched on there"`
	Gates      []GateStatus    `json:"gates" jsonschema_description:"in the order of the file"`
	Problems   []gates.Problem `json:"problems" jsonschema_description:"of the configuration"`
}

func (d *desk) statusJSON(ctx context.Context, id string, board []gates.Gate, measure bool) statusJSON {
	out := statusJSON{Project: d.project, Worktree: d.place.Worktree, Branch: d.branch, Session: id, Configured: d.rules.ProjectFile != "",
		Enabled: d.rules.Enabled, Gates: []GateStatus{}, Problems: append([]gates.Problem{}, d.rules.Problems...)}
	out.Problems = append(out.Problems, d.unknownBases(ctx)...)
	for _, g := range board {
		s := d.gateStatus(id, g)
		if measure && g.Requirement.Type == gates.Dynamic {
			if size, err := d.size(ctx, g.Requirement); err == nil {
				s.Base = size.Base
				value, summary := gates.Size(size).Value()
				s.Value, s.Summary = &value, summary
			}
		}
		out.Gates = append(out.Gates, s)
	}
	return out
}

func (d *desk) gateStatus(id string, g gates.Gate) GateStatus {
	q := g.Requirement
	s := GateStatus{Name: q.Name, Type: q.Type, Scope: q.Scope, Satisfied: g.Satisfied, Note: g.Note,
		Triggered: d.state.Triggered(q.Name, q.Scope, id)}
	if m, ok := d.state.Satisfaction(q.Name, hook.ScopeOf(q), id, d.Now()); ok {
		s.By, s.Through, s.Event, s.Level = m.By, m.Skill, m.Event, d.level(q.Name, m)
		s.At, s.ExpiresAt = show.RFC(m.At), show.RFC(m.Expires)
	}
	return s
}

// level reports whether a satisfaction is the branch's.
func (d *desk) level(name string, m gate.Mark) string {
	if b := d.state.Gates[name].Branch.Satisfied; b != nil && b.Event == m.Event && b.At.Equal(m.At) {
		return "branch"
	}
	return "session"
}

// table prints who satisfied what, when, by which event.
func (d *desk) table(id string, board []gates.Gate) {
	t := d.Table("", "REQUIREMENT", "SCOPE", "BY", "WHEN", "EVENT")
	t.Drop = []string{"EVENT"}
	for _, g := range board {
		s := d.gateStatus(id, g)
		mark, by, when := "⬜", s.Note, ""
		if s.Satisfied {
			mark = "✅"
		}
		if m, ok := d.state.Satisfaction(s.Name, hook.ScopeOf(g.Requirement), id, d.Now()); ok {
			by, when = who(m), show.Stamp(d.Env, m.At)
			if s.Level == "branch" {
				by += ", for the branch"
			}
		} else if s.Triggered && !s.Satisfied {
			by = "triggered"
		}
		t.Row(mark, s.Name, s.Scope, show.OrDash(by), show.OrDash(when), show.OrDash(s.Event))
	}
	if len(t.Rows) > 0 {
		d.Printf("\n")
		t.Print()
	}
}

// who satisfied it: "skill: arch-review", `cli`, `approval`.
func who(m gate.Mark) string { return show.Join(" ", m.By, m.Skill) }

// verbose prints whose status it is, and what the dynamic requirements measure now.
func (d *desk) verbose(ctx context.Context, id string, board []gates.Gate) {
	d.Printf("\nSession: %s\nProject: %s\n", show.OrDash(cmdline.OneLine(events.Alias(id))), cmdline.OneLine(d.place.Worktree))
	head := "\n📊 Dynamic Requirements:\n"
	for _, g := range board {
		q := g.Requirement
		if q.Type != gates.Dynamic {
			continue
		}
		d.Printf("%s", head)
		head = ""
		size, err := d.size(ctx, q)
		if err != nil {
			d.Printf("  %s: Not applicable (skipped)\n", q.Name)
			continue
		}
		value, summary := gates.Size(size).Value()
		d.Printf("  %s: %.0f changes (limit %g)\n     %s\n     Base: %s\n", q.Name, value, q.Thresholds.Block, summary, size.Base)
	}
}

func (d *desk) size(ctx context.Context, q gates.Requirement) (facts.Size, error) {
	return d.World.SizeOf(ctx, facts.SizeQuery{Worktree: d.place.Worktree, Branch: d.branch, Base: q.Base})
}

// problems prints what is wrong with the configuration and what has no effect; in full also what is known and not acted
// on.
func (d *desk) problems(ctx context.Context, full bool) {
	if list := d.rules.Invalid(); len(list) > 0 {
		d.Printf("\n⚠️  Configuration validation failed:\n")
		for _, p := range list {
			d.Printf("   - %s\n", p.Error())
		}
		d.Printf("Fix %s and rerun `hookctl req status`.\n", list[0].File)
	}
	odd := slices.DeleteFunc(append(slices.Clone(d.rules.Problems), d.unknownBases(ctx)...), func(p gates.Problem) bool { return !p.Warning })
	if full {
		odd = append(odd, d.rules.Notes...)
	}
	if len(odd) > 0 {
		d.Printf("\n⚠️  Worth a look:\n")
	}
	for _, p := range odd {
		d.Printf("   - %s\n", cmdline.OneLine(p.Error()))
	}
}

// unknownBases names the dynamic requirements that are measured from a ref which git does not have here. That is
// a fact about this clone: the configuration may be right.
func (d *desk) unknownBases(ctx context.Context) []gates.Problem {
	var list []gates.Problem
	for _, q := range d.rules.InOrder() {
		if q.Type == gates.Dynamic && q.Base != "" && errors.Is(d.World.Exists(ctx, d.place.Worktree, q.Base), facts.ErrUnknownBase) {
			list = append(list, gates.Problem{File: q.File, Line: q.Line, Column: q.Column, Requirement: q.Name, Message: q.UnknownBase(),
				Hint: "fetch it, or correct the name", Warning: true})
		}
	}
	return list
}
