package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hookline/hookctl/cmdline"
	"hookline/replay/past"
)

// What changed, in words: the fields that say something to a person, from the whole states at both points. The others are
// counted.

// telling is a field of a state. A list is told by the member of its elements that stands behind [].
type telling struct{ path, label string }

// tellings are those of each projection, in the order of the lines.
var tellings = map[string][]telling{
	"session": {
		{"status", "status"},
		{"end_reason", "ended by"},
		{"title", "title"},
		{"prompts", "prompts"},
		{"turns", "turns"},
		{"tools", "calls"},
		{"failures", "failures"},
		{"compacted", "compactions"},
		{"blocked", "denied by gates"},
	},
	"identity": {
		{"last_ic", "IC"},
		{"consciousness", "consciousness"},
		{"integration", "r"},
		{"accuracy", "accuracy"},
	},
	"working": {
		{"goal.text", "goal"},
		{"task.text", "task"},
		{"prompt.text", "prompt"},
		{"files[].path", "files"},
		{"commands[].line", "commands"},
		{"errors_unresolved[].target", "failing"},
		{"todos[].text", "to do"},
		{"corrections[].text", "refused"},
	},
	"gate": {
		{"gates", "gates"},
	},
	"ledger": {
		{"entries[].text", "entries"},
	},
	"codes": {
		{"context.files[].code", "files"},
		{"context.functions[].code", "functions"},
		{"context.decisions[].code", "decisions"},
		{"context.blockers[].code", "blockers"},
		{"context.completed[].code", "done"},
	},
}

// tell prints what changed in words, and how many fields it leaves out.
func (a *app) tell(d past.Change) error {
	before, err := states(d.Before)
	if err != nil {
		return err
	}
	after, err := states(d.After)
	if err != nil {
		return err
	}

	left := len(d.Diffs)
	for rest := d.Diffs; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Projection == rest[0].Projection && rest[n].Key == rest[0].Key {
			n++
		}
		cell := rest[0].Projection + "  " + rest[0].Key
		lines := a.lines(rest[0].Projection, before[cell], after[cell])
		if len(lines) > 0 {
			a.Printf("%s\n", a.Paint.Bold(cmdline.Clean(cell)))
		}
		for _, line := range lines {
			a.Printf("  %s\n", line)
			left--
		}
		rest = rest[n:]
	}
	if left > 0 {
		a.Printf("%s\n", a.Paint.Faint(cmdline.Plural(left, "more field")+" changed: --fields shows all"))
	}
	return nil
}

// states are the states of cells by projection and key.
func states(cells []past.NamedCell) (map[string]any, error) {
	all := map[string]any{}
	for _, c := range cells {
		var state any
		if err := json.Unmarshal(c.State, &state); err != nil {
			return nil, fmt.Errorf("read the state of %s %s: %w", c.Projection, c.Key, err)
		}
		all[c.Projection+"  "+c.Key] = state
	}
	return all, nil
}

// lines tell how one state became another.
func (a *app) lines(projection string, before, after any) []string {
	var lines []string
	for _, t := range tellings[projection] {
		path, member, _ := strings.Cut(t.path, "[].")
		if text := a.turned(inside(before, path), inside(after, path), member); text != "" {
			lines = append(lines, cmdline.Pad(t.label, 15)+"  "+text)
		}
	}
	return lines
}

// inside is a value below a state, nil where there is none.
func inside(state any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := state.(map[string]any)
		state = m[name]
	}
	return state
}

// turned says how one value became another, "" where it did not.
func (a *app) turned(before, after any, member string) string {
	if _, is := cmp.Or(after, before).(map[string]any); is || member != "" {
		return a.parts(parts(before, member), parts(after, member))
	}
	left, right := shown(before), shown(after)
	switch {
	case left == right:
		return ""
	case left == "":
		return a.Paint.Good(right)
	case right == "":
		return a.Paint.Bad("no longer " + left)
	}
	return left + " → " + a.Paint.Good(right)
}

// parts are the elements of a list by a member of them, or the members of an object, each with its value.
func parts(v any, member string) map[string]any {
	all := map[string]any{}
	if m, is := v.(map[string]any); is {
		for name, e := range m {
			all[name] = detail(e)
		}
		return all
	}
	list, _ := v.([]any)
	for _, e := range list {
		if name := shown(inside(e, member)); name != "" {
			all[name] = detail(e)
		}
	}
	return all
}

// detail is what is said of an element beside its name.
func detail(e any) any {
	m, is := e.(map[string]any)
	if !is {
		return e
	}
	for _, name := range []string{"edited", "read"} {
		if n, is := m[name].(float64); is {
			return fmt.Sprintf("(%s %v×)", name, n)
		}
	}
	text, _ := json.Marshal(m) // what came from JSON
	switch {
	case m["status"] != nil:
		return "(" + shown(m["status"]) + ")"
	case m["created"] == true:
		return "(created)"
	case m["ok"] != nil && m["ok"] != true:
		return "(failed)"
	case m["closed"] != nil:
		return "(closed)"
	case strings.Contains(string(text), `"satisfied":{`):
		return "(satisfied)"
	}
	return ""
}

// parts says what came, what went, and what counts otherwise.
func (a *app) parts(before, after map[string]any) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, known := before[name]
		word := cmdline.Fit(cmdline.OneLine(name), 60)
		switch left, right := shown(was), shown(after[name]); {
		case !known && right != "":
			texts = append(texts, a.Paint.Good("+ "+word+" "+right))
		case !known:
			texts = append(texts, a.Paint.Good("+ "+word))
		case left != right:
			texts = append(texts, word+" "+left+" → "+right)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			texts = append(texts, a.Paint.Bad("- "+cmdline.Fit(cmdline.OneLine(name), 60)))
		}
	}
	return strings.Join(texts, "; ")
}

// shown is a value as people read it; "" of none, and of what has parts.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return cmdline.OneLine(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}
