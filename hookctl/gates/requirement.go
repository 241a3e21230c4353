package gates

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
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
	q.Enabled = c.truth("enabled")
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

func (c *checks) truth(key string) bool {
	v := c.n.get(key)
	if v == nil {
		return false
	}
	if v.kind != "bool" {
		c.fail(v, "write true or false", "Requirement '%s' field '%s' must be bool", c.name, key)
	}
	return v.truth
}

func (c *checks) text(key string) string {
	v := c.n.get(key)
	if v == nil {
		return ""
	}
	if v.kind != "str" {
		c.fail(v, "put it in quotes", "Requirement '%s' field '%s' must be str", c.name, key)
	}
	return v.text
}

func (c *checks) oneOf(key, otherwise string, words ...string) string {
	v := c.n.get(key)
	if v == nil {
		return otherwise
	}
	text := c.text(key)
	if !c.bad && !slices.Contains(words, text) {
		hint := ""
		if near := nearest(text, words); near != "" {
			hint = "did you mean '" + near + "'?"
		}
		c.fail(v, hint, "Requirement '%s' field '%s' must be one of: %s", c.name, key, strings.Join(words, ", "))
	}
	return text
}

func (c *checks) checklist() []string {
	v := c.n.get("checklist")
	if v == nil {
		return nil
	}
	if v.kind != "list" {
		c.fail(v, "write one item a line, each behind a dash", "Requirement '%s' field 'checklist' must be a list", c.name)
	}
	var list []string
	for _, item := range v.items {
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
		hint := "the guards are " + strings.Join(kinds, ", ")
		if near := nearest(v.text, kinds); near != "" {
			hint = "did you mean '" + near + "'? " + hint
		}
		c.l.warn(v.at, c.name, fmt.Sprintf("Guard requirement '%s' has the unknown guard_type '%s': it always allows", c.name, v.text), hint)
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
		q.Thresholds.set(key, c.limit(key, limits.fields[key]))
	}
	if q.Calculator != BranchSizeCalculator {
		// The framework goes on with where it would have looked for the Python module; none is run here.
		c.fail(v, "the calculator is "+BranchSizeCalculator+"; Python modules are not run", "Dynamic requirement '%s' calculator module '%s' not found", c.name, q.Calculator)
	}
}

func (t *Thresholds) set(key string, value float64) {
	switch key {
	case "block":
		t.Block = value
	case "warn":
		t.Warn, t.HasWarn = value, true
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
	q.Description = c.lenient("description")
	q.ShortMessage = c.lenient("short_message")
	q.BlockingMessage = c.lenient("blocking_message")
	q.Base = c.lenient("base")
	q.StopOnly = c.stopOnly(q)
	q.ReplanTTL = c.seconds("replan_ttl", 0)
	q.CacheTTL = c.seconds("cache_ttl", DefaultCacheTTL)
	q.ApprovalTTL = c.seconds("approval_ttl", DefaultApprovalTTL)
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

// stopOnly is a switch that is off unless it is said to be on.
func (c *checks) stopOnly(q *Requirement) bool {
	v := c.n.get("stop_only")
	switch {
	case v == nil || v.kind == "NoneType":
		return false
	case v.kind != "bool":
		c.l.warn(v.at, c.name, fmt.Sprintf("Requirement '%s' field 'stop_only' must be bool, got %s", c.name, v.kind), "it counts as false")
		return false
	case v.truth && q.Scope == SingleUse:
		c.l.warn(v.at, c.name, fmt.Sprintf("Requirement '%s' has stop_only and the scope single_use: no action closes it again", c.name),
			"it holds for the session; write scope: session")
	}
	return v.truth
}

func (c *checks) lenient(key string) string {
	v := c.n.get(key)
	switch {
	case v == nil || v.kind == "NoneType":
		return ""
	case v.kind != "str":
		c.l.warn(v.at, c.name, fmt.Sprintf("Requirement '%s' field '%s' must be str, got %s", c.name, key, v.kind), "it is left out")
		return ""
	}
	return v.text
}

// maxSeconds is a century: what is above is a mistake, and would overflow a time.Duration.
const maxSeconds = 100 * 365 * 24 * 3600

func (c *checks) seconds(key string, otherwise time.Duration) time.Duration {
	v := c.n.get(key)
	if v == nil {
		return otherwise
	}
	if v.kind != "int" && v.kind != "float" || !(v.number >= 0 && v.number <= maxSeconds) {
		c.l.warn(v.at, c.name, fmt.Sprintf("Requirement '%s' field '%s' must be a number of seconds, got %s", c.name, key, v.kind),
			fmt.Sprintf("it counts as %d", int(otherwise.Seconds())))
		return otherwise
	}
	return time.Duration(v.number * float64(time.Second))
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
