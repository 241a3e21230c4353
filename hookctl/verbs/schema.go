package verbs

import (
	_ "embed" // a part of docs/events.md
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"hookline/events"
)

// Schema is the JSON Schema (2020-12) of a type's data, from the event's struct. Fields that are not
// named are allowed: a hook's data is the client's own JSON, and a newer client sends more.
func Schema(typ string) ([]byte, error) {
	if err := knownType(typ); err != nil {
		return nil, err
	}
	k, _ := events.Lookup(typ)
	b, err := json.MarshalIndent(reflected(k), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("print schema of %s: %w", typ, err)
	}
	return b, nil
}

func reflected(k events.Kind) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, AllowAdditionalProperties: true}
	s := r.Reflect(k.New())
	s.Title = k.Type
	s.Description = k.Doc
	return s
}

// EventsMarkdown is docs/events.md: every type with its fields, from the catalog.
func EventsMarkdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	hooks, own := split(events.Catalog())
	writeIndex(&b, "Hooks of the client", hooks)
	writeIndex(&b, "What hookline finds out or does", own)
	b.WriteString("## Fields of every hook\n\nA hook's event has these besides its own, each only where the client sent it.\n\n")
	writeFields(&b, reflect.TypeFor[events.Common]())
	for _, k := range append(hooks, own...) {
		fmt.Fprintf(&b, "## %s\n\n", k.Type)
		if k.Hook != "" {
			fmt.Fprintf(&b, "Hook `%s`, ", k.Hook)
		}
		fmt.Fprintf(&b, "version %d: %s.\n\n", k.Version(), k.Doc)
		writeFields(&b, reflect.TypeOf(k.New()).Elem())
	}
	return b.String() + markdownWorking
}

// markdownWorking names the event that each field of the working state comes from.
//
//go:embed workingfields.md
var markdownWorking string

const markdownHead = `# Events

Every type that can stand in the log. ` + "`hookctl events schema TYPE`" + ` prints the JSON Schema of one,
` + "`hookctl events show ID`" + ` an event with its data.

The record around the data (one JSON object a line in ` + "`tail`, `events` and exports" + `): ` + "`seq`, `id` (ULID), `type`, `version`, `time`" + `
(capture), ` + "`appended`, `session`, `project`, `worktree`, `branch`, `phase`, `hook`, `tool_use_id`, `agent_id`, `correlation`, `causation`,\n`redacted` (count), `facts`, `data`" + `.
The name of a type never changes; fields are only added. A type or version that a build does not know is kept whole.

<!-- Made by: hookctl events types --markdown -->

`

// split parts the kinds into those of hooks and those of our own.
func split(all []events.Kind) (hooks, own []events.Kind) {
	for _, k := range all {
		if k.Hook != "" {
			hooks = append(hooks, k)
		} else {
			own = append(own, k)
		}
	}
	return hooks, own
}

func writeIndex(b *strings.Builder, title string, kinds []events.Kind) {
	fmt.Fprintf(b, "## %s\n\n| type | hook | what happened |\n|---|---|---|\n", title)
	for _, k := range kinds {
		hook := ""
		if k.Hook != "" {
			hook = "`" + k.Hook + "`"
		}
		fmt.Fprintf(b, "| [`%s`](#%s) | %s | %s |\n", k.Type, strings.ReplaceAll(k.Type, ".", ""), hook, k.Doc)
	}
	b.WriteString("\n")
}

// writeFields lists the fields of a struct; the common part of hooks is told once for all.
func writeFields(b *strings.Builder, t reflect.Type) {
	var rows []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		always := ""
		if !strings.Contains(options, "omitempty") {
			always = "yes"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, jsonType(f.Type), always, strings.ReplaceAll(f.Tag.Get("jsonschema_description"), "|", "\\|")))
	}
	if len(rows) == 0 {
		b.WriteString("No fields of its own.\n\n")
		return
	}
	b.WriteString("| field | type | always | meaning |\n|---|---|---|---|\n" + strings.Join(rows, "") + "\n")
}

// jsonType is a Go type as JSON names it.
func jsonType(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Slice, reflect.Array:
		return "array of " + jsonType(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	}
	return "integer"
}
