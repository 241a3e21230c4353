package cmdline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hookline/expect"
	"hookline/hookctl/problem"
)

// console is one of buffers, in a home of the test's own.
func console(t *testing.T, env map[string]string) (c *Console, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	home := t.TempDir()
	return &Console{Name: "tool", In: strings.NewReader(""), Out: out, Err: errs, Cwd: home, Getenv: func(name string) string {
		if v, ok := env[name]; ok || name != "HOME" {
			return v
		}
		return home
	}}, out, errs
}

// Colour is for a person's terminal; the flag has the last word but where JSON is wanted.
func TestColour(t *testing.T) {
	for _, tc := range []struct {
		name     string
		terminal bool
		env      map[string]string
		flag     string
		json     bool
		want     bool
	}{
		{"terminal", true, nil, "", false, true},
		{"pipe", false, nil, "", false, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, "", false, false},
		{"json", true, nil, "", true, false},
		{"always beats NO_COLOR", false, map[string]string{"NO_COLOR": "1"}, "always", false, true},
		{"the flag before the environment", true, map[string]string{"HOOKLINE_COLOR": "always"}, "never", false, false},
	} {
		c, _, _ := console(t, tc.env)
		c.Terminal, c.Color, c.JSON = tc.terminal, tc.flag, tc.json
		if c.Settle(); c.Paint.On != tc.want {
			t.Errorf("%s: %v", tc.name, c.Paint.On)
		}
	}
}

// Trouble in the configuration ends no command.
func TestSettle(t *testing.T) {
	c, _, _ := console(t, map[string]string{"HOOKLINE_COLOR": "mauve"})
	if conf := c.Settle(); len(conf.Problems) != 1 || c.Paint.On {
		t.Errorf("%+v", conf.Problems)
	}
}

func TestPrinting(t *testing.T) {
	c, out, errs := console(t, nil)
	c.Printf("%d of %s\n", 3, "four")
	if err := c.PrintJSON(map[string]string{"a": "<b> & \u2028"}); err != nil {
		t.Error(err)
	}
	if err := c.PrintRaw([]byte("  {\"later\":1}\n\n")); err != nil {
		t.Error(err)
	}
	expect.Equal(t, out.String(), "3 of four\n{\"a\":\"<b> & \\u2028\"}\n{\"later\":1}\n")
	c.Fail("no\x1b[31m\n more", "look\tthere")
	c.Fail("alone", "")
	c.Say("waiting")
	expect.Equal(t, errs.String(), "tool: error: no[31m more\ntool: hint: look there\ntool: error: alone\ntool: waiting\n")
}

func TestConfirm(t *testing.T) {
	for _, tc := range []struct {
		answer    string
		asks, yes bool
		want      string // of the error, "" for consent
		said      string
	}{
		{"", false, true, "", ""},
		{"y\n", false, false, "go on: there is no terminal to ask", ""},
		{"y\n", true, false, "", "go on? [y/N] "},
		{"yes", true, false, "", "go on? [y/N] "},
		{"no\n", true, false, "nothing was done", "go on? [y/N] "},
		{"", true, false, "nothing was done", "go on? [y/N] "},
	} {
		c, _, errs := console(t, nil)
		c.In, c.Asks = strings.NewReader(tc.answer), tc.asks
		err := c.Confirm(t.Context(), "go on?", tc.yes)
		if got := message(err); got != tc.want || errs.String() != tc.said {
			t.Errorf("%+v: %q, said %q", tc, got, errs.String())
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// An interrupt does not wait for the answer.
func TestConfirmInterrupted(t *testing.T) {
	c, _, errs := console(t, nil)
	in, hold := io.Pipe()
	defer hold.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.In, c.Asks = in, true
	var exit Silent
	if err := c.Confirm(ctx, "go on?", false); !errors.As(err, &exit) || exit != 130 || errs.String() != "go on? [y/N] \n" {
		t.Errorf("%v, %q", err, errs.String())
	}
}

// program is a small command line of two verbs, one of them below a noun.
func program(c *Console) *cobra.Command {
	root := c.Root(&cobra.Command{Use: "tool", Short: "a tool", Example: "  tool list"}, func() { c.Settle() })
	var n int
	list := &cobra.Command{Use: "list", Short: "List", Example: "  tool list", Args: Exactly(),
		RunE: func(*cobra.Command, []string) error { c.Printf("listed %d\n", n); return nil }}
	list.Flags().IntVarP(&n, "n", "n", 0, "how many")
	show := &cobra.Command{Use: "show WHAT WHERE", Short: "Show", Example: "  tool thing show a b", Args: Exactly("a thing", "a place"),
		RunE: func(_ *cobra.Command, args []string) error { c.Printf("%s\n", strings.Join(args, " in ")); return nil }}
	take := &cobra.Command{Use: "take FILE...", Short: "Take", Example: "  tool thing take a", Args: AtLeast("a file"),
		RunE: func(_ *cobra.Command, args []string) error { c.Printf("%d\n", len(args)); return nil }}
	root.AddCommand(list, Noun("thing", "Things", "  tool thing show a b", show, take), c.CompletionCmd(root), c.ManCmd(root), c.VersionCmd())
	AddHelp(root, "list")
	return root
}

func nothing(*cobra.Command, []string) error { return nil }

// A word too many, one too few, one that is wrong: each error says what would be right.
func TestUsage(t *testing.T) {
	for _, tc := range []struct{ args, out, message, hint string }{
		{"list", "listed 0\n", "", ""},
		{"list -n 3", "listed 3\n", "", ""},
		{"thing show a b", "a in b\n", "", ""},
		{"thing take a b", "2\n", "", ""},
		{"thing show a b c", "", "unexpected argument \"c\"", "`tool thing show --help` shows how it is called"},
		{"elephant --foo", "", "unknown command \"elephant\" for \"tool\"", "`tool --help` lists them"},
		{"list --colour always", "", "unknown flag: --colour", "did you mean `--color`?"},
	} {
		c, out, _ := console(t, nil)
		err := c.Execute(t.Context(), program(c), strings.Fields(tc.args))
		var f *problem.Error
		if errors.As(err, &f); err == nil {
			f = &problem.Error{}
		}
		if f == nil || f.Message != tc.message || f.Hint != tc.hint || out.String() != tc.out {
			t.Errorf("%s: %q, %+v", tc.args, out.String(), err)
		}
	}
}

func TestCompletionAndPages(t *testing.T) {
	for shell, word := range map[string]string{"bash": "__start_tool", "zsh": "#compdef tool", "fish": "complete -c tool"} {
		c, out, _ := console(t, nil)
		if err := c.Execute(t.Context(), program(c), []string{"completion", shell}); err != nil || !strings.Contains(out.String(), word) {
			t.Errorf("%s: %v", shell, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "man1")
	c, _, _ := console(t, nil)
	expect.OK(t, c.Execute(t.Context(), program(c), []string{"man", dir}))
	page, err := os.ReadFile(filepath.Join(dir, "tool-thing-show.1"))
	if err != nil || !strings.Contains(string(page), `.TH "TOOL-THING-SHOW" "1" "Jan 1970" "hookline 0.1.0-dev" "hookline"`) || !strings.Contains(string(page), ".SH EXIT STATUS\n") || !strings.Contains(string(page), ".SH SEE ALSO\n") {
		t.Errorf("%v: %.200s", err, page)
	}
	if _, err := os.Stat(filepath.Join(dir, "tool-man.1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the hidden verb has a page: %v", err)
	}
}

// A disk that is full is said once, whoever printed.
func TestOutputThatFails(t *testing.T) {
	c, _, _ := console(t, nil)
	full := &failing{after: 1}
	c.Out = full
	root := program(c)
	root.AddCommand(&cobra.Command{Use: "much", RunE: func(*cobra.Command, []string) error {
		for range 3 {
			c.Printf("line\n")
		}
		return nil
	}})
	var f *problem.Error
	if err := c.Execute(t.Context(), root, []string{"much"}); !errors.As(err, &f) || f.Message != "no space" || f.Hint != "the output is not whole" || full.wrote != 1 {
		t.Errorf("%+v, %d lines", err, full.wrote)
	}
	if c.Out != full {
		t.Error("the console has kept the watcher of its output")
	}
}

// failing is a writer that takes so many writes.
type failing struct{ after, wrote int }

func (f *failing) Write(p []byte) (int, error) {
	if f.wrote == f.after {
		return 0, errors.New("no space")
	}
	f.wrote++
	return len(p), nil
}

// A struct of flags: names, letters, defaults, lists, and words that are not among the choices.
func TestFlags(t *testing.T) {
	f := struct {
		Plain string
		Level string   `help:"how much" choices:"low high"`
		Many  []string `flag:"type,t" sep:"," help:"some"`
		Each  []string `help:"one each"`
	}{Level: "low"}
	cmd := &cobra.Command{Use: "x"}
	Flags(cmd, &f, nil)
	if cmd.Flags().Lookup("plain") != nil {
		t.Error("a field without help is a flag")
	}
	expect.OK(t, cmd.ParseFlags(strings.Fields("-t a,b --each a,b --each c")))
	if f.Level != "low" || len(f.Many) != 2 || len(f.Each) != 2 || f.Each[0] != "a,b" {
		t.Errorf("%+v", f)
	}
	var p *problem.Error
	if err := cmd.ParseFlags([]string{"--level", "mid"}); !errors.As(err, &p) || p.Message != `there is no level "mid"` || p.Hint != "--level takes low or high" {
		t.Errorf("%+v", p)
	}
}
