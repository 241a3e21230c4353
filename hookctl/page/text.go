package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"hookline/events"
)

// Texts of the log for a page. All of them were written by others: control characters and those that turn the direction
// of writing are shown by name, so that none acts on the reader's screen.

// maxLine is in characters: a row of the timeline.
const maxLine = 240

// line is a text's beginning on one line.
func line(s string) string {
	s = strings.Join(strings.Fields(clean(s[:min(len(s), 8*maxLine)])), " ")
	if r := []rune(s); len(r) > maxLine {
		return string(r[:maxLine-1]) + "…"
	}
	return s
}

// colour finds what sets a terminal's colour; commands print much of it.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// clean shows by its number what would act on a screen. Colours of a terminal go.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range colour.ReplaceAllString(s, "") {
		if acts(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// acts tells a character that a screen acts upon instead of showing it.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// subjects are members of a tool's input that say what a call is about, best first.
var subjects = []string{"command", "file_path", "notebook_path", "pattern", "url", "query", "skill", "description", "subject", "prompt", "path", "message"}

func subject(r events.Record, input json.RawMessage) string {
	base := r.Worktree
	if h, ok := r.Event.(events.HookEvent); ok && base == "" {
		base = h.Hook().Cwd
	}
	for _, name := range subjects {
		text := events.WithoutFolder(member(input, name))
		if base != "" {
			text = strings.TrimPrefix(text, strings.TrimSuffix(base, "/")+"/")
		}
		if text != "" {
			return text
		}
	}
	var todos []json.RawMessage
	if json.Unmarshal(events.Member(input, "todos"), &todos) == nil {
		return plural(len(todos), "thing") + " to do"
	}
	return anyText(input)
}

// ofTheHook are the members of every hook, which are shown elsewhere.
var ofTheHook = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode"}

// anyText is the first text of a JSON object's members, by name, that is not about the hook itself.
func anyText(data json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, k := range slices.Sorted(maps.Keys(members)) {
		s, ok := members[k].(string)
		if ok && s != "" && k != "tool_use_id" && !slices.Contains(ofTheHook, k) {
			return k + ": " + s
		}
	}
	return ""
}

// textOf is a JSON string, the texts of content blocks, or the beginning of a text that is kept outside of the event.
func textOf(raw json.RawMessage) string {
	if text := events.Text(raw); text != "" {
		return text
	}
	if events.Member(raw, "$blob") != nil {
		return fmt.Sprintf("%s\n… (%s bytes in all)", events.MemberText(raw, "head"), events.Member(raw, "size"))
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(nonEmpty(parts...), "\n")
}

// member is [textOf] a member of an object.
func member(object json.RawMessage, name string) string { return textOf(events.Member(object, name)) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" })
}

// counts is "Bash 12, Edit 3", the most frequent first.
func counts(m map[string]int) string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(x, y string) int { return m[y] - m[x] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, m[n])
	}
	return strings.Join(names, ", ")
}

// span is a duration as people say it.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
