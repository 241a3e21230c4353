package gates

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookline/events"
)

// program is what people type for the framework's `req`: the texts are the framework's, only this name differs.
const program = "hookctl req"

// Failure is a requirement that holds a call back, with the facts that its text names.
type Failure struct {
	Requirement Requirement
	Values      map[string]string // for placeholders: branch, project_dir, value, summary, base_branch, …
	Others      []Other           // a single_session guard: who else is there
	InUse       bool              // single_use: a call that it was satisfied for is under way
}

// Other is another live session of the project. A negative Ago is unknown.
type Other struct {
	Session, Branch string
	Ago             time.Duration
}

// shortSkill drops the plugin: `arch-review` of `requirements-framework:arch-review`.
func shortSkill(skill string) string { return skill[strings.LastIndexByte(skill, ':')+1:] }

// satisfyCommand is what a person types to satisfy the named requirements in a session.
func satisfyCommand(session string, names ...string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = shellWord(n)
	}
	return inSession("satisfy "+strings.Join(quoted, " "), session)
}

// shellWord quotes a name that a shell would not take as one word.
func shellWord(name string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// text fills a requirement's own text.
func (f Failure) text(session, text string) string {
	values := map[string]string{"session_id": events.Alias(session)}
	for k, v := range f.Values {
		values[k] = v
	}
	return strings.TrimSpace(Placeholders(text, f.Requirement, values))
}

func names(list []Failure) []string {
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = f.Requirement.Name
	}
	return out
}

// Deny is the reason of a PreToolUse denial for all requirements that hold the call back.
func Deny(session string, list []Failure) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return one(session, list[0]) + footer(session, "Fallback", list)
	}
	return several(session, list) + footer(session, "Fallback", list)
}

func footer(session, label string, list []Failure) string {
	return fmt.Sprintf("\n\n---\n%s: `%s`", label, satisfyCommand(session, names(list)...))
}

// one is the text of a single failure: what the file says, else a heading with what to do.
func one(session string, f Failure) string {
	q := f.Requirement
	if f.InUse {
		return "## Blocked: " + q.Name + "\n\nA call that it was satisfied for is under way. It counts for one: wait for its end, then satisfy it again."
	}
	text := f.configured(session)
	if text == "" {
		text = "## Blocked: " + q.Name + f.standing(session)
	}
	return text + f.checklist(session)
}

// configured is the text that the file has for this requirement.
func (f Failure) configured(session string) string {
	text := f.text(session, f.Requirement.Message)
	if list := f.sessions(); text != "" && list != "" {
		text += "\n\n" + list
	}
	return text
}

// standing is what is said below the heading of a requirement without a text of its own.
func (f Failure) standing(session string) string {
	q := f.Requirement
	switch {
	case q.GuardType == GuardSingleSession && len(f.Others) > 0:
		return "\n\nOther sessions work in this project:\n" + f.sessions() +
			"\n\n- Close the other session\n- Work in a worktree of your own\n- Override: `" + satisfyCommand(session, q.Name) + "`"
	case q.Type == Guard:
		return "\n\nGuard condition not met." + f.condition() + "\n\n**Action**: `" + satisfyCommand(session, q.Name) + "`"
	case q.Type == Dynamic:
		return f.figures() + "\n\n**Action**: `" + satisfyCommand(session, q.Name) + "`"
	case q.AutoResolveSkill != "":
		return "\n\n**Execute**: `/" + q.AutoResolveSkill + "`"
	}
	return "\n\n**Action**: `" + satisfyCommand(session, q.Name) + "`"
}

func (f Failure) condition() string {
	if branch := f.Values["branch"]; f.Requirement.GuardType == GuardProtectedBranch && branch != "" {
		return " Branch `" + branch + "` is protected."
	}
	if f.Requirement.GuardType == GuardDirtyTree {
		return " The working tree has uncommitted changes."
	}
	return ""
}

// figures are a dynamic requirement's number and limit.
func (f Failure) figures() string {
	value := f.Values["value"]
	if value == "" {
		return ""
	}
	text := fmt.Sprintf("\n\n%s changes (limit %s)", value, number(f.Requirement.Thresholds.Block))
	if s := f.Values["summary"]; s != "" {
		text += "\n" + s
	}
	return text
}

func (f Failure) sessions() string {
	var lines []string
	for _, o := range f.Others {
		lines = append(lines, fmt.Sprintf("- `%s` on `%s` (%s)", events.Alias(o.Session), o.Branch, ago(o.Ago)))
	}
	return strings.Join(lines, "\n")
}

// ago is 12s ago, 5m ago, 2h ago, unknown.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "unknown"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh ago", int(d.Hours()))
}

func (f Failure) checklist(session string) string {
	var b strings.Builder
	for i, item := range f.Requirement.Checklist {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString("\n- [ ] " + f.text(session, item))
	}
	return b.String()
}

// several is one text for many failures: one skill when it resolves all, else a table; then what only the single
// requirement can say, its numbers and its checklist.
func several(session string, list []Failure) string {
	text := "## Blocked: Multiple Requirements\n\n"
	if skill := common(list); skill != "" {
		text += "**Execute**: `/" + skill + "`\n\nSatisfies: " + strings.Join(names(list), ", ")
	} else {
		text += table(session, list)
	}
	for _, f := range list {
		own := ""
		if f.Requirement.Type != Blocking {
			if own = f.configured(session); own == "" && f.Requirement.Type == Dynamic {
				own = strings.TrimSpace(f.figures())
			} else if own == "" {
				own = strings.TrimSpace(f.condition() + "\n" + f.sessions())
			}
		}
		if own += f.checklist(session); own != "" {
			text += "\n\n### " + f.Requirement.Name + "\n\n" + strings.TrimSpace(own)
		}
	}
	return text
}

// common is the skill that all failures suggest; "" without one.
func common(list []Failure) string {
	skill := list[0].Requirement.AutoResolveSkill
	for _, f := range list {
		if f.Requirement.AutoResolveSkill != skill {
			return ""
		}
	}
	return skill
}

// table is one row a requirement, those of one skill together in the order in which the skills are first seen, those
// without a skill last.
func table(session string, list []Failure) string {
	var skills []string
	for _, f := range list {
		if s := f.Requirement.AutoResolveSkill; s != "" && !slices.Contains(skills, s) {
			skills = append(skills, s)
		}
	}
	lines := []string{"| Requirement | Execute |", "|-------------|---------|"}
	for _, skill := range append(skills, "") {
		for _, f := range list {
			q := f.Requirement
			switch {
			case q.AutoResolveSkill != skill:
			case skill != "":
				lines = append(lines, fmt.Sprintf("| %s | `/%s` |", cell(q.Name), skill))
			default:
				lines = append(lines, fmt.Sprintf("| %s | `%s` |", cell(q.Name), cell(satisfyCommand(session, q.Name))))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// cell keeps a text inside its cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// Short is the denial when the same text was given within the last seconds.
func Short(session string, list []Failure) string {
	lines := make([]string, len(list))
	for i, f := range list {
		q := f.Requirement
		switch {
		case q.Type == Guard:
			lines[i] = "Guard `" + q.Name + "` blocked (waiting...)"
		case q.Type == Dynamic:
			lines[i] = "⏸️ Requirement `" + q.Name + "` not satisfied (waiting...)"
		default:
			lines[i] = "Requirement `" + q.Name + "` not satisfied (waiting...)"
		}
		if own := f.text(session, q.ShortMessage); own != "" {
			lines[i] = own
		}
	}
	return strings.Join(lines, "\n")
}

// shownCommand bounds what a refusal repeats of a command, in characters.
const shownCommand = 80

// DangerText is the answer to a question for permission that is refused.
func DangerText(reason string, input json.RawMessage) string {
	command, _ := field(input, "command")
	if letters := []rune(strings.Join(strings.Fields(command), " ")); len(letters) > shownCommand {
		command = string(letters[:shownCommand]) + "..."
	} else {
		command = string(letters)
	}
	return "**Blocked by requirement gates**: " + reason + "\n\nCommand: `" + command + "`\n\n" +
		"Do not work around it. If it is really wanted, the user runs it in a shell, or sets\n" +
		"`hooks.permission_request.auto_deny_dangerous` to false in .claude/requirements.local.yaml."
}

// StopReason is why a turn may not end yet.
func StopReason(session string, list []Failure) string {
	if len(list) == 0 {
		return ""
	}
	return "## Cannot Complete: Unsatisfied Requirements\n\n" + table(session, list) +
		"\n\nRun the resolution skills above to satisfy requirements." + footer(session, "Fallback", list)
}

// Learning is the review prompt at a clean Stop.
func Learning(toolUses, blocked, skills int) string {
	return fmt.Sprintf("**Session Learning Available**\n\nThis session had %d tool uses (%d blocked), %d skills.", toolUses, blocked, skills)
}

// Reminder is added to a prompt that speaks of editing or committing.
func Reminder(list []Failure) string {
	return fmt.Sprintf("**Requirements reminder**: %d unsatisfied: %s", len(list), strings.Join(names(list), ", "))
}
