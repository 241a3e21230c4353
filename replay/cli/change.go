package cli

import (
	"strings"

	"hookline/hookctl/cmdline"
	"hookline/projector"
)

// absent is how the engine writes a value that is not there. JSON texts of strings are quoted, so it
// cannot be mistaken for one.
const absent = "(absent)"

// change is one field of a cell that has two values.
type change struct {
	where       []string // projection, bucket where there is one, key
	field       string   // "" for the whole cell
	left, right string   // JSON texts
}

// changes brings differences into one form; pick says which value stands left.
func changes(diffs []projector.Diff, pick func(projector.Diff) (left, right string)) []change {
	out := make([]change, 0, len(diffs))
	for _, d := range diffs {
		c := change{where: []string{d.Projection}, field: d.Field}
		if d.Bucket != "" {
			c.where = append(c.where, d.Bucket)
		}
		c.where = append(c.where, d.Key)
		c.left, c.right = pick(d)
		out = append(out, c)
	}
	return out
}

func wantGot(d projector.Diff) (string, string) { return d.Want, d.Got }

func (c change) cell() string { return cmdline.Clean(strings.Join(c.where, "  ")) }

func (c change) name() string {
	if c.field == "" {
		return "(cell)"
	}
	return cmdline.Clean(c.field)
}

// look says how the two values of a change are written.
type look struct {
	leftWord, between string                          // before the left value, and between the two
	left, right       func(s string) string           // colours
	mark              func(left, right string) string // before the field
}

// became shows what a cell held and what it holds then.
func (a *app) became() look {
	return look{between: " → ", left: a.Paint.Bad, right: a.Paint.Good, mark: func(left, right string) string {
		switch {
		case left == absent:
			return a.Paint.Good("+") + " "
		case right == absent:
			return a.Paint.Bad("-") + " "
		}
		return a.Paint.Faint("~") + " "
	}}
}

// widest is how far a left value is padded: a longer one moves only its own line.
const widest = 40

// printChanges writes a heading for each cell and a line for each of its fields, aligned.
func (a *app) printChanges(list []change, l look) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].cell() == list[0].cell() {
			n++
		}
		a.Printf("%s\n", a.Paint.Bold(list[0].cell()))
		a.printCell(list[:n], l)
		list = list[n:]
	}
}

func (a *app) printCell(list []change, l look) {
	var names, lefts int
	for _, c := range list {
		names, lefts = max(names, cmdline.Width(c.name())), max(lefts, cmdline.Width(c.left))
	}
	var half int // columns for each value; 0 = as long as it is
	if a.Columns > 0 {
		half = max(16, (a.Columns-names-len("  ~   ")-len(l.leftWord)-cmdline.Width(l.between))/2)
		lefts = min(lefts, half)
	}
	lefts = min(lefts, widest)
	for _, c := range list {
		left, right := cut(c.left, c.right, half)
		a.Printf("  %s%s  %s%s%s%s%s\n", l.mark(c.left, c.right), cmdline.Pad(c.name(), names), l.leftWord, l.left(left),
			strings.Repeat(" ", max(0, lefts-cmdline.Width(left))), l.between, l.right(right))
	}
}

// cut brings two values to n columns. Long ones that look the same then lose the beginning they share,
// so that what differs is seen.
func cut(left, right string, n int) (string, string) {
	l, r := cmdline.Fit(left, n), cmdline.Fit(right, n)
	if l != r {
		return l, r
	}
	const context = 4 // characters kept before the difference
	a, b := []rune(left), []rune(right)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same <= context || same == len(a) && same == len(b) {
		return l, r
	}
	same -= context
	return cmdline.Fit("…"+string(a[same:]), n), cmdline.Fit("…"+string(b[same:]), n)
}

// extent says how much changed: "2 fields of 1 cell".
func extent(list []change) string {
	cells := map[string]struct{}{}
	for _, c := range list {
		cells[c.cell()] = struct{}{}
	}
	return cmdline.Plural(len(list), "field") + " of " + cmdline.Plural(len(cells), "cell")
}
