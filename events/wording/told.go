package wording

import (
	"regexp"
	"strings"
	"unicode"
)

// Recorded text in what a model is told. It came from anybody: from outputs, files, web pages, other agents. It must neither
// end the part of the request that it stands in nor begin another one.

// Inert returns a recorded text as a model may read it: on one line, without hidden characters, and without what looks like a
// tag, see [Untagged].
func Inert(text string) string {
	return Untagged(Visible(oneLine(text)))
}

// oneLine joins the lines of a text; a line separator of Unicode ends one, too. Runs of blanks within a line stay.
func oneLine(text string) string {
	if !strings.ContainsFunc(text, endsLine) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, endsLine), " ")
}

// endsLine reports whether a character ends a line for some reader.
func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\t', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// tag matches what a model reads as a tag: < before a letter, a slash or an exclamation mark, and what follows up to its end,
// where there is one. Its first group is the word of a here-document, <<EOF, which is none.
var tag = regexp.MustCompile(`<<-?([A-Z][A-Z0-9_]*)(?:[\s;|&)]|$)|<([\p{L}/!])(?:([^<>\n]*)>)?`)

// Untagged returns a text in which what looks like a tag has ‹ and › instead of < and >. Other signs stay, so that a command
// can be run: a < b, 2>&1, <<EOF, <(sort a).
func Untagged(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}

	var out strings.Builder
	at := 0
	for _, m := range tag.FindAllStringSubmatchIndex(text, -1) {
		isWord := m[2] >= 0
		if isWord {
			continue
		}
		out.WriteString(text[at:m[0]])
		out.WriteString("‹")
		at = m[4]
		if closes := m[6] >= 0; closes {
			out.WriteString(text[m[4]:m[7]])
			out.WriteString("›")
			at = m[1]
		}
	}
	out.WriteString(text[at:])
	return out.String()
}

// Code returns a text in backticks, as a command is told. It has more of them around it than it has in a row, so that it
// cannot leave them, and stands on one line.
func Code(text string) string {
	text = strings.TrimFunc(oneLine(text), unicode.IsSpace)
	most := 0
	for at := 0; at < len(text); at++ {
		n := ticks([]byte(text[at:min(len(text), at+maxTicks)]))
		most = max(most, n)
		at += n
	}
	marks := strings.Repeat("`", most+1)
	if most == 0 {
		return marks + text + marks
	}
	return marks + " " + text + " " + marks
}

// maxTicks bounds the backticks in a row that are counted.
const maxTicks = 1000
