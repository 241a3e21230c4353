package gates

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hookline/events"
	"hookline/events/wording"
)

// What a status says where nothing is open.
const (
	AllSatisfied = "✅ All requirements satisfied"
	NothingOpen  = "⚠️  Nothing is open among the requirements that can be read"
)

// LeftOut counts what is wrong with the configuration.
func LeftOut(n int) string {
	return fmt.Sprintf("⚠️  %d part(s) of the configuration left out", n)
}

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

// Text returns the status, compact or with a table of all requirements.
func (s Status) Text(compact bool) string {
	var parts []string
	if s.Header != "" {
		known := Failure{Values: map[string]string{"branch": s.Branch, "project_dir": s.Project}}
		parts = append(parts, known.text(s.Session, s.Header))
	}
	if w := s.warning(); w != "" {
		parts = append(parts, w)
	}
	if len(s.Carried) > 0 {
		parts = append(parts, fmt.Sprintf("Carried over %d requirement(s) from previous session: `%s`", len(s.Carried), strings.Join(s.Carried, "`, `")))
	}
	if s.Invalid > 0 {
		parts = append(parts, LeftOut(s.Invalid)+" (`"+program+" validate`): what they concern is not asked for")
	}
	switch {
	case len(s.Gates) == 0:
		parts = append(parts, "## Requirements: No requirements configured")
	case compact:
		parts = append(parts, s.compact())
	default:
		parts = append(parts, s.standard())
	}
	return strings.Join(parts, "\n\n")
}

// warning names the other sessions, when an enabled guard wants only one.
func (s Status) warning() string {
	i := slices.IndexFunc(s.Gates, func(g Gate) bool { return g.Requirement.GuardType == GuardSingleSession })
	if len(s.Others) == 0 || i < 0 {
		return ""
	}
	lines := []string{"⚠️  **Other Claude Code sessions detected on this project**", ""}
	for _, o := range s.Others {
		lines = append(lines, fmt.Sprintf("  • `%s` on `%s` (active %s ago)", events.Alias(o.Session), o.Branch, wording.ShortAge(o.Ago)))
	}
	return strings.Join(append(lines, "", "**Note**: Edits may be blocked to prevent conflicts.",
		"Use `"+SatisfyCommand(s.Session, s.Gates[i].Requirement.Name)+"` to override if needed."), "\n")
}

// inSession is a command for a session: the shell that it is typed in may be of another one, or of none.
func inSession(command, session string) string {
	if session == "" {
		return program + " " + command
	}
	return program + " " + command + " --session " + events.Alias(session)
}

// resolution returns what resolves a requirement: `/arch-review`, a command, or what to do by hand.
func resolution(q Requirement, session string) string {
	switch {
	case q.AutoResolveSkill != "":
		plugin := strings.LastIndexByte(q.AutoResolveSkill, ':')
		return "`/" + q.AutoResolveSkill[plugin+1:] + "`"
	case q.GuardType == GuardProtectedBranch:
		return "Create feature branch"
	case q.GuardType == GuardSingleSession:
		return "Close other session"
	case q.GuardType == GuardDirtyTree:
		return "Commit or stash the changes"
	}
	return "`" + SatisfyCommand(session, q.Name) + "`"
}

// open returns the names of the requirements that are not satisfied.
func (s Status) open() []string {
	var names []string
	for _, g := range s.Gates {
		if !g.Satisfied {
			names = append(names, g.Requirement.Name)
		}
	}
	return names
}

// actions returns a line for each thing to do, with what it satisfies, in the order of first sight.
func (s Status) actions() []string {
	var lines []string
	at := map[string]int{}
	for _, g := range s.Gates {
		if g.Satisfied {
			continue
		}
		name, text := "`"+g.Requirement.Name+"`", resolution(g.Requirement, s.Session)
		if i, ok := at[text]; ok {
			lines[i] += ", " + name
			continue
		}
		at[text] = len(lines)
		lines = append(lines, "- "+text+" → "+name)
	}
	return lines
}

// fallback returns the command that satisfies by hand.
func (s Status) fallback(names ...string) string {
	return "**Fallback**: `" + SatisfyCommand(s.Session, names...) + "`"
}

// maxCompact is what the compact form stays below, in characters.
const maxCompact = 500

// compact returns a line for each action without blank lines. What is too long leaves out names in its last line first,
// then whole actions.
func (s Status) compact() string {
	open := s.open()
	lines := []string{fmt.Sprintf("## Requirements: %d/%d satisfied", len(s.Gates)-len(open), len(s.Gates))}
	if len(open) == 0 {
		return lines[0]
	}
	lines = append(lines, s.actions()...)
	last := len(lines)
	lines = append(lines, s.fallback(open...))
	if length(lines) >= maxCompact {
		lines[last] = s.fallback("NAME")
	}
	for left := 1; length(lines) >= maxCompact && last > 1; left++ {
		last--
		lines = append(lines[:last], fmt.Sprintf("… and %d more: `%s`", left, inSession("status", s.Session)), lines[len(lines)-1])
	}
	return strings.Join(lines, "\n")
}

// length is in characters, with a newline after each line.
func length(lines []string) int { return utf8.RuneCountInString(strings.Join(lines, "\n")) + 1 }

func (s Status) standard() string {
	open := s.open()
	lines := []string{"## Requirements Framework Active", "",
		fmt.Sprintf("**Branch**: `%s` @ `%s` | **Session**: `%s`", s.Branch, s.Project, events.Alias(s.Session)), "", "### Quick Start"}
	switch {
	case len(open) > 0:
		lines = append(lines, s.actions()...)
	case s.Invalid > 0:
		lines = append(lines, NothingOpen)
	default:
		lines = append(lines, AllSatisfied)
	}

	lines = append(lines, "", "| Requirement | Status | Triggers | Resolve |", "|-------------|--------|----------|---------|")
	for _, g := range s.Gates {
		mark := "⬜"
		if g.Satisfied {
			mark = "✅"
		}
		q := g.Requirement
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |", cell(q.Name), mark, cell(q.Summary()), cell(resolution(q, s.Session))))
	}
	if len(open) > 0 {
		lines = append(lines, "", s.fallback(open...))
	}
	return strings.Join(lines, "\n")
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
