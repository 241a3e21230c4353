package cmdline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"hookline/hookctl/problem"
)

// Output is what one verb prints with --json: a value of each Go type that it may be.
type Output struct {
	of    []any
	lines bool
}

// Object is the output of a verb that prints one object; with several types, flags decide which.
func Object(of ...any) Output { return Output{of: of} }

// Lines is the output of a verb that prints objects, one a line, perhaps none.
func Lines(of ...any) Output { return Output{of: of, lines: true} }

// Outputs are those of a program, by the verb without the program's name, as "session list".
type Outputs map[string]Output

// SchemaCmd makes the verb that describes what the others print with --json.
func (c *Console) SchemaCmd(outputs Outputs) *cobra.Command {
	verbs := slices.Sorted(maps.Keys(outputs))
	return &cobra.Command{
		Use: "schema VERB", Short: "Print the JSON Schema of what a verb prints with --json",
		Long: "Print the JSON Schema (2020-12) of what a verb prints with --json. Fields may be added by later\n" +
			"versions; none goes and none changes its name or type. Without a verb those that have a schema are listed.",
		Example: "  " + c.Name + " schema version",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nextWords(verbs, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				c.Printf("%s\n", strings.Join(verbs, "\n"))
				return nil
			}
			verb := strings.Join(args, " ")
			out, ok := outputs[verb]
			if !ok {
				f := problem.Faultf("%q has no schema", verb).Advise("`" + c.Name + " schema` lists the verbs that have one")
				near := problem.Nearest(verb, verbs)
				if near != "" {
					f.Hint = "did you mean `" + c.Name + " schema " + near + "`?"
				}
				return f
			}
			return c.printSchema(verb, out)
		},
	}
}

func (c *Console) printSchema(verb string, out Output) error {
	schemas := make([]*jsonschema.Schema, len(out.of))
	for i, of := range out.of {
		r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, AllowAdditionalProperties: true}
		schemas[i] = r.Reflect(of)
	}
	s := schemas[0]
	if len(schemas) > 1 {
		s = &jsonschema.Schema{Version: jsonschema.Version, AnyOf: schemas}
	}
	s.Title = c.Name + " " + verb
	s.Description = "one object"
	if out.lines {
		s.Description = "one object a line, perhaps none; this is the schema of a line"
	}

	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("print schema of %s: %w", verb, err)
	}
	c.Printf("%s\n", text)
	return nil
}

// nextWords are those that may stand behind the words of a verb that were typed.
func nextWords(verbs, args []string) []string {
	var next []string
	for _, verb := range verbs {
		words := strings.Fields(verb)
		if len(words) > len(args) && slices.Equal(words[:len(args)], args) && !slices.Contains(next, words[len(args)]) {
			next = append(next, words[len(args)])
		}
	}
	return next
}
