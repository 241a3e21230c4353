package cmdline

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Help is set for a terminal of 80 columns, or a narrower one: paragraphs are wrapped anew, lists keep
// their columns. A line that begins with a blank, and an example, stay as they are written.

// helpColumns is the width of help; on a wider terminal longer lines would only be harder to read.
const helpColumns = 80

// columns is the width that text for people is wrapped to.
func (c *Console) columns() int {
	if c.Columns > 0 {
		return min(c.Columns, helpColumns)
	}
	return helpColumns
}

func (c *Console) printHelp(cmd *cobra.Command, _ []string) {
	before, after, _ := strings.Cut(cmd.UsageString(), cmd.Example)
	usage := Wrap(before, c.columns()) + cmd.Example + Wrap(after, c.columns())
	_, _ = io.WriteString(c.Out, Reflow(cmp.Or(cmd.Long, cmd.Short), c.columns())+"\n\n"+usage)
}

// Reflow wraps every paragraph of a text to so many columns. Paragraphs are parted by empty lines.
func Reflow(text string, columns int) string {
	var out []string
	prose := func(line string) bool { return line != "" && !strings.HasPrefix(line, " ") }
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		last := len(out) - 1
		if last >= 0 && prose(line) && prose(out[last]) {
			out[last] += " " + line
			continue
		}
		out = append(out, line)
	}
	for i, line := range out {
		if !strings.HasPrefix(line, " ") {
			out[i] = Hang("", line, columns)
		}
	}
	return strings.Join(out, "\n")
}

// Wrap breaks the lines of a text that are wider than so many columns, each below the beginning of its last
// column that begins in the left half: what follows two blanks or more. columns ≤ 0 means no limit.
func Wrap(text string, columns int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if columns > 0 && len(line) > columns { // bytes are at least as many as columns
			label := columnBefore(line, columns/2)
			line = Hang(label, strings.TrimPrefix(line, label), columns)
		}
		out.WriteString(line)
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// columnBefore is the begin of a line, up to the last column that begins at most so far.
func columnBefore(line string, most int) string {
	label := line[:len(line)-len(strings.TrimLeft(line, " "))]
	for at := range len(line) - 2 {
		begins := line[at] == ' ' && line[at+1] == ' ' && line[at+2] != ' '
		if begins && Width(line[:at+2]) <= most {
			label = line[:at+2]
		}
	}
	return label
}

// Hang puts a text after its label and wraps it to so many columns, below its own beginning; columns ≤ 0
// means no limit.
func Hang(label, text string, columns int) string {
	indent := Width(label)
	if columns <= 0 || indent+Width(text) <= columns || columns-indent < 16 {
		return label + text
	}
	var b strings.Builder
	b.WriteString(label)
	at := indent
	for i, word := range strings.Fields(text) {
		if w := Width(word); i > 0 && at+1+w > columns {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		} else if i > 0 {
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += Width(word)
	}
	return b.String()
}
