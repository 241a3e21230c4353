package insight

import (
	"bytes"
	_ "embed" // the table of facts
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookline/events"
	"hookline/events/wording"
)

//go:embed facts.txt
var factTable string

// fact is what a person scans a list for, of one type: parts with fields, as facts.txt explains.
type fact struct {
	tone, sep string
	parts     []string
}

var factRow = regexp.MustCompile(`(?m)^([a-z_.]+) +(\w+) +"([^"]*)" *(.*)$`)

// factRows are the rows of the table by type.
var factRows = sync.OnceValue(func() map[string]fact {
	all := map[string]fact{}
	for _, row := range factRow.FindAllStringSubmatch(factTable, -1) {
		all[row[1]] = fact{row[2], row[3], strings.Split(row[4], " | ")}
	}
	return all
})

// membersOf are a JSON object's, numbers as they are written; nil of anything else.
func membersOf(data []byte) map[string]any {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return nil
	}
	return m
}

// Fact is the one thing of an event that a person scans a list for: the file, the command, the error, the head of the
// prompt. An event that has a summary of its own ([events.Summarizer]) gives that, the others have a row in the table; a type
// without either shows the first text of its data. The text is as others wrote it: it is not cleaned.
func Fact(r events.Record) string {
	if e, ok := r.Event.(events.Summarizer); ok {
		return e.Summary()
	}
	row, ok := factRows()[r.Type]
	data, err := json.Marshal(r.Event)
	if !ok || err != nil {
		return anyText(membersOf(r.Data))
	}
	of := reading{r, membersOf(data)}
	parts := make([]string, len(row.parts))
	for i, part := range row.parts {
		parts[i] = of.part(part)
	}
	return Join(row.sep, parts...)
}

// Tone is how a type stands in a list: good, warn, bad, faint or plain.
func Tone(typ string) string { return factRows()[typ].tone }

// reading fills the fields of an event's fact.
type reading struct {
	r    events.Record
	data map[string]any
}

var factField = regexp.MustCompile(`\{(@?\w+)(?::([^} ])(?: (\w+))?)?\}`)

// part is a part of a fact; "" where it has fields and all of them are empty.
func (x reading) part(text string) string {
	some := false
	text = factField.ReplaceAllStringFunc(text, func(all string) string {
		m := factField.FindStringSubmatch(all)
		v := x.value(m[1], m[2], m[3])
		some = some || v != "" && v != "0"
		return v
	})
	if !some {
		return ""
	}
	return text
}

func (x reading) value(name, form, word string) string {
	switch name {
	case "call":
		input, _ := x.data["tool_input"].(map[string]any)
		name, _ := x.data["tool_name"].(string)
		text := Join(": ", name, subject(x.r, input))
		if x.data["is_interrupt"] == true {
			return "interrupted: " + text
		}
		return text
	case "took":
		n, _ := x.data["duration_ms"].(json.Number)
		ms, _ := n.Float64()
		if text := Took(ms); text != "" {
			return " (" + text + ")"
		}
		return ""
	case "@branch":
		return x.r.Branch
	}

	v := x.data[name]
	list, _ := v.([]any)
	text := ""
	if v != nil {
		text = fmt.Sprint(v)
	}
	switch form {
	case "_":
		return strings.ReplaceAll(text, "_", " ")
	case "a":
		return events.Alias(text)
	case "h":
		if x.data["is_interrupt"] == true { // the call says so
			return ""
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				return line
			}
		}
		return "failed"
	case "n":
		switch n := len(list); {
		case word == "" || n == 0:
			return strconv.Itoa(n)
		case n == 1:
			return "1 " + word
		default:
			return fmt.Sprintf("%d %ss", n, word)
		}
	case "l": // texts, or a member of objects
		var texts []string
		for _, v := range list {
			if object, ok := v.(map[string]any); ok {
				v = object[word]
			}
			texts = append(texts, fmt.Sprint(v))
		}
		return strings.Join(texts, ", ")
	}
	return text
}

// subjects are members of a tool's input that say what a call is about, best first.
var subjects = []string{"command", "file_path", "notebook_path", "pattern", "url", "query", "skill", "description", "subject", "prompt", "path", "message"}

// Subject is the one thing of a call's input that says what the call is about.
func Subject(r events.Record, input json.RawMessage) string { return subject(r, membersOf(input)) }

func subject(r events.Record, input map[string]any) string {
	for _, name := range subjects {
		text := events.WithoutFolder(textOf(input[name]))
		if text == "" {
			continue
		}
		base := r.Worktree
		if h, ok := r.Event.(events.HookEvent); ok && base == "" {
			base = h.Hook().Cwd
		}
		return wording.Below(base, text)
	}
	return anyText(input)
}

// textOf is a JSON string, or the head of one that is kept outside the event.
func textOf(v any) string {
	if blob, ok := v.(map[string]any); ok && blob["$blob"] != nil {
		v = blob["head"]
	}
	text, _ := v.(string)
	return text
}

// Took returns how long a call took as [wording.Took], and "" for less than a millisecond.
func Took(ms float64) string {
	if ms < 1 {
		return ""
	}
	return wording.Took(time.Duration(ms * float64(time.Millisecond)))
}

// anyText is the first text in an object's members, by name, that is not about the hook itself.
func anyText(of map[string]any) string {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		switch k {
		case "session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "tool_use_id":
			continue
		}
		if s, ok := of[k].(string); ok && s != "" {
			return k + "=" + s
		}
	}
	return ""
}

// Join puts sep between the parts that are not empty.
func Join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}
