package cmdline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/rivo/uniseg"

	"hookline/events/wording"
)

// esc stands for the escape character in our own colours and links until [Show] prints them: that of others is dropped
// there. No text needs this character, which Unicode keeps for a program's own use.
const esc = "\uFDD0"

// styles finds what our own colours and links add to a text.
var styles = regexp.MustCompile(esc + "(\\[[0-9;]*m|]8;;[^" + esc + "]*" + esc + "\\\\)")

// Width is the number of terminal columns that s takes, its colours and links apart.
func Width(s string) int {
	if strings.Contains(s, esc) {
		s = styles.ReplaceAllString(s, "")
	}
	return uniseg.StringWidth(s)
}

// Pad fills s with blanks to n columns.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Width(s))) }

// Fit cuts s to n columns, the last one being "…" then. n ≤ 0 means no limit.
func Fit(s string, n int) string {
	if n <= 0 || Width(s) <= n {
		return s
	}
	var b strings.Builder
	left, state := n-1, -1
	for len(s) > 0 {
		var cluster string
		var w int
		cluster, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		if w > left {
			break
		}
		left -= w
		b.WriteString(cluster)
	}
	return b.String() + "…"
}

// FitMiddle cuts s to n columns where it is longer: its end often says more than its middle, as that
// of a path. n ≤ 0 means no limit.
func FitMiddle(s string, n int) string {
	if n <= 0 || Width(s) <= n {
		return s
	}

	begin := strings.TrimSuffix(Fit(s, n-n/2), "…")
	end := ""
	for rest := s; rest != ""; {
		if Width(rest) <= n-1-Width(begin) {
			end = rest
			break
		}
		_, rest, _, _ = uniseg.FirstGraphemeClusterInString(rest, -1)
	}
	return begin + "…" + end
}

// maxLine is in bytes: more than any terminal line; prompts can be megabytes.
const maxLine = 4096

// OneLine makes a text fit for one line of a terminal: it is cleaned, blanks in a row are one, and what
// is beyond 4096 bytes goes.
func OneLine(s string) string {
	return wording.Flat(Clean(s[:min(len(s), maxLine)]))
}

// Clean makes a text harmless for a terminal and leaves its blanks where they are: blanks of all kinds
// become spaces, control characters (escape sequences begin with one) and those that turn the direction
// of writing go.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case acts(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Show makes a text ready for a terminal: our own colours and links work, and of all else that a terminal acts upon only
// tabs and ends of lines stay.
func Show(s string) string {
	s = strings.Map(func(r rune) rune {
		if acts(r) && !strings.ContainsRune("\n\t"+esc, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return styles.ReplaceAllStringFunc(s, func(style string) string { return strings.ReplaceAll(style, esc, "\x1b") })
}

// acts reports whether a character does not appear on a terminal: a hidden one, or the one that stands for our own escape.
func acts(r rune) bool {
	inColour := r == wording.InColour
	return wording.Hidden(r) && !inColour || string(r) == esc
}

// IndentJSON is data for reading on a terminal, see [TerminalJSON]. What is no JSON becomes one line of
// text.
func IndentJSON(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return OneLine(string(data))
	}
	return TerminalJSON(b.String())
}

// plain writes <, > and & as they are, which Go's encoder escapes for web pages; a pair of backslashes before them is text.
var plain = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// TerminalJSON is JSON as a terminal may show it: <, > and & as they are, and what a terminal acts upon
// escaped. JSON itself escapes the old control characters only.
func TerminalJSON(text string) string {
	var out strings.Builder
	for _, r := range plain.Replace(text) {
		if r != '\n' && acts(r) {
			for _, unit := range utf16.Encode([]rune{r}) { // JSON's escapes are of 16 bits
				fmt.Fprintf(&out, "\\u%04x", unit)
			}
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Count is a number with its thousands set off.
func Count[N int | int64 | uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural is a count with its noun: "1 secret", "2,000 secrets".
func Plural[N int | int64 | uint64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(max(0, n)) + " " + noun
}

// Counts is how often each name stands in a list, as "Bash 12, Edit 3", the most frequent first.
func Counts(of map[string]int) string {
	names := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(names, func(x, y string) int { return of[y] - of[x] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, of[n])
	}
	return strings.Join(names, ", ")
}

// Bytes is a size as people read it, in units of 1024.
func Bytes(n uint64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, names := float64(n)/unit, "KMGTPE"
	i := 0
	for ; value >= unit; i++ { // the largest number of 64 bits is of the last unit
		value /= unit
	}
	return fmt.Sprintf("%.1f %ciB", value, names[i])
}
