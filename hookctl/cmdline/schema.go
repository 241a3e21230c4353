package cmdline

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"hookline/hookctl/problem"
)

// Outputs are what the verbs of a program print with --json, by the verb without the program's name, as "session list": a
// value of the type, a slice where a verb prints objects, one a line, perhaps none, or [Either].
type Outputs map[string]any

// Either is the output of a verb whose flags decide which type it prints.
type Either []any

// SchemaCmd makes the verb that describes what the others print with --json.
func (c *Console) SchemaCmd(outputs Outputs) *cobra.Command {
	verbs := slices.Sorted(maps.Keys(outputs))
	return &cobra.Command{
		Use: "schema VERB", Short: "Print the JSON Schema of what a verb prints with --json",
		Long: "Print the JSON Schema (2020-12) of what a verb prints with --json. Fields may be added by later\n" +
			"versions; none goes and none changes its name or type. Without a verb those that have a schema are listed.",
		Example: "  " + c.Name + " schema version",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				c.Printf("%s\n", strings.Join(verbs, "\n"))
				return nil
			}
			verb := strings.Join(args, " ")
			out, ok := outputs[verb]
			if !ok {
				return problem.Faultf("%q has no schema", verb).Advise("`"+c.Name+" schema` lists the verbs that have one").
					Meant(verb, verbs, "`"+c.Name+" schema %s`")
			}
			return c.printSchema(verb, out)
		},
	}
}

// Schema is the JSON Schema of a struct, which allows more members than it has.
func Schema(of reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, AllowAdditionalProperties: true}
	return r.ReflectFromType(of)
}

func (c *Console) printSchema(verb string, out any) error {
	types, several := out.(Either)
	if !several {
		types = Either{out}
	}
	schemas := make([]*jsonschema.Schema, len(types))
	lines := false
	for i, of := range types {
		t := reflect.TypeOf(of)
		if t.Kind() == reflect.Slice {
			lines = true
			t = t.Elem()
		}
		schemas[i] = Schema(t)
	}
	s := schemas[0]
	if len(schemas) > 1 {
		s = &jsonschema.Schema{Version: jsonschema.Version, AnyOf: schemas}
	}
	s.Title = c.Name + " " + verb
	s.Description = "one object"
	if lines {
		s.Description = "one object a line, perhaps none; this is the schema of a line"
	}

	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("print schema of %s: %w", verb, err)
	}
	c.Printf("%s\n", text)
	return nil
}
