package cli

import (
	"strings"

	"hookline/hookctl/cmdline"
	"hookline/projector"
)

// absent stands for a value that does not exist, as the engine writes it. JSON texts of strings are quoted, so no value
// looks like it.
const absent = "(absent)"

// cellOf returns the heading of the cell that a difference is in: projection, bucket where there is one, and key.
func cellOf(d projector.Diff) string {
	words := []string{d.Projection}
	if d.Bucket != "" {
		words = append(words, d.Bucket)
	}
	return cmdline.Clean(strings.Join(append(words, d.Key), "  "))
}

// fieldOf returns the path of the field that differs, or a word for the whole cell.
func fieldOf(d projector.Diff) string {
	if d.Field == "" {
		return "(cell)"
	}
	return cmdline.Clean(d.Field)
}

// printDiffs writes a heading for each cell and below it a line for each of its fields, with what values says of it.
func (a *app) printDiffs(diffs []projector.Diff, values func(projector.Diff) string) {
	for len(diffs) > 0 {
		cell := cellOf(diffs[0])
		width := 0
		n := 0
		for n < len(diffs) && cellOf(diffs[n]) == cell {
			width = max(width, cmdline.Width(fieldOf(diffs[n])))
			n++
		}

		a.Printf("%s\n", a.Paint.Bold(cell))
		for _, d := range diffs[:n] {
			a.Printf("  %s  %s\n", cmdline.Pad(fieldOf(d), width), values(d))
		}
		diffs = diffs[n:]
	}
}

// became writes an old and a new value.
func (a *app) became(from, to string) string { return a.Paint.Bad(from) + " → " + a.Paint.Good(to) }

// extent says how much differs: "2 fields of 1 cell".
func extent(diffs []projector.Diff) string {
	cells := map[string]struct{}{}
	for _, d := range diffs {
		cells[cellOf(d)] = struct{}{}
	}
	return cmdline.Plural(len(diffs), "field") + " of " + cmdline.Plural(len(cells), "cell")
}
