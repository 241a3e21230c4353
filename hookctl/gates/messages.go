package gates

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
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

// Other is another live session of the project.
type Other struct {
	Session, Branch string
	Ago             time.Duration
}

// SatisfyCommand returns what a person types to satisfy the named requirements in a session.
func SatisfyCommand(session string, names ...string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, shellWord(n))
	}
	return inSession("satisfy "+strings.Join(quoted, " "), session)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// shellWord quotes a name that a shell would not take as one word.
func shellWord(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// text fills a requirement's own text.
func (f Failure) text(session, text string) string {
	values := map[string]string{"session_id": events.Alias(session)}
	maps.Copy(values, f.Values)
	return strings.TrimSpace(Placeholders(text, f.Requirement, values))
}

// Names are those of the requirements that hold a call back.
func Names(list []Failure) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.Requirement.Name)
	}
	return names
}

// Deny returns the reason of a PreToolUse denial for all requirements that hold the call back. Of several each is named
// with what resolves it; its own text comes when it is the last one.
func Deny(session string, list []Failure) string {
	text := ""
	switch skill := common(list); {
	case len(list) == 0:
		return ""
	case len(list) == 1:
		text = one(session, list[0])
	case skill != "":
		text = "## Blocked: Multiple Requirements\n\n**Execute**: `/" + skill + "`\n\nSatisfies: " + strings.Join(Names(list), ", ")
	default:
		text = "## Blocked: Multiple Requirements\n\n" + table(session, list)
	}
	return text + footer(session, "Fallback", list)
}

func footer(session, label string, list []Failure) string {
	return fmt.Sprintf("\n\n---\n%s: `%s`", label, SatisfyCommand(session, Names(list)...))
}

// one returns the text of a single failure: what the file says, else a heading with what was found and what to do; below
// it the checklist.
func one(session string, f Failure) string {
	q := f.Requirement
	if f.InUse {
		return "## Blocked: " + q.Name + "\n\nA call that it was satisfied for is under way. It counts for one: wait for its end, then satisfy it again."
	}

	text := f.text(session, q.Message)
	if text == "" {
		text = "## Blocked: " + q.Name + f.found()
		if q.Type == Blocking && q.AutoResolveSkill != "" {
			text += "\n\n**Execute**: `/" + q.AutoResolveSkill + "`"
		} else {
			text += "\n\n**Action**: `" + SatisfyCommand(session, q.Name) + "`"
		}
	}
	for i, item := range q.Checklist {
		if i == 0 {
			text += "\n"
		}
		text += "\n- [ ] " + f.text(session, item)
	}
	return text
}

// found returns what a guard or a dynamic requirement has found, as paragraphs.
func (f Failure) found() string {
	summary := f.Values["summary"]
	switch {
	case summary == "" || f.Requirement.Type == Blocking:
		return ""
	case f.Requirement.Type == Dynamic:
		return fmt.Sprintf("\n\n%s changes (limit %s)\n%s", f.Values["value"], Number(f.Requirement.Thresholds.Block), summary)
	}
	text := "\n\nGuard condition not met: " + summary + "."
	for _, o := range f.Others {
		text += fmt.Sprintf("\n- `%s` on `%s` (%s ago)", events.Alias(o.Session), o.Branch, wording.ShortAge(o.Ago))
	}
	return text
}

// common returns the skill that all failures suggest; "" without one.
func common(list []Failure) string {
	skill := ""
	for i, f := range list {
		if i > 0 && f.Requirement.AutoResolveSkill != skill {
			return ""
		}
		skill = f.Requirement.AutoResolveSkill
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
				lines = append(lines, fmt.Sprintf("| %s | `%s` |", cell(q.Name), cell(SatisfyCommand(session, q.Name))))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// cell keeps a text inside its cell.
func cell(text string) string {
	return strings.ReplaceAll(wording.Flat(text), "|", `\|`)
}

// Short returns the denial when the same text was given within the last seconds.
func Short(session string, list []Failure) string {
	var lines []string
	for _, f := range list {
		text := f.text(session, f.Requirement.ShortMessage)
		lines = append(lines, cmp.Or(text, "Requirement `"+f.Requirement.Name+"` not satisfied (waiting...)"))
	}
	return strings.Join(lines, "\n")
}

// shownCommand bounds what a refusal repeats of a command, in characters.
const shownCommand = 80

// DangerText is the answer to a question for permission that is refused.
func DangerText(reason string, input json.RawMessage) string {
	command := wording.Flat(events.InputOf(input).Command.Text())
	if shown := wording.Chars(command, shownCommand); shown != command {
		command = shown + "..."
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
