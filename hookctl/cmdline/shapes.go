package cmdline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/shape"
	"hookline/hookctl/spelling"
)

// shapeJSON is what the verb json prints itself.
type shapeJSON struct {
	Verb   string        `json:"verb" jsonschema_description:"behind the program's name"`
	Prints string        `json:"prints" jsonschema_description:"one object, one object a line or no object of ours"`
	Note   string        `json:"note,omitempty" jsonschema_description:"what the fields do not say"`
	Exit   string        `json:"exit,omitempty" jsonschema_description:"what the exit code means, where it says more than that of every verb"`
	Fields []shape.Field `json:"fields" jsonschema_description:"in the order they are printed"`
}

// JSONCmd explains the fields that a program's verbs print with --json.
func (c *Console) JSONCmd(page func() shape.Page) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use: "json [VERB]", Short: "Show the fields that a verb prints with --json",
		Long: "Show the fields that a verb prints with --json: type, unit, when one is absent, an example. Without\n" +
			"a verb it tells what holds for all of them, and lists them. The same as docs/json.md.",
		Example: "  " + c.Name + " json version\n  " + c.Name + " json --json | jq -r .verb",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nextWords(page(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if markdown {
				c.Printf("%s", page().Markdown())
				return nil
			}
			return c.tellShape(page(), strings.Join(args, " "))
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "the whole reference, as docs/json.md")
	return cmd
}

// JSONOutput is what the verb json prints.
func JSONOutput() shape.Output {
	return shape.Output{Verb: "json", Of: shape.Of[shapeJSON](), Lines: true, Note: "All verbs, or the one that was named. `--markdown` prints text."}
}

func (c *Console) tellShape(p shape.Page, name string) error {
	if c.JSON {
		return c.printShapes(p, name)
	}
	if name != "" {
		text, ok := p.Text(name, c.hang)
		if !ok {
			return noShape(p, name)
		}
		c.Printf("%s", text)
		return nil
	}
	for _, r := range p.Rules {
		c.Printf("%s\n", c.hang("- ", r))
	}
	c.Printf("\n")
	t := Table{Head: []string{"VERB", "PRINTS"}}
	for _, o := range p.Outputs {
		t.Row(o.Verb, o.Form())
	}
	t.Print(c.Out, c.Paint)
	return nil
}

func (c *Console) hang(label, text string) string { return Hang(label, text, c.columns()) }

func (c *Console) printShapes(p shape.Page, name string) error {
	list := p.Outputs
	if name != "" {
		if list = p.Named(name); len(list) == 0 {
			return noShape(p, name)
		}
	}
	for _, o := range list {
		s := shapeJSON{Verb: o.Verb, Prints: o.Form(), Note: o.Note, Exit: o.Exit, Fields: []shape.Field{}}
		if o.Of != nil {
			s.Fields = append(s.Fields, p.Fields(o.Of)...)
		}
		if err := c.PrintJSON(s); err != nil {
			return err
		}
	}
	return nil
}

// JSONRules are what holds for what every verb prints with --json, in Markdown without links.
func JSONRules() []string {
	return []string{
		"Within a major version fields are only added: none goes, none changes its name or its type. Ignore those that you do not know.",
		"A verb prints one object on one line, or where its section says so one object a line and perhaps none. It is UTF-8, on stdout; the examples are folded for reading.",
		"Words about trouble are text on stderr also with `--json`: `hookctl: error: …` and, on a line of its own, `hookctl: hint: …` (`replay: …`). They may change; go by the exit code.",
		"Exit code 0: done. 1: trouble, or a command line that is wrong. 2: the log is damaged. 130: interrupted. Where nothing else is said, stdout is empty when the code is not 0, or has the whole lines that were printed before the trouble. Half an object is never printed, unless stdout cannot be written to.",
		"A field is always there unless it is said when it is absent. It is null only where its type says so: a list without elements is `[]`, an object without members `{}`.",
		"The type time is a string in RFC 3339, in UTC with up to nine decimals: `2026-11-21T08:00:03.25Z`. A name that ends in `_ms` or `_s` is a number of milliseconds or seconds: since 1970 where its meaning says so, else a duration. An integer may have up to 64 bits.",
		"The id of an event is a ULID (26 characters, ordered by time), that of a session the client's own, that of a project 12 hex digits. Paths are absolute, unless something else is said.",
		"`--help`, and a noun without a verb, print text also with `--json`.",
	}
}

func noShape(p shape.Page, name string) error {
	names := make([]string, 0, len(p.Outputs)+len(p.Objects))
	for _, o := range p.Outputs {
		names = append(names, o.Verb)
	}
	for _, o := range p.Objects {
		names = append(names, o.Name)
	}
	f := &Fault{Message: fmt.Sprintf("there is no verb %q", name), Hint: "`" + p.Program + " json` lists them"}
	if near := spelling.Nearest(name, names); near != "" {
		f.Hint = "did you mean `" + p.Program + " json " + near + "`?"
	}
	return f
}

// nextWords are those that may stand behind the words of a verb that were typed.
func nextWords(p shape.Page, args []string) []string {
	var next []string
	for _, o := range p.Outputs {
		words := strings.Fields(o.Verb)
		if len(words) > len(args) && strings.HasPrefix(words[len(args)], "-") {
			continue
		}
		if len(words) > len(args) && strings.HasPrefix(o.Verb+" ", strings.Join(append(args[:len(args):len(args)], ""), " ")) {
			next = append(next, words[len(args)])
		}
	}
	return next
}
