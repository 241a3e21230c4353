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

// Fixed texts of `hookctl req`, as the framework's users know them.
const (
	NotGit             = "❌ Not in a git repository"
	Detached           = "❌ Not on a branch (detached HEAD?)"
	NoRequirements     = "ℹ️  No requirements configured for this project."
	Disabled           = "⚠️  Requirements framework disabled"
	NoSession          = "⚠️  No Claude Code session detected"
	NoSessionHint      = "   Only what holds for the whole branch counts; --session ID names one, `hookctl req sessions` lists them."
	NoTrackedBranches  = "ℹ️  No tracked branches in this project."
	NoActiveSessions   = "ℹ️  No active Claude Code sessions found."
	BadMetadata        = "❌ Invalid JSON metadata"
	ClearWhat          = "❌ Specify requirement name or use --all"
	AllSatisfied       = "✅ All requirements satisfied"
	NothingOpen        = "⚠️  Nothing is open among the requirements that can be read"
	SessionNone        = "❌ No active Claude Code session found!"
	SessionsNone       = "❌ No active Claude Code sessions in registry!"
	SessionNotThisOne  = "❌ No Claude Code session found for this shell!"
	StatusHead         = "📋 Requirements Status"
	UnsatisfiedHead    = "❌ Unsatisfied Requirements:"
	NotYetApprovedHead = "⚠️  Dynamic Requirements (not yet approved):"
	BlockingHead       = "📌 Blocking Requirements:"
	DynamicHead        = "📊 Dynamic Requirements:"
	Pruning            = "🧹 Cleaning up stale state files..."
)

// CLI words what `hookctl req` did on a branch.
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

// Satisfied tells of one requirement.
func (c CLI) Satisfied(name string, scope Scope) string {
	return fmt.Sprintf("✅ Satisfied '%s' for %s (%s scope)", name, c.Branch, scope)
}

// SatisfiedAll tells of several.
func (c CLI) SatisfiedAll(list []Requirement) string {
	text := fmt.Sprintf("✅ Satisfied %d requirement(s) for %s", len(list), c.Branch)
	for _, q := range list {
		text += fmt.Sprintf("\n   - %s (%s scope)", q.Name, q.Scope)
	}
	return text
}

// Approved tells of a dynamic requirement.
func (c CLI) Approved(q Requirement) string {
	return fmt.Sprintf("✅ Approved '%s' for %s\n   Duration: %s (session scope)\n   Session: %s", q.Name, c.Branch, minutes(q.ApprovalTTL), events.Alias(c.Session))
}

// minutes is 60m 0s.
func minutes(d time.Duration) string {
	return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
}

// AtBranchLevel tells of a satisfaction for all sessions.
func (c CLI) AtBranchLevel(names ...string) string {
	text := "🌿 Using branch-level satisfaction for: " + c.Branch + "\n"
	if len(names) == 1 {
		text += fmt.Sprintf("✅ Satisfied '%s' at branch level for %s", names[0], c.Branch)
	} else {
		text += fmt.Sprintf("✅ Satisfied %d requirement(s) at branch level for %s", len(names), c.Branch)
	}
	return text + "\n   ℹ️  All current and future sessions on this branch are now satisfied"
}

// Using says how the session was found.
func (c CLI) Using(explicit bool) string {
	if explicit {
		return "🎯 Using explicit session: " + events.Alias(c.Session)
	}
	return "✨ Auto-detected Claude session: " + events.Alias(c.Session)
}

// Cleared tells of one requirement, or of all with "".
func (c CLI) Cleared(name string) string {
	if name == "" {
		return "✅ Cleared all requirements for " + c.Branch
	}
	return fmt.Sprintf("✅ Cleared '%s' for %s", name, c.Branch)
}

// Unknown is the error of a name that no file defines.
func (r Rules) Unknown(name string) string {
	text := fmt.Sprintf("❌ Unknown requirement: '%s'", name)
	if near := r.DidYouMean(name); near != "" {
		text += fmt.Sprintf("\nDid you mean '%s'?", near)
	}
	return text
}

// UnknownBranch is the error of a branch that git does not have.
func UnknownBranch(name string, known []string) string {
	text := fmt.Sprintf("❌ Unknown branch: '%s'", name)
	if near := problem.Nearest(name, known); near != "" {
		text += fmt.Sprintf("\nDid you mean '%s'?", near)
	}
	return text + "\nFor a branch that is yet to be made: --force"
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
		parts = append(parts, UnsatisfiedHead+"\n"+strings.Join(open, "\n"))
	}
	if len(dynamic) > 0 {
		parts = append(parts, NotYetApprovedHead+"\n"+strings.Join(dynamic, "\n"))
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

// Sized is the line of a dynamic requirement in `req status --verbose`, with what it was measured from.
func Sized(q Requirement, value float64, summary, base string) string {
	sign := "✅"
	switch t := q.Thresholds; {
	case value >= t.Block:
		sign = "🛑"
	case t.HasWarn && value >= t.Warn:
		sign = "⚠️"
	}
	return fmt.Sprintf("  %s %s: %s changes\n     %s\n     Base: %s", sign, q.Name, number(value), summary, base)
}

// NotApplicable is that line when there is nothing to measure.
func NotApplicable(q Requirement) string { return "  ℹ️  " + q.Name + ": Not applicable (skipped)" }

// NoBase is that line when the ref it is compared with is not there.
func NoBase(q Requirement) string {
	return "  ⚠️  " + q.Name + ": not measured, its base '" + q.Base + "' does not exist"
}

// Remaining is how long an approval still holds.
func Remaining(d time.Duration) string { return "⏰ Approved (" + minutes(d) + " remaining)" }

// SessionRow is one line pair of `req sessions`.
func SessionRow(o Other, dir string, pid int) string {
	when := ago(o.Ago)
	if o.Ago >= 0 && o.Ago < time.Minute {
		when = "just now"
	}
	return fmt.Sprintf("  %s - %s\n    %s [PID %d, %s]", events.Alias(o.Session), dir, o.Branch, pid, when)
}

// SessionsHead is the heading of `req sessions`.
func SessionsHead(n int) string { return fmt.Sprintf("📋 Active Claude Code Sessions (%d)", n) }

// BranchesHead is the heading of `req list`.
func BranchesHead(n int) string { return fmt.Sprintf("📋 Tracked Branches (%d)", n) }

// BranchRow is one line of `req list`.
func BranchRow(branch string, n int) string { return fmt.Sprintf("  %s: %d requirement(s)", branch, n) }

// Pruned is the result of `req prune`.
func Pruned(n int) string {
	return fmt.Sprintf("✅ Removed %d state file(s) for deleted branches", n)
}
