package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/insight"
)

// Texts of the log for a page. All of them were written by others: control characters and those that turn the direction
// of writing are shown by name, so that none acts on the reader's screen.

// maxLine is in characters: a row of the timeline.
const maxLine = 240

// line returns the beginning of a text on one line. It is not [wording.Short], which drops what acts on a screen: here
// that is shown by its number.
func line(s string) string {
	begin := clean(s[:min(len(s), 8*maxLine)])
	return wording.Cut(wording.Flat(begin), maxLine, "…")
}

// colour finds what sets a terminal's colour; commands print much of it.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// clean shows by its number what would act on a screen. Colours of a terminal go.
func clean(s string) string {
	var b strings.Builder
	for _, r := range colour.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "") {
		if acts(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// acts says whether a screen acts upon a character instead of showing it.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// ofTheHook are the members of every hook, which are shown elsewhere.
var ofTheHook = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode"}

// member is [insight.Text] of a member of an object.
func member(object json.RawMessage, name string) string {
	return insight.Text(events.Member(object, name))
}
