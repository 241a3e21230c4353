package gates

import (
	"fmt"
	"path/filepath"
	"slices"
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

// CLI words `hookctl req status`.
type CLI struct {
	Branch, Session string
	Named           bool // the session was given with --session: commands that are printed give it too
	Invalid         int  // parts of the configuration that are left out
}

// command is one to be typed next.
func (c CLI) command(words string) string {
	if c.Named && c.Session != "" {
		return inSession(words, c.Session)
	}
	return program + " " + words
}

// leftOut counts what is wrong with the configuration.
func leftOut(n int) string {
	if n == 1 {
		return "⚠️  1 part of the configuration is left out"
	}
	return fmt.Sprintf("⚠️  %d parts of the configuration are left out", n)
}

// Unknown is the error of a name that no file defines.
func (r Rules) Unknown(name string) string {
	text := fmt.Sprintf("❌ Unknown requirement: '%s'", name)
	if near := problem.Nearest(name, r.Order); near != "" {
		text += fmt.Sprintf("\nDid you mean '%s'?", near)
	}
	return text
}

// Focused is `req status`: what is missing. A gate that is Satisfied is left out.
func (c CLI) Focused(gates []Gate) string {
	var open, dynamic, all []string
	for _, g := range gates {
		q := g.Requirement
		switch {
		case g.Satisfied:
			continue
		case q.Type == Dynamic:
			dynamic = append(dynamic, "  • "+q.Name+" (needs approval after calculation)")
			continue
		}
		open = append(open, fmt.Sprintf("  • %s (%s scope)", q.Name, q.Scope), "    → "+c.command("satisfy "+shellWord(q.Name)))
		all = append(all, shellWord(q.Name))
	}
	parts := []string{StatusHead + "\n\nBranch: " + c.Branch}
	if len(open) > 0 {
		parts = append(parts, "❌ Unsatisfied Requirements:"+"\n"+strings.Join(open, "\n"))
	}
	if len(dynamic) > 0 {
		parts = append(parts, "⚠️  Dynamic Requirements (not yet approved):"+"\n"+strings.Join(dynamic, "\n"))
	}
	switch {
	case len(all) > 0:
		parts = append(parts, "💡 Satisfy all: "+c.command("satisfy "+strings.Join(all, " ")))
	case c.Invalid > 0 && len(dynamic) == 0:
		parts = append(parts, NothingOpen)
	case len(dynamic) == 0:
		parts = append(parts, AllSatisfied)
	}
	return strings.Join(parts, "\n\n")
}

// Summary is `req status --summary`: one line. Dynamic requirements count as satisfied.
func (r Rules) Summary(gates []Gate) string {
	if !r.Enabled {
		return "Requirements framework disabled"
	}
	invalid := len(r.Invalid())
	if len(gates) == 0 && invalid > 0 {
		return leftOut(invalid) + ", no requirement is asked for"
	}
	if len(gates) == 0 {
		return "No requirements configured"
	}
	var open []string
	for _, g := range gates {
		if !g.Satisfied && g.Requirement.Type != Dynamic {
			open = append(open, g.Requirement.Name)
		}
	}
	switch {
	case invalid > 0:
		text := leftOut(invalid) + fmt.Sprintf("; %d/%d requirements satisfied", len(gates)-len(open), len(gates))
		if len(open) > 0 {
			text += " (" + strings.Join(open, ", ") + " needed)"
		}
		return text
	case len(open) == 0:
		return fmt.Sprintf("✅ All %d requirements satisfied", len(gates))
	}
	return fmt.Sprintf("⚠️  %d/%d requirements satisfied (%s needed)", len(gates)-len(open), len(gates), strings.Join(open, ", "))
}

// Failed is what `req status` says of an invalid configuration; "" when it is valid. Each message has its place and,
// below it, what to do. most bounds how many are told; 0 tells all.
func (r Rules) Failed(most int) string {
	list := r.Invalid()
	if len(list) == 0 {
		return ""
	}
	left := 0
	if most > 0 && len(list) > most {
		left, list = len(list)-most, list[:most]
	}
	text := "⚠️  Configuration validation failed:"
	for _, p := range list {
		text += "\n   - " + p.Message
		if p.File != "" {
			text += "\n     at " + p.place()
		}
		if p.Hint != "" {
			text += "\n     hint: " + p.Hint
		}
	}
	if left > 0 {
		text += fmt.Sprintf("\n   … and %d more: `%s validate`", left, program)
	}
	return text + "\nFix " + strings.Join(r.faulty(), ", ") + " and rerun `" + program + " status`."
}

// faulty are the files with something that is left out, as people name them.
func (r Rules) faulty() []string {
	var list []string
	for _, p := range r.Invalid() {
		name := p.File
		if rest, ok := strings.CutPrefix(name, r.root+string(filepath.Separator)); ok && r.root != "" {
			name = rest
		} else if rest, ok := strings.CutPrefix(name, r.home+string(filepath.Separator)); ok && r.home != "" {
			name = "~" + string(filepath.Separator) + rest
		}
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// SessionRow is one line pair of `req sessions`.
func SessionRow(o Other, dir string, pid int) string {
	when := ago(o.Ago)
	if o.Ago >= 0 && o.Ago < time.Minute {
		when = "just now"
	}
	return fmt.Sprintf("  %s - %s\n    %s [PID %d, %s]", events.Alias(o.Session), dir, o.Branch, pid, when)
}
