package verbs

import (
	_ "embed" // a part of docs/events.md
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

func (a *app) eventsCmd() *cobra.Command {
	emit := a.verb(needStore, &cobra.Command{
		Use:   "emit --type TYPE --data JSON",
		Args:  cmdline.Exactly(),
		Short: "Add an event by hand",
		Long: "Add an event by hand. Its data is checked against the type's schema; secrets in it are redacted as in any other.\n" +
			"What is in the log stays there: a mistake can be taken back by another event, not erased.",
		Example: `  hookctl events emit --type canary.sent --data '{"nonce":"hello"}'`,
	}, &eventsEmitVerb{Data: "{}"})
	cmdline.Choices(emit, "type", typeNames()...)
	_ = emit.MarkFlagRequired("type") // fails only for a flag that does not exist
	return cmdline.Noun("events", "List, show, explain and add events",
		"  hookctl events list --type 'tool.failed' -n all\n  hookctl events show 4711",
		a.verb(needStore, &cobra.Command{
			Use:     "list",
			Short:   "List events; `tail` without -f, of 100",
			Example: "  hookctl events list --project hookline --since 2h -n all\n  hookctl events list --type 'permission.*' --json",
		}, &eventsListVerb{filter{Last: 100, Output: "pretty"}}),
		a.verb(needStore, &cobra.Command{
			Use:   "show ID|SEQ",
			Short: "Show one event, or with --raw the hook's own JSON",
			Long: "Show one event, by its id or its sequence number.\n" +
				"--raw prints the JSON that the client sent (after redaction), with large contents put back.",
			Example: "  hookctl events show 4711\n  hookctl events show 01KAJ3ZV5T0000000000000000 --raw | jq .tool_input",
			Args:    cmdline.Exactly("an id or a sequence number"),
		}, &eventsShowVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "types",
			Short:   "List the types of events",
			Example: "  hookctl events types\n  hookctl events types --json | jq -r .type",
		}, &eventsTypesVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:               "schema TYPE",
			Short:             "Print the JSON Schema of a type's data",
			Example:           "  hookctl events schema tool.requested",
			Args:              cmdline.Exactly("a type"),
			ValidArgsFunction: cobra.FixedCompletions(typeNames(), cobra.ShellCompDirectiveNoFileComp),
		}, &eventsSchemaVerb{}), emit)
}

type eventsListVerb struct{ filter }

func (f *eventsListVerb) run(a *app, _ []string) error {
	return a.tail(f.filter)
}

type eventsShowVerb struct {
	Raw bool `help:"the hook's own JSON"`
}

func (f *eventsShowVerb) run(a *app, args []string) error {
	id := args[0]

	if err := eventName(id); err != nil {
		return err
	}
	q := url.Values{}
	if f.Raw {
		q.Set("raw", "1")
	}
	var body json.RawMessage
	if err := a.get("/v1/events/"+id, q, &body); err != nil {
		return lostContent(err)
	}
	if f.Raw || a.JSON {
		return a.PrintRaw(body)
	}
	var r events.Record
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("read event record: %w", err)
	}
	a.describe(r)
	return nil
}

// eventName refuses what names no event, before it becomes a part of a request's path.
func eventName(id string) error {
	if id != "" && strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == "" {
		return nil
	}
	return problem.Faultf("%q is no event: an id is 26 digits and letters, a sequence number digits alone", id).Advise("`hookctl events list` shows the newest")
}

// lostContent names a large content that is gone once, and says what brings it back. Over the socket an
// error has only its words.
func lostContent(err error) error {
	before, after, gone := strings.Cut(err.Error(), ": ")
	if !gone || !strings.HasSuffix(after, embedded.ErrNoBlob.Error()) {
		return err
	}
	digest := strings.TrimPrefix(before, "blob ")
	return problem.FaultBy(err, "the large content %s is not there any more", digest).Advise("`replay repair` fetches it back where an export or a transcript still has it; without --raw the event shows its beginning")
}

// describe prints one event in full: its envelope as a list, its data indented.
func (a *app) describe(r events.Record) {
	k, known := events.Lookup(r.Type)
	if !known {
		k.Doc = "this build has no such type"
	}
	a.Printf("%s  %s\n\n", a.Paint.Bold(cmdline.OneLine(r.Type)), a.Paint.Faint(k.Doc))
	field := a.field
	field("seq", fmt.Sprint(r.Seq))
	field("id", r.ID)
	field("time", r.Time.In(a.Zone).Format("2006-01-02 15:04:05.000 MST"))
	if late := r.Appended.Sub(r.Time); !r.Appended.IsZero() && late > time.Second {
		field("appended", r.Appended.In(a.Zone).Format("2006-01-02 15:04:05.000 MST")+", "+span(late)+" later")
	}
	field("session", r.Session)
	field("project", r.Project)
	field("worktree", r.Worktree)
	field("branch", r.Branch)
	field("phase", r.Phase)
	field("hook", r.Hook)
	field("tool use", r.ToolUseID)
	field("agent", r.AgentID)
	field("caused by", r.Causation)
	if r.Imported {
		field("imported", "from another log")
	}
	if r.Redacted > 0 {
		field("redacted", fmt.Sprintf("%s replaced", cmdline.Plural(r.Redacted, "secret")))
	}
	if u, ok := r.Event.(*events.Unknown); ok {
		field("unknown", u.Reason)
	}
	a.Verbatim("\n" + cmdline.IndentJSON(r.Data) + "\n")
}

type eventsTypesVerb struct {
	Markdown bool `help:"the reference with every field, as docs/events.md"`
}

func (f *eventsTypesVerb) run(a *app, _ []string) error {
	if f.Markdown {
		a.Verbatim(EventsMarkdown())
		return nil
	}
	t := a.Table("TYPE", "VERSION", "HOOK", "WHAT HAPPENED")
	t.Drop = []string{"VERSION", "HOOK"}
	t.Prose = true
	var list []typeJSON
	for _, k := range events.Catalog() {
		list = append(list, typeJSON{k.Type, k.Version(), k.Hook, k.Doc})
	}
	return cmdline.PrintList(t, "", list, func(k typeJSON) []string {
		return []string{k.Type, strconv.Itoa(k.Version), orDash(k.Hook), k.Doc}
	})
}

// typeJSON is a line of `events types --json`.
type typeJSON struct {
	Type    string `json:"type" jsonschema_description:"area.what_happened"`
	Version int    `json:"version" jsonschema_description:"of its data, from 1"`
	Hook    string `json:"hook,omitempty" jsonschema_description:"of the client that it records"`
	Doc     string `json:"doc" jsonschema_description:"what happened"`
}

type eventsSchemaVerb struct{}

func (eventsSchemaVerb) run(a *app, args []string) error {
	s, err := Schema(args[0])
	if err != nil {
		return err
	}
	a.Verbatim(string(s) + "\n")
	return nil
}

type eventsEmitVerb struct {
	Type    string `help:"its type; 'hookctl events types' lists them"`
	Data    string `help:"its data, a JSON object"`
	Session string `help:"the session it belongs to: its id, any unique prefix of it, or last"`
	Project string `help:"the project it belongs to: id"`
}

func (f *eventsEmitVerb) run(a *app, _ []string) error {
	if !json.Valid([]byte(f.Data)) {
		return problem.Faultf("--data is no JSON").Advise("quote it for the shell: --data '{\"key\":\"value\"}'")
	}
	if err := knownType(f.Type); err != nil {
		return err
	}
	id, err := a.resolveMaybe(f.Session)
	if err != nil {
		return err
	}
	return a.sayEmitted(a.emit(emission{Type: f.Type, Session: id, Project: f.Project, Data: json.RawMessage(f.Data)}))
}

// emission is the body of /v1/do/emit.
type emission struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`
	Project string `json:"project,omitempty"`
	Data    any    `json:"data"`
}

func (a *app) emit(e emission) (r events.Record, err error) {
	err = a.change("/v1/do/emit", e, &r)
	return r, err
}

// sayEmitted prints the event that [app.emit] has appended.
func (a *app) sayEmitted(r events.Record, err error) error {
	if err != nil {
		return err
	}
	return a.Result(r, "%s is event %d, %s\n", r.Type, r.Seq, r.ID)
}

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
