package gates

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// checks is the examination of one requirement: the first error wins and takes the whole requirement out.
type checks struct {
	l    *loader
	name string
	n    *node
	at   place
	bad  bool
}

// fail records the first error. where nil means the requirement's name.
func (c *checks) fail(where *node, hint, format string, args ...any) {
	if c.bad {
		return
	}
	c.bad = true
	p := c.at
	if where != nil && where.at.line > 0 {
		p = where.at
	}
	c.l.invalid(p, c.name, fmt.Sprintf(format, args...), hint)
}

// requirement decodes one entry. The messages and their order are the framework's.
func (l *loader) requirement(name string, n *node, where place) (Requirement, bool) {
	c := &checks{l: l, name: name, n: n, at: where}
	q := Requirement{Name: name, File: where.file, Line: where.line, Column: where.column}
	q.Enabled = c.typed("enabled", "bool", "bool", "write true or false").truth
	q.Scope = Scope(c.oneOf("scope", string(SessionScope), "branch", "permanent", "session", "single_use"))
	q.Triggers = c.triggers()
	q.Checklist = c.checklist()
	q.Message = c.text("message")
	q.Type = Type(c.oneOf("type", string(Blocking), "blocking", "dynamic", "guard"))
	q.SatisfiedBySkill = c.text("satisfied_by_skill")
	q.AutoResolveSkill = c.text("auto_resolve_skill")
	for _, key := range []string{"satisfied_by_skill", "auto_resolve_skill"} {
		if v := n.get(key); v != nil && strings.TrimSpace(v.text) == "" {
			c.fail(v, "name a skill or remove the key", "Requirement '%s' field '%s' cannot be empty", name, key)
		}
	}
	switch q.Type {
	case Guard:
		c.guard(&q)
	case Dynamic:
		c.dynamic(&q)
	}
	if c.bad {
		return Requirement{}, false
	}
	c.free(&q)
	return q, true
}

// typed is the value of a key, which must be of a kind; an empty one where it is not or the key is not there.
func (c *checks) typed(key, kind, want, hint string) *node {
	v := c.n.get(key)
	if v == nil {
		return &node{}
	}
	if v.kind != kind {
		c.fail(v, hint, "Requirement '%s' field '%s' must be %s", c.name, key, want)
	}
	return v
}

func (c *checks) text(key string) string { return c.typed(key, "str", "str", "put it in quotes").text }

func (c *checks) oneOf(key, otherwise string, words ...string) string {
	v := c.n.get(key)
	if v == nil {
		return otherwise
	}
	text := c.text(key)
	if !slices.Contains(words, text) {
		c.fail(v, hint(text, words, ""), "Requirement '%s' field '%s' must be one of: %s", c.name, key, strings.Join(words, ", "))
	}
	return text
}

func (c *checks) checklist() []string {
	var list []string
	for _, item := range c.typed("checklist", "list", "a list", "write one item a line, each behind a dash").items {
		if item.kind != "str" {
			c.fail(item, "put the item in quotes", "Requirement '%s' field 'checklist' must contain only strings", c.name)
		}
		list = append(list, item.text)
	}
	return list
}

func (c *checks) guard(q *Requirement) {
	v := c.n.get("guard_type")
	if v == nil || v.text == "" {
		c.fail(v, "the guards are protected_branch, single_session, dirty_tree", "Guard requirement '%s' must have 'guard_type' field", c.name)
		return
	}
	q.GuardType = v.text
	kinds := []string{GuardProtectedBranch, GuardSingleSession, GuardDirtyTree}
	if !c.bad && !slices.Contains(kinds, v.text) {
		c.l.warn(v.at, c.name, fmt.Sprintf("Guard requirement '%s' has the unknown guard_type '%s': it always allows", c.name, v.text),
			hint(v.text, kinds, "the guards are "+strings.Join(kinds, ", ")))
	}
	q.ProtectedBranches = []string{"master", "main"}
	b := c.n.get("protected_branches")
	if b == nil || b.kind == "NoneType" {
		return
	}
	if b.kind != "list" {
		c.fail(b, "write [main, master]", "Requirement '%s' protected_branches must be a list", c.name)
	}
	q.ProtectedBranches = nil
	for _, item := range b.items {
		q.ProtectedBranches = append(q.ProtectedBranches, item.text)
	}
}

func (c *checks) dynamic(q *Requirement) {
	v := c.n.get("calculator")
	if v == nil || v.kind == "NoneType" || v.text == "" {
		c.fail(v, "write calculator: "+BranchSizeCalculator, "Dynamic requirement '%s' missing required 'calculator' field", c.name)
		return
	}
	q.Calculator = v.text
	limits := c.n.get("thresholds")
	if limits.get("block") == nil {
		c.fail(limits, "write thresholds: {block: 400}", "Dynamic requirement '%s' missing required 'thresholds.block' field", c.name)
		return
	}
	for _, key := range limits.keys {
		value := c.limit(key, limits.fields[key])
		switch key {
		case "block":
			q.Thresholds.Block = value
		case "warn":
			q.Thresholds.Warn, q.Thresholds.HasWarn = value, true
		}
	}
	if q.Calculator != BranchSizeCalculator {
		// The framework goes on with where it would have looked for the Python module; none is run here.
		c.fail(v, "the calculator is "+BranchSizeCalculator+"; Python modules are not run", "Dynamic requirement '%s' calculator module '%s' not found", c.name, q.Calculator)
	}
}

// limit is a threshold; true and false are numbers, as they are in Python.
func (c *checks) limit(key string, v *node) float64 {
	number := v.number
	if v.kind == "bool" && v.truth {
		number = 1
	}
	if v.kind != "int" && v.kind != "float" && v.kind != "bool" || !(number >= 0) {
		shown := v.text
		if v.kind == "NoneType" {
			shown = "None"
		}
		c.fail(v, "write a number of changed lines", "Dynamic requirement '%s' threshold '%s' must be a positive number, got: %s (%s)", c.name, key, shown, v.kind)
	}
	return number
}

// free reads the keys that the framework does not validate: what is malformed has its default, and a warning.
func (c *checks) free(q *Requirement) {
	o := optional{l: c.l, n: c.n, requirement: c.name, label: "Requirement '" + c.name + "' field '%s'", warning: true}
	q.Description = o.text("description")
	q.ShortMessage = o.text("short_message")
	q.BlockingMessage = o.text("blocking_message")
	q.Base = o.text("base")
	q.StopOnly = o.truth("stop_only", false)
	q.ReplanTTL = o.seconds("replan_ttl", "a number of seconds", 0)
	q.CacheTTL = o.seconds("cache_ttl", "a number of seconds", DefaultCacheTTL)
	q.ApprovalTTL = o.seconds("approval_ttl", "a number of seconds", DefaultApprovalTTL)
	if q.StopOnly && q.Scope == SingleUse {
		c.l.warn(c.n.get("stop_only").at, c.name, fmt.Sprintf("Requirement '%s' has stop_only and the scope single_use: no action closes it again", c.name),
			"it holds for the session; write scope: session")
	}
	for _, key := range []string{"message", "short_message", "blocking_message"} {
		if v := c.n.get(key); v != nil {
			c.l.placeholders(v, c.name, key)
		}
	}
}

// placeholders notes the fields of a text that nothing fills: they may be meant as they are.
func (l *loader) placeholders(v *node, requirement, key string) {
	for _, name := range strangers(v.text) {
		l.notes = append(l.notes, at(v.at, requirement, fmt.Sprintf("Requirement '%s' field '%s' has the unknown placeholder {%s}; it stays as it is", requirement, key, name),
			"the placeholders are "+strings.Join(placeholders, ", ")))
	}
}

var (
	labelled = regexp.MustCompile(`^\*\*[^*]+\*\*:\s*(.+)$`)
	sentence = regexp.MustCompile(`^(.*?[.!?])(\s|$)`)
)

// About is the description, else the first words of the message that are no heading. Placeholders are not filled.
// The message of a guard or of a dynamic requirement says what is wrong when it closes, which is not so as a rule: of
// those it is told what they hold to.
func (q Requirement) About() string {
	if q.Description != "" {
		return strings.TrimSpace(q.Description)
	}
	if text := q.holdsTo(); text != "" {
		return text
	}
	for line := range strings.Lines(q.Message) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if m := labelled.FindStringSubmatch(line); m != nil {
			if letters := []rune(m[1]); len(letters) > 100 {
				return string(letters[:100]) + "..."
			}
			return m[1]
		}
		if m := sentence.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		return line
	}
	return "No description available."
}

// UnknownBase says that the size of the branch cannot be measured from the configured base.
func (q Requirement) UnknownBase() string {
	return fmt.Sprintf("requirement '%s' lets everything pass: its base '%s' does not exist in this repository", q.Name, q.Base)
}

// holdsTo is what a condition or a number asks for; "" for a requirement without one.
func (q Requirement) holdsTo() string {
	switch {
	case q.GuardType == GuardProtectedBranch:
		return "No work on the protected branches: " + strings.Join(q.ProtectedBranches, ", ") + "."
	case q.GuardType == GuardSingleSession:
		return "One session at a time in a work tree."
	case q.GuardType == GuardDirtyTree:
		return "No uncommitted changes of tracked files."
	case q.Type == Dynamic:
		return "Fewer than " + number(q.Thresholds.Block) + " changed lines on the branch, or an approval."
	}
	return ""
}
