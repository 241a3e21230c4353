package cmdline

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hookline/expect"
)

func TestHang(t *testing.T) {
	for _, tc := range []struct {
		label, text string
		columns     int
		want        string
	}{
		{"a  ", "one two", 80, "a  one two"},
		{"a  ", "one two three four five six", 20, "a  one two three\n   four five six"},
		{"a  ", "one two three four five six", 0, "a  one two three four five six"},
		{"", "averyveryverylongwordthatdoesnotfit in", 20, "averyveryverylongwordthatdoesnotfit\nin"},
	} {
		expect.Equal(t, Hang(tc.label, tc.text, tc.columns), tc.want, tc.text, "at", tc.columns)
	}
}

func TestReflow(t *testing.T) {
	text := "One line that is\nbroken by hand.\n\n  kept as it is, however long it may be\nand a second paragraph"
	expect.Equal(t, Reflow(text, 24), "One line that is broken\nby hand.\n\n  kept as it is, however long it may be\nand a second paragraph")
}

// The whole of one help text: what it says is wrapped, and nothing is wider than the terminal.
func TestHelpText(t *testing.T) {
	c, out, _ := console(t, nil)
	c.Columns = 60
	root := program(c)
	root.AddCommand(&cobra.Command{Use: "much", Short: "A text that is longer than a terminal of sixty columns has room for",
		Long: "A text that is longer than a terminal of sixty columns\nhas room for, broken elsewhere.", Example: "  tool much", RunE: nothing})
	expect.OK(t, c.Execute(t.Context(), root, []string{"much", "--help"}))
	want := `A text that is longer than a terminal of sixty columns has
room for, broken elsewhere.

Usage:
  tool much [flags]

Examples:
  tool much

Flags:
  -h, --help   help for much

Global Flags:
      --color string   auto, always or never
      --json           print JSON, see 'tool schema'
`
	expect.Equal(t, out.String(), want, out)
	out.Reset()
	if err := c.Execute(t.Context(), root, nil); err != nil || !strings.Contains(out.String(), "\n  much        A text that is longer than a terminal of sixty\n              columns has room for\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
