package gates

import (
	"fmt"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
)

// Texts of `hookctl req` that several of its verbs or the status of a session have, as the framework's users know them.
const (
	NotGit         = "❌ Not in a git repository"
	NoRequirements = "ℹ️  No requirements configured for this project."
	NoSession      = "⚠️  No Claude Code session detected"
	AllSatisfied   = "✅ All requirements satisfied"
	NothingOpen    = "⚠️  Nothing is open among the requirements that can be read"
	StatusHead     = "📋 Requirements Status"
)

// leftOut counts what is wrong with the configuration.
func leftOut(n int) string {
	return fmt.Sprintf("⚠️  %d part(s) of the configuration left out", n)
}

// Unknown is the error of a name that no file defines.
func (r Rules) Unknown(name string) string {
	text := fmt.Sprintf("❌ Unknown requirement: '%s'", name)
	if near := problem.Nearest(name, r.Order); near != "" {
		text += fmt.Sprintf("\nDid you mean '%s'?", near)
	}
	return text
}

// Focused returns `req status`: what is missing on a branch. The commands in it name the session, if one is given.
func (r Rules) Focused(branch, session string, gates []Gate) string {
	var open, dynamic, all []string
	for _, g := range gates {
		q := g.Requirement
		switch {
		case g.Satisfied:
		case q.Type == Dynamic:
			dynamic = append(dynamic, "  • "+q.Name+" (needs approval after calculation)")
		default:
			open = append(open, fmt.Sprintf("  • %s (%s scope)", q.Name, q.Scope), "    → "+satisfyCommand(session, q.Name))
			all = append(all, q.Name)
		}
	}

	parts := []string{StatusHead + "\n\nBranch: " + branch}
	if len(open) > 0 {
		parts = append(parts, "❌ Unsatisfied Requirements:\n"+strings.Join(open, "\n"))
	}
	if len(dynamic) > 0 {
		parts = append(parts, "⚠️  Dynamic Requirements (not yet approved):\n"+strings.Join(dynamic, "\n"))
	}
	switch {
	case len(all) > 0:
		parts = append(parts, "💡 Satisfy all: "+satisfyCommand(session, all...))
	case len(dynamic) > 0:
	case len(r.Invalid()) > 0:
		parts = append(parts, NothingOpen)
	default:
		parts = append(parts, AllSatisfied)
	}
	return strings.Join(parts, "\n\n")
}

// Summary returns `req status --summary`: one line. Dynamic requirements count as satisfied.
func (r Rules) Summary(gates []Gate) string {
	text := ""
	invalid := len(r.Invalid())
	if invalid > 0 {
		text = leftOut(invalid) + "; "
	}
	switch {
	case !r.Enabled:
		return "Requirements framework disabled"
	case len(gates) == 0:
		return text + "No requirements configured"
	}

	var open []string
	for _, g := range gates {
		if !g.Satisfied && g.Requirement.Type != Dynamic {
			open = append(open, g.Requirement.Name)
		}
	}
	if len(open) > 0 {
		return text + fmt.Sprintf("⚠️  %d/%d requirements satisfied (%s needed)", len(gates)-len(open), len(gates), strings.Join(open, ", "))
	}
	if invalid > 0 {
		return text + fmt.Sprintf("%d/%d requirements satisfied", len(gates), len(gates))
	}
	return fmt.Sprintf("✅ All %d requirements satisfied", len(gates))
}

// Failed returns what `req status` says of an invalid configuration; "" when it is valid.
func (r Rules) Failed() string {
	list := r.Invalid()
	if len(list) == 0 {
		return ""
	}
	text := "⚠️  Configuration validation failed:"
	for _, p := range list {
		text += "\n   - " + p.Error()
	}
	return text + "\nFix " + list[0].File + " and rerun `" + program + " status`."
}

// SessionRow is one line pair of `req sessions`.
func SessionRow(o Other, dir string, pid int) string {
	when := ago(o.Ago)
	if o.Ago >= 0 && o.Ago < time.Minute {
		when = "just now"
	}
	return fmt.Sprintf("  %s - %s\n    %s [PID %d, %s]", events.Alias(o.Session), dir, o.Branch, pid, when)
}
