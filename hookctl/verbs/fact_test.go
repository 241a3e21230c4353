package verbs

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/show"
)

// TestLineIsSafe: whatever an event holds, its line is one line, fits the terminal and holds no
// character that a terminal acts upon.
func TestLineIsSafe(t *testing.T) {
	b := newBench(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		b.Columns = rapid.IntRange(70, 200).Draw(rt, "columns")
		r := record(1, events.TypePromptSubmitted, rapid.String().Draw(rt, "session"), `{}`)
		r.Event = &events.PromptSubmitted{Prompt: text} // its data is that of the event
		line := show.Line(b.Env, r, "")
		if cmdline.Width(line) > b.Columns {
			rt.Fatalf("%d columns of %d: %q", cmdline.Width(line), b.Columns, line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); i >= 0 {
			rt.Fatalf("control character at %d: %q", i, line)
		}
	})
}
