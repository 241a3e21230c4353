package gates

import (
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// defaultTools trigger a requirement that names none.
var defaultTools = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}

// edits tells whether a tool changes files: Codex does it by patches, which trigger what Edit or Write triggers.
func edits(tool string) bool { return tool == events.ToolPatch || slices.Contains(defaultTools, tool) }

// Trigger is one tool that asks for a requirement. Pattern narrows Bash to some commands and is "" otherwise; with
// any other tool a pattern never matches.
type Trigger struct {
	Tool    string
	Pattern string
	pattern *pattern
}

// triggers decodes trigger_tools.
func (c *checks) triggers() []Trigger {
	v := c.n.get("trigger_tools")
	if v == nil {
		var list []Trigger
		for _, tool := range defaultTools {
			list = append(list, Trigger{Tool: tool})
		}
		return list
	}
	if v.kind != "list" {
		c.fail(v, "write [Edit, Write]", "Requirement '%s' field 'trigger_tools' must be a list", c.name)
		return nil
	}
	var list []Trigger
	for i, item := range v.items {
		if t, ok := c.trigger(i, item); ok {
			list = append(list, t)
		}
	}
	return list
}

func (c *checks) trigger(i int, v *node) (Trigger, bool) {
	where := fmt.Sprintf("Requirement '%s' trigger_tools[%d]: ", c.name, i)
	if v.kind == "str" {
		return Trigger{Tool: v.text}, true
	}
	const hint = "write a tool's name, or {tool: Bash, command_pattern: 'git\\s+commit'}"
	tool, text := v.get("tool"), v.get("command_pattern")
	switch {
	case v.kind != "dict":
		c.fail(v, hint, "%smust be string or dict, got %s", where, v.kind)
	case tool == nil:
		c.fail(v, hint, "%sdict trigger must have 'tool' field", where)
	case tool.kind != "str":
		c.fail(tool, hint, "%s'tool' must be a string", where)
	case text != nil && text.kind != "str":
		c.fail(text, hint, "%s'command_pattern' must be a string", where)
	case text == nil:
		return Trigger{Tool: tool.text}, true
	default:
		return c.withPattern(Trigger{Tool: tool.text, Pattern: text.text}, where, text)
	}
	return Trigger{}, false
}

func (c *checks) withPattern(t Trigger, where string, v *node) (Trigger, bool) {
	compiled, err := compile(t.Pattern)
	if err != nil {
		c.fail(v, "", "%sinvalid regex pattern '%s': %v", where, t.Pattern, err)
		return Trigger{}, false
	}
	if t.Tool != "Bash" {
		c.l.warn(v.at, c.name, where+"a 'command_pattern' matches only with tool Bash; this trigger never fires", "remove the pattern or write tool: Bash")
	}
	t.pattern = compiled
	return t, true
}

var summary = strings.NewReplacer(`\s+`, " ", `\s`, " ", "|", "/", "(", "", ")", "", `\`, "", "^", "", "$", "")

// Summary is the triggers as people read them: `Edit, Write`, `git commit/merge`.
func (q Requirement) Summary() string {
	if len(q.Triggers) == 0 {
		return strings.Join(defaultTools, ", ")
	}
	var words []string
	for _, t := range q.Triggers {
		if t.Pattern != "" {
			words = append(words, strings.TrimSpace(summary.Replace(t.Pattern)))
			continue
		}
		words = append(words, t.Tool)
	}
	return strings.Join(words, ", ")
}
