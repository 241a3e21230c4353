package log

import (
	"cmp"
	_ "embed" // a part of docs/events.md
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/query"
)

// Schema is the JSON Schema (2020-12) of a type's data, from the event's struct. Fields that are not
// named are allowed: a hook's data is the client's own JSON, and a newer client sends more.
func Schema(typ string) ([]byte, error) {
	if err := query.KnownType(typ); err != nil {
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
	s := cmdline.Schema(reflect.TypeOf(k.New()))
	s.Title = k.Type
	s.Description = k.Doc
	return s
}

// EventsMarkdown is docs/events.md: every type with its fields, from the catalog.
func EventsMarkdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	b.WriteString("## Types\n\n| type | hook | what happened |\n|---|---|---|\n")
	for _, k := range events.Catalog() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", k.Type, strings.ReplaceAll(k.Type, ".", ""), k.Hook, k.Doc)
	}
	b.WriteString("\n")
	b.WriteString("## Fields of every hook\n\nA hook's event has these besides its own, each only where the client sent it.\n\n")
	common, none := cmdline.Schema(reflect.TypeFor[events.Common]()), cmdline.Schema(reflect.TypeFor[struct{}]())
	writeFields(&b, common, none)
	for _, k := range events.Catalog() {
		fmt.Fprintf(&b, "## %s\n\n", k.Type)
		if k.Hook != "" {
			fmt.Fprintf(&b, "Hook `%s`, ", k.Hook)
		}
		fmt.Fprintf(&b, "version %d: %s.\n\n", k.Version(), k.Doc)
		told := none
		fields := reflected(k)
		if _, hook := fields.Properties.Get("hook_event_name"); hook {
			told = common
		}
		writeFields(&b, fields, told)
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

// writeFields lists the fields of a type's data that are not among those of another; the common part of hooks is listed once for all.
func writeFields(b *strings.Builder, s, common *jsonschema.Schema) {
	var rows []string
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if _, told := common.Properties.Get(p.Key); told {
			continue
		}
		always := ""
		if slices.Contains(s.Required, p.Key) {
			always = "yes"
		}
		field := p.Value
		if len(field.OneOf) > 0 { // it or null
			field = field.OneOf[0]
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", p.Key, typeOf(field), always, strings.ReplaceAll(field.Description, "|", "\\|")))
	}
	if len(rows) == 0 {
		b.WriteString("No fields of its own.\n\n")
		return
	}
	b.WriteString("| field | type | always | meaning |\n|---|---|---|---|\n" + strings.Join(rows, "") + "\n")
}

// typeOf names the JSON type of a schema.
func typeOf(s *jsonschema.Schema) string {
	if s.Items != nil {
		return "array of " + typeOf(s.Items)
	}
	return cmp.Or(s.Type, "any")
}
