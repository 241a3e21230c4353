package gates

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hookline/events"
)

// Gate is a requirement as it stands for a session.
type Gate struct {
	Requirement Requirement
	Satisfied   bool
	Note        string // why, where that is not a satisfaction: "not on protected branch", "no other sessions"
}

// Status is what a session is told at its start about its gates.
type Status struct {
	Project, Branch, Session string
	Header                   string // hooks.session_start.custom_header
	Others                   []Other
	Carried                  []string // names of the requirements carried over
	Gates                    []Gate   // the enabled ones, in the order of the files
	Invalid                  int      // parts of the configuration that are left out
}

// Text is the status in one of the modes compact, standard and rich; another mode is standard.
func (s Status) Text(mode string) string {
	var parts []string
	if s.Header != "" {
		parts = append(parts, strings.TrimSpace(Placeholders(s.Header, Requirement{}, s.values())))
	}
	if w := s.warning(); w != "" {
		parts = append(parts, w)
	}
	if len(s.Carried) > 0 {
		parts = append(parts, fmt.Sprintf("Carried over %d requirement(s) from previous session: `%s`", len(s.Carried), strings.Join(s.Carried, "`, `")))
	}
	if s.Invalid > 0 {
		parts = append(parts, leftOut(s.Invalid)+" (`"+program+" validate`): what they concern is not asked for")
	}
	switch mode {
	case "compact":
		parts = append(parts, s.compact())
	case "rich":
		parts = append(parts, s.rich())
	default:
		parts = append(parts, s.standard())
	}
	return strings.Join(parts, "\n\n")
}

// values are what the placeholders of a text stand for.
func (s Status) values() map[string]string {
	return map[string]string{"branch": s.Branch, "project_dir": s.Project, "session_id": events.Alias(s.Session)}
}

// warning names the other sessions, when an enabled guard wants only one.
func (s Status) warning() string {
	i := slices.IndexFunc(s.Gates, func(g Gate) bool { return g.Requirement.GuardType == GuardSingleSession })
	if len(s.Others) == 0 || i < 0 {
		return ""
	}
	lines := []string{"⚠️  **Other Claude Code sessions detected on this project**", ""}
	for _, o := range s.Others {
		lines = append(lines, fmt.Sprintf("  • `%s` on `%s` (active %s)", events.Alias(o.Session), o.Branch, ago(o.Ago)))
	}
	return strings.Join(append(lines, "", "**Note**: Edits may be blocked to prevent conflicts.",
		"Use `"+inSession("approve "+shellWord(s.Gates[i].Requirement.Name), s.Session)+"` to override if needed."), "\n")
}

// inSession is a command for a session: the shell that it is typed in may be of another one, or of none.
func inSession(command, session string) string {
	if session == "" {
		return program + " " + command
	}
	return program + " " + command + " --session " + events.Alias(session)
}

// resolution is what resolves a requirement: `/arch-review`, a command, or what to do by hand.
func resolution(q Requirement, session string) (text string, skill bool) {
	switch {
	case q.AutoResolveSkill != "":
		return "/" + shortSkill(q.AutoResolveSkill), true
	case q.GuardType == GuardProtectedBranch:
		return "Create feature branch", false
	case q.GuardType == GuardSingleSession:
		return "Close other session", false
	case q.GuardType == GuardDirtyTree:
		return "Commit or stash the changes", false
	case q.Type == Dynamic:
		return inSession("approve "+shellWord(q.Name), session), false
	}
	return inSession("satisfy "+shellWord(q.Name), session), false
}

// open are the gates that are not satisfied.
func (s Status) open() []Gate {
	return slices.DeleteFunc(slices.Clone(s.Gates), func(g Gate) bool { return g.Satisfied })
}

// action is one thing to do and what it satisfies.
type action struct {
	text  string
	skill bool
	gates []Gate
}

// actions groups gates by what resolves them, in the order of first sight.
func actions(gates []Gate, session string) []*action {
	var list []*action
	for _, g := range gates {
		text, skill := resolution(g.Requirement, session)
		i := slices.IndexFunc(list, func(a *action) bool { return a.text == text })
		if i < 0 {
			i, list = len(list), append(list, &action{text: text, skill: skill})
		}
		list[i].gates = append(list[i].gates, g)
	}
	return list
}

func quotedNames(gates []Gate) string {
	list := make([]string, len(gates))
	for i, g := range gates {
		list[i] = "`" + g.Requirement.Name + "`"
	}
	return strings.Join(list, ", ")
}

func (s Status) fallback() string {
	var list []string
	for _, g := range s.open() {
		list = append(list, g.Requirement.Name)
	}
	if len(list) == 0 {
		return ""
	}
	return "**Fallback**: `" + satisfyCommand(s.Session, list...) + "`"
}

// maxCompact is what the compact form stays below, in characters.
const maxCompact = 500

// compact is a line an action without blank lines. What is too long leaves out names in its last line first, then
// whole actions.
func (s Status) compact() string {
	if len(s.Gates) == 0 {
		return "## Requirements: No requirements configured"
	}
	lines := s.compactLines()
	last := len(lines) - 1
	if length(lines) >= maxCompact {
		lines[last] = "**Fallback**: `" + satisfyCommand(s.Session, "NAME") + "`"
	}
	for left := 1; length(lines) >= maxCompact && last > 1; left++ {
		last--
		lines = append(lines[:last], fmt.Sprintf("… and %d more: `%s`", left, inSession("status", s.Session)), lines[len(lines)-1])
	}
	return strings.Join(lines, "\n")
}

// length is in characters, with a newline behind each line.
func length(lines []string) int { return utf8.RuneCountInString(strings.Join(lines, "\n")) + 1 }

func (s Status) compactLines() []string {
	open := s.open()
	lines := []string{fmt.Sprintf("## Requirements: %d/%d satisfied", len(s.Gates)-len(open), len(s.Gates))}
	for _, a := range actions(open, s.Session) {
		if a.skill {
			lines = append(lines, "**Run `"+a.text+"`** → "+quotedNames(a.gates))
		} else {
			lines = append(lines, "**"+a.text+"** → "+quotedNames(a.gates))
		}
	}
	if f := s.fallback(); f != "" {
		lines = append(lines, f)
	}
	return lines
}

func (s Status) quickStart() string {
	lines := []string{"### Quick Start"}
	for _, a := range actions(s.open(), s.Session) {
		sign, text := "📋", a.text
		if !a.skill && strings.HasPrefix(text, program) {
			text = "`" + text + "`"
		}
		if a.skill {
			sign, text = "🚀", "`"+a.text+"`"
		}
		if when := a.gates[0].Requirement.Summary(); a.skill && a.gates[0].Requirement.Triggers != nil && a.gates[0].Requirement.Triggers[0].Pattern != "" {
			sign, text = "🔍", text+" (before `"+when+"`)"
		}
		lines = append(lines, "- "+sign+" "+text+" → satisfies "+quotedNames(a.gates))
	}
	if len(lines) == 1 && s.Invalid == 0 {
		lines = append(lines, AllSatisfied)
	} else if len(lines) == 1 {
		lines = append(lines, NothingOpen)
	}
	return strings.Join(lines, "\n")
}

func (s Status) standard() string {
	parts := []string{"## Requirements Framework Active",
		fmt.Sprintf("**Branch**: `%s` @ `%s` | **Session**: `%s`", s.Branch, s.Project, events.Alias(s.Session))}
	if len(s.Gates) > 0 {
		parts = append(parts, s.quickStart())
	}
	rows := []string{"| Requirement | Status | Triggers | Resolve |", "|-------------|--------|----------|---------|"}
	for _, g := range s.Gates {
		mark := "⬜"
		if g.Satisfied {
			mark = "✅"
		}
		text, _ := resolution(g.Requirement, s.Session)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", cell(g.Requirement.Name), mark, cell(g.Requirement.Summary()), cell(text)))
	}
	if len(s.Gates) == 0 {
		rows = append(rows, "| (none configured) | - | - | - |")
	}
	parts = append(parts, strings.Join(rows, "\n"))
	if f := s.fallback(); f != "" {
		parts = append(parts, f)
	}
	return strings.Join(parts, "\n\n")
}

// scopeReference says how long each scope holds.
const scopeReference = `### Scope Reference
- **session**: for the session that satisfied it
- **branch**: for every session on this branch
- **permanent**: for good
- **single_use**: until the action was done once`

// workflow is how to go about it.
const workflow = `### Workflow Guide
1. Run the skills of Quick Start before the first edit.
2. Work; a blocked tool says what it waits for.
3. Run the review skills before each commit and pull request.`

func (s Status) rich() string {
	parts := []string{"## Requirements Framework: Session Briefing",
		fmt.Sprintf("**Project**: `%s`\n**Branch**: `%s`\n**Session**: `%s`", s.Project, s.Branch, events.Alias(s.Session))}
	if len(s.Gates) == 0 {
		return strings.Join(append(parts, "No requirements configured."), "\n\n")
	}
	definitions := []string{"### Requirement Definitions"}
	current := []string{"### Current Status"}
	for _, g := range s.Gates {
		q := g.Requirement
		text, _ := resolution(q, s.Session)
		definitions = append(definitions, fmt.Sprintf("**%s** (%s, %s-scoped)\n> %s\n> Triggers: %s\n> Resolve: %s",
			q.Name, q.Type, q.Scope, Placeholders(q.About(), q, s.values()), q.Summary(), text))
		current = append(current, "- **"+q.Name+"**: "+g.state())
	}
	parts = append(parts, s.quickStart(), strings.Join(definitions, "\n\n"), scopeReference, strings.Join(current, "\n"), workflow)
	if f := s.fallback(); f != "" {
		parts = append(parts, f)
	}
	return strings.Join(parts, "\n\n")
}

func (g Gate) state() string {
	switch {
	case g.Satisfied && g.Note != "":
		return "✅ (" + g.Note + ")"
	case g.Satisfied:
		return "✅ Satisfied"
	}
	return "⬜ Not satisfied"
}

// NoConfig is told at the start of a session whose project has no file; the other sources are silent.
func NoConfig() string {
	return "💡 **No requirements config found for this project**\n\nRun `" + program + " init` to write a commented starter file."
}

// PlanReview follows ExitPlanMode: what the plan must pass before the first edit.
func PlanReview(session string, list []Failure) string {
	if len(list) == 0 {
		return ""
	}
	text := "## Plan Validation Required\n\n"
	if skill := common(list); skill != "" {
		text += "**Next Action (run now)**: `/" + skill + "`"
	} else {
		text += table(session, list)
	}
	return text + footer(session, "Manual fallback", list)
}
