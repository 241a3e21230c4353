package cmdline

import (
	"io"
	"strings"
)

// Table is rows in aligned columns below a faint head. The last column is not padded.
type Table struct {
	Head  []string // all empty: it is not printed
	Rows  [][]string
	Color func(column int, s string) string // of a padded value; nil for none
}

// Row adds one.
func (t *Table) Row(values ...string) { t.Rows = append(t.Rows, values) }

// Print writes the table.
func (t *Table) Print(w io.Writer, p Palette) {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, v := range row {
			widths[i] = max(widths[i], Width(v))
		}
	}
	if strings.Join(t.Head, "") != "" {
		line(w, t.Head, widths, func(_ int, s string) string { return p.Faint(s) })
	}
	color := t.Color
	if color == nil {
		color = func(_ int, s string) string { return s }
	}
	for _, row := range t.Rows {
		line(w, row, widths, color)
	}
}

func line(w io.Writer, row []string, widths []int, color func(int, string) string) {
	var b strings.Builder
	for i, v := range row {
		if i < len(row)-1 {
			v = Pad(v, widths[i]) + "  "
		}
		b.WriteString(color(i, v))
	}
	_, _ = io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n")
}
