package working

import (
	"strings"

	"hookline/events/wording"
)

// Texts: how long one may be.

// Line is a text's first line without control characters, at most 200 characters.
func Line(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return wording.Short(text, maxLine)
}
