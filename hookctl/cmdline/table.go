package cmdline

import (
	"slices"
	"strings"
)

// Table is rows in aligned columns below a faint head, made by [Console.Table]. The last column is not padded.
type Table struct {
	console *Console

	Head    []string // all empty: it is not printed
	Rows    [][]string
	Color   func(head, s string) string // of a padded value, by its column's head; nil for none
	Columns int                         // that there is room for; 0: no limit
	Prose   bool                        // the last column is wrapped within its own width, where that is at least 24
	Drop    []string                    // heads of the columns that may go for lack of room, the first one first
}

// least is how far a column is cut at most.
const least = 8

// leastProse is the width from which on a column can hold sentences.
const leastProse = 24

// Table is an empty table as wide as the terminal.
func (c *Console) Table(head ...string) *Table {
	return &Table{console: c, Head: head, Columns: c.Columns}
}

// Row adds one, each value on one line and fit for a terminal; blanks before a value stay.
func (t *Table) Row(values ...string) {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = v[:len(v)-len(strings.TrimLeft(v, " "))] + OneLine(v)
	}
	t.Rows = append(t.Rows, row)
}

// PrintList prints a list: with --json an object a line, else as rows of t, or the word for an empty one.
func PrintList[T any](t *Table, empty string, list []T, row func(T) []string) error {
	if t.console.JSON {
		return PrintEach(t.console, list)
	}
	if len(list) == 0 {
		t.console.Printf("%s\n", empty)
		return nil
	}
	for _, v := range list {
		t.Row(row(v)...)
	}
	t.Print()
	return nil
}

// Print writes the table.
func (t *Table) Print() {
	t.fit()
	widths := t.widths()
	if strings.Join(t.Head, "") != "" {
		t.line(t.Head, widths, func(_, s string) string { return t.console.Paint.Faint(s) })
	}
	color := t.Color
	if color == nil {
		color = func(_, s string) string { return s }
	}
	for _, row := range t.Rows {
		t.line(row, widths, color)
	}
}

// widths are those that the columns need: of prose, the least.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, v := range row {
			widths[i] = max(widths[i], Width(v))
		}
	}
	if last := len(widths) - 1; t.Prose {
		widths[last] = min(widths[last], leastProse)
	}
	return widths
}

// fit takes columns out until the table fits its room, then cuts the middle out of what is wider than the others.
func (t *Table) fit() {
	for _, head := range t.Drop {
		widths := t.widths()
		if t.excess(widths, slices.Max(widths)) <= 0 {
			break
		}
		i := slices.Index(t.Head, head)
		t.Head = slices.Delete(slices.Clone(t.Head), i, i+1)
		for n, row := range t.Rows {
			t.Rows[n] = slices.Delete(slices.Clone(row), i, i+1)
		}
	}
	widths := t.widths()
	room := slices.Max(widths)
	for room > least && t.excess(widths, room) > 0 {
		room--
	}
	for n, row := range t.Rows {
		t.Rows[n] = slices.Clone(row)
		for i, v := range row {
			if widths[i] > room {
				t.Rows[n][i] = FitMiddle(v, room)
			}
		}
	}
}

// excess is by how many columns the table is too wide where all but heads are cut to room.
func (t *Table) excess(widths []int, room int) int {
	if t.Columns <= 0 {
		return 0
	}
	sum := -t.Columns - len("  ")
	for i, w := range widths {
		sum += min(w, max(room, Width(t.Head[i]))) + len("  ")
	}
	return sum
}

func (t *Table) line(row []string, widths []int, color func(head, s string) string) {
	var b strings.Builder
	last := len(row) - 1
	for i, v := range row[:last] {
		b.WriteString(color(t.Head[i], Pad(v, widths[i])+"  "))
	}
	end := color(t.Head[last], row[last])
	text := b.String() + end
	if t.Prose {
		text = Hang(b.String(), end, t.Columns)
	}
	t.console.Verbatim(strings.TrimRight(text, " ") + "\n")
}
