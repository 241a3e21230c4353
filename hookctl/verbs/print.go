package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/rivo/uniseg"
)

// palette paints when it is on.
type palette struct{ on bool }

func (p palette) in(s string, attrs ...color.Attribute) string {
	if !p.on || s == "" {
		return s
	}
	c := color.New(attrs...)
	c.EnableColor()
	return c.Sprint(s)
}

func (p palette) good(s string) string  { return p.in(s, color.FgGreen) }
func (p palette) warn(s string) string  { return p.in(s, color.FgYellow) }
func (p palette) bad(s string) string   { return p.in(s, color.FgRed) }
func (p palette) faint(s string) string { return p.in(s, color.Faint) }
func (p palette) bold(s string) string  { return p.in(s, color.Bold) }

// sessionColors are told apart on dark and light terminals alike.
var sessionColors = []color.Attribute{color.FgCyan, color.FgMagenta, color.FgBlue, color.FgGreen, color.FgYellow,
	color.FgHiCyan, color.FgHiMagenta, color.FgHiBlue}

// session gives each session a colour of its own; with more than eight, some share one.
func (p palette) session(alias string) string {
	h := uint32(2166136261)
	for i := range len(alias) {
		h = (h ^ uint32(alias[i])) * 16777619
	}
	return p.in(alias, sessionColors[h%uint32(len(sessionColors))])
}

// width is the number of terminal columns that s takes.
func width(s string) int { return uniseg.StringWidth(s) }

// pad fills s with blanks to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-width(s))) }

// fit cuts s to n columns, the last one being "…" then. n ≤ 0 means no limit.
func fit(s string, n int) string {
	if n <= 0 || width(s) <= n {
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

// oneLine makes text from the log or a file fit for one line of a terminal: blanks of all kinds are
// one space, control characters (escape sequences begin with one) and those that turn the direction
// of writing go.
func oneLine(s string) string {
	const most = 4096 // more than any terminal line; prompts can be megabytes
	if len(s) > most {
		s = s[:most]
	}
	var b strings.Builder
	blank := false
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case unicode.IsSpace(r):
			blank = true
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			continue
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(r)
	}
	return b.String()
}

// indentJSON is data for reading on a terminal. JSON itself escapes the old control characters; the
// others that a terminal acts upon are escaped here. What is no JSON becomes one line of text.
func indentJSON(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return oneLine(string(data))
	}
	var out strings.Builder
	for _, r := range b.String() {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// table prints rows in aligned columns, the head faint. The last column is not padded.
type table struct {
	head  []string
	rows  [][]string
	color func(column int, s string) string // of a padded value; nil for none
}

func (t *table) row(values ...string) { t.rows = append(t.rows, values) }

func (t *table) print(w io.Writer, p palette) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, v := range row {
			widths[i] = max(widths[i], width(v))
		}
	}
	line := func(row []string, paint func(int, string) string) {
		var b strings.Builder
		for i, v := range row {
			if i < len(row)-1 {
				v = pad(v, widths[i]) + "  "
			}
			b.WriteString(paint(i, v))
		}
		_, _ = io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n")
	}
	if strings.Join(t.head, "") != "" {
		line(t.head, func(_ int, s string) string { return p.faint(s) })
	}
	for _, row := range t.rows {
		line(row, func(i int, s string) string {
			if t.color == nil {
				return s
			}
			return t.color(i, s)
		})
	}
}
