package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
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
func (p palette) bad(s string) string   { return p.in(s, color.FgRed) }
func (p palette) faint(s string) string { return p.in(s, color.Faint) }
func (p palette) bold(s string) string  { return p.in(s, color.Bold) }

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

// oneLine makes text from the log fit for one line of a terminal: blanks of all kinds become spaces,
// control characters (escape sequences begin with one) and those that turn the direction of writing go.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// table prints rows in aligned columns below a faint head. The last column is not padded.
func table(w io.Writer, p palette, head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, v := range row {
			widths[i] = max(widths[i], width(v))
		}
	}
	line := func(row []string) string {
		var b strings.Builder
		for i, v := range row[:len(row)-1] {
			b.WriteString(pad(v, widths[i]) + "  ")
		}
		return b.String() + row[len(row)-1]
	}
	fmt.Fprintln(w, p.faint(line(head)))
	for _, row := range rows {
		fmt.Fprintln(w, line(row))
	}
}

// count is a number with its thousands set off.
func count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(uint64(max(0, n))) + " " + noun
}

// took is a duration as people say it.
func took(ms float64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}
