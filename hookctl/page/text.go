package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"hookline/events/wording"
)

// Texts of the log for a page. Others wrote them: control characters, and those that turn the direction of writing, are
// shown by their number, so that a screen or a browser does not act on them.

// maxLine is the length of a text in a row of the timeline, in characters.
const maxLine = 240

// line returns the beginning of a text on one line. It is not [wording.Short], which drops control characters: here
// they are shown by their number.
func line(s string) string {
	begin := clean(s[:min(len(s), 8*maxLine)])
	return wording.Cut(wording.Flat(begin), maxLine, "…")
}

// colour matches the sequences that set a terminal's colour; many commands print them.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// clean returns a text with each control character replaced by its number, and without the colours of a terminal.
func clean(s string) string {
	valid := strings.ToValidUTF8(s, "\uFFFD")

	var b strings.Builder
	for _, r := range colour.ReplaceAllString(valid, "") {
		if isControl(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isControl tells whether a screen acts on a character instead of showing it.
func isControl(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u2028', '\u2029': // line and paragraph separator
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
