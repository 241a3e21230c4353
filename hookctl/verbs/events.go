package verbs

import (
	"cmp"
	"context"
	_ "embed" // a part of docs/events.md
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
)

func eventsCmd(e *env.Env) *cobra.Command {
	emit := command.Verb(e, env.Store, "emit --type TYPE --data JSON", "Add an event by hand",
		"Add an event by hand. Its data is checked against the type's schema; secrets in it are redacted as in any other.\n"+
			"What is in the log stays there: a mistake can be taken back by another event, not erased.",
		`  hookctl events emit --type canary.sent --data '{"nonce":"hello"}'`,
		&eventsEmitVerb{Data: "{}"}, cmdline.Exactly())
	cmdline.Choices(emit, "type", query.TypeNames()...)
	_ = emit.MarkFlagRequired("type") // fails only for a flag that does not exist
	return cmdline.Noun("events", "List, show, explain and add events",
		"  hookctl events list --type 'tool.failed' -n all\n  hookctl events show 4711",
		command.Verb(e, env.Store, "list", "List events; `tail` without -f, of 100", "",
			"  hookctl events list --project hookline --since 2h -n all\n  hookctl events list --type 'permission.*' --json",
			&filter{Last: 100, Output: "pretty"}),
		command.Verb(e, env.Store, "show ID|SEQ", "Show one event, or with --raw the hook's own JSON",
			"Show one event, by its id or its sequence number.\n"+
				"--raw prints the JSON that the client sent (after redaction), with large contents put back.",
			"  hookctl events show 4711\n  hookctl events show 01KAJ3ZV5T0000000000000000 --raw | jq .tool_input",
			&eventsShowVerb{}, cmdline.Exactly("an id or a sequence number")),
		command.Verb(e, env.Store, "types", "List the types of events", "",
			"  hookctl events types\n  hookctl events types --json | jq -r .type",
			&eventsTypesVerb{}),
		command.Offering(cobra.FixedCompletions(query.TypeNames(), cobra.ShellCompDirectiveNoFileComp), command.Plain(e, env.Store, "schema TYPE", "Print the JSON Schema of a type's data", "",
			"  hookctl events schema tool.requested",
			eventsSchemaVerb, cmdline.Exactly("a type"))), emit)
}

type eventsShowVerb struct {
	Raw bool `help:"the hook's own JSON"`
}

func (f *eventsShowVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	which := api.EventRequest{ID: args[0]}
	if f.Raw {
		raw, err := api.HookJSON.Call(ctx, e, which)
		if err != nil {
			return err
		}
		return e.PrintRaw(raw)
	}

	r, text, err := api.Event.CallJSON(ctx, e, which)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintRaw(text)
	}
	describe(e, r)
	return nil
}

// describe prints one event in full: its envelope as a list, its data indented.
func describe(e *env.Env, r events.Record) {
	k, known := events.Lookup(r.Type)
	if !known {
		k.Doc = "this build has no such type"
	}
	e.Printf("%s  %s\n\n", e.Paint.Bold(cmdline.OneLine(r.Type)), e.Paint.Faint(k.Doc))
	const clock = "2006-01-02 15:04:05.000 MST"
	show.Fields(e, "seq", r.Seq, "id", r.ID, "time", r.Time.In(e.Zone).Format(clock))
	if late := r.Appended.Sub(r.Time); !r.Appended.IsZero() && late > time.Second {
		show.Fields(e, "appended", r.Appended.In(e.Zone).Format(clock)+", "+show.Span(late)+" later")
	}
	show.Fields(e, "session", r.Session, "project", r.Project, "worktree", r.Worktree, "branch", r.Branch, "phase", r.Phase,
		"hook", r.Hook, "tool use", r.ToolUseID, "agent", r.AgentID, "caused by", r.Causation)
	if r.Imported {
		show.Fields(e, "imported", "from another log")
	}
	if r.Redacted > 0 {
		show.Fields(e, "redacted", cmdline.Plural(r.Redacted, "secret")+" replaced")
	}
	if u, ok := r.Event.(*events.Unknown); ok {
		show.Fields(e, "unknown", u.Reason)
	}
	e.Verbatim("\n" + cmdline.IndentJSON(r.Data) + "\n")
}

type eventsTypesVerb struct {
	Markdown bool `help:"the reference with every field, as docs/events.md"`
}

func (f *eventsTypesVerb) Run(_ context.Context, e *env.Env, _ []string) error {
	if f.Markdown {
		e.Verbatim(EventsMarkdown())
		return nil
	}
	t := e.Table("TYPE", "VERSION", "HOOK", "WHAT HAPPENED")
	t.Drop = []string{"VERSION", "HOOK"}
	t.Prose = true
	var list []typeJSON
	for _, k := range events.Catalog() {
		list = append(list, typeJSON{k.Type, k.Version(), k.Hook, k.Doc})
	}
	return cmdline.PrintList(t, "", list, func(k typeJSON) []string {
		return []string{k.Type, strconv.Itoa(k.Version), show.OrDash(k.Hook), k.Doc}
	})
}

// typeJSON is a line of `events types --json`.
type typeJSON struct {
	Type    string `json:"type" jsonschema_description:"area.what_happened"`
	Version int    `json:"version" jsonschema_description:"of its data, from 1"`
	Hook    string `json:"hook,omitempty" jsonschema_description:"of the client that it records"`
	Doc     string `json:"doc" jsonschema_description:"what happened"`
}

func eventsSchemaVerb(_ context.Context, e *env.Env, args []string) error {
	s, err := Schema(args[0])
	if err != nil {
		return err
	}
	e.Verbatim(string(s) + "\n")
	return nil
}

type eventsEmitVerb struct {
	Type    string `help:"its type; 'hookctl events types' lists them"`
	Data    string `help:"its data, a JSON object"`
	Session string `help:"the session it belongs to: its id, any unique prefix of it, or last"`
	Project string `help:"the project it belongs to: id"`
}

func (f *eventsEmitVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	if !json.Valid([]byte(f.Data)) {
		return problem.Faultf("--data is no JSON").Advise("quote it for the shell: --data '{\"key\":\"value\"}'")
	}
	if err := query.KnownType(f.Type); err != nil {
		return err
	}
	id, err := query.SessionID(ctx, e, f.Session)
	if err != nil {
		return err
	}
	emission := api.Emission{Type: f.Type, Session: id, Project: f.Project, Data: json.RawMessage(f.Data)}
	r, err := api.Emit.Call(ctx, e.Changing(), emission)
	if err != nil {
		return err
	}
	return emit.Say(e, r)
}

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
