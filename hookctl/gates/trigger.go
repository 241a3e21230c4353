package gates

import (
	"fmt"
	"strings"
)

// defaultTools trigger a requirement that names none.
var defaultTools = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}

// Trigger is one tool that asks for a requirement. Pattern narrows Bash to some commands and is "" otherwise; with
// any other tool a pattern never matches.
type Trigger struct {
	Tool    string
	Pattern string
	pattern *pattern
}

// triggers decodes trigger_tools.
func (l *loader) triggers(requirement string, list *node) []Trigger {
	var out []Trigger
	for i, v := range list.items {
		where := fmt.Sprintf("Requirement '%s' trigger_tools[%d]: ", requirement, i)
		if v.kind == "str" {
			out = append(out, Trigger{Tool: v.text})
			continue
		}
		t := Trigger{Tool: v.textOf("tool", ""), Pattern: v.textOf("command_pattern", "")}
		if t.Tool == "" {
			l.drop(v.at, requirement, where+"a tool's name is wanted", "write a tool's name, or {tool: Bash, command_pattern: 'git\\s+commit'}")
			continue
		}

		if p := v.get("command_pattern"); p != nil {
			compiled, err := compile(t.Pattern)
			if err != nil {
				l.drop(p.at, requirement, fmt.Sprintf("%sinvalid regex pattern '%s': %v", where, t.Pattern, err), "the requirement is left out")
			}
			if t.Tool != "Bash" {
				l.warn(p.at, requirement, where+"a 'command_pattern' matches only with tool Bash; this trigger never fires", "remove the pattern or write tool: Bash")
			}
			t.pattern = compiled
		}
		out = append(out, t)
	}
	return out
}

var summary = strings.NewReplacer(`\s+`, " ", `\s`, " ", "|", "/", "(", "", ")", "", `\`, "", "^", "", "$", "")

// Summary is the triggers as people read them: `Edit, Write`, `git commit/merge`.
func (q Requirement) Summary() string {
	if len(q.Triggers) == 0 {
		return strings.Join(defaultTools, ", ")
	}
	var words []string
	for _, t := range q.Triggers {
		word := t.Tool
		if t.Pattern != "" {
			word = strings.TrimSpace(summary.Replace(t.Pattern))
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
