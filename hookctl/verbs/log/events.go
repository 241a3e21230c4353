// Package log has the verbs of the log: `hookctl events` and `tail`, `why` and `retract`, `repair`, and `log` for the daemon's
// own log.
package log

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

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

// EventsCommand returns the noun events with its verbs.
func EventsCommand(e *env.Env) *cobra.Command {
	emit := command.Verb(e, env.Store, command.Text{
		Use:   "emit --type TYPE --data JSON",
		Short: "Add an event by hand",
		Long: "Add an event by hand. Its data is checked against the type's schema; secrets in it are redacted as in any other.\n" +
			"What is in the log stays there: a mistake can be taken back by another event, not erased.",
		Example: `  hookctl events emit --type canary.sent --data '{"nonce":"hello"}'`,
	}, &emitVerb{Data: "{}"}, cmdline.Exactly())
	cmdline.Choices(emit, "type", query.TypeNames()...)
	_ = emit.MarkFlagRequired("type") // fails only for a flag that does not exist
	return cmdline.Noun("events", "List, show, explain and add events",
		"  hookctl events list --type 'tool.failed' -n all\n  hookctl events show 4711",
		command.Verb(e, env.Store, command.Text{
			Use:   "list",
			Short: "List events; `tail` without -f, of 100",
			Example: "  hookctl events list --project hookline --since 2h -n all\n" +
				"  hookctl events list --type 'permission.*' --json",
		}, &filter{Last: 100, Output: "pretty"}),
		command.Verb(e, env.Store, command.Text{
			Use:   "show ID|SEQ",
			Short: "Show one event, or with --raw the hook's own JSON",
			Long: "Show one event, by its id or its sequence number.\n" +
				"--raw prints the JSON that the client sent (after redaction), with large contents put back.",
			Example: "  hookctl events show 4711\n" +
				"  hookctl events show 01KAJ3ZV5T0000000000000000 --raw | jq .tool_input",
		}, &showVerb{}, cmdline.Exactly("an id or a sequence number")),
		command.Verb(e, env.Store, command.Text{
			Use:   "types",
			Short: "List the types of events",
			Example: "  hookctl events types\n" +
				"  hookctl events types --json | jq -r .type",
		}, &typesVerb{}),
		command.Offering(cobra.FixedCompletions(query.TypeNames(), cobra.ShellCompDirectiveNoFileComp), command.Plain(e, env.Store, command.Text{
			Use:     "schema TYPE",
			Short:   "Print the JSON Schema of a type's data",
			Example: "  hookctl events schema tool.requested",
		}, schemaVerb, cmdline.Exactly("a type"))), emit)
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"tail":         cmdline.Either{[]events.Record{}, []cloudEventJSON{}},
	"events list":  cmdline.Either{[]events.Record{}, []cloudEventJSON{}},
	"events show":  events.Record{},
	"events types": []typeJSON{},
	"events emit":  events.Record{},
	"repair":       api.Rebuilt{},
	"retract":      api.Retracted{},
	"why":          api.Why{},
}

type showVerb struct {
	Raw bool `help:"the hook's own JSON"`
}

func (f *showVerb) Run(ctx context.Context, e *env.Env, args []string) error {
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
	Describe(e, r)
	return nil
}

// Describe prints one event in full: its envelope as a list, its data indented.
func Describe(e *env.Env, r events.Record) {
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

type typesVerb struct {
	Markdown bool `help:"the reference with every field, as docs/events.md"`
}

func (f *typesVerb) Run(_ context.Context, e *env.Env, _ []string) error {
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

func schemaVerb(_ context.Context, e *env.Env, args []string) error {
	s, err := Schema(args[0])
	if err != nil {
		return err
	}
	e.Verbatim(string(s) + "\n")
	return nil
}

type emitVerb struct {
	Type    string `help:"its type; 'hookctl events types' lists them"`
	Data    string `help:"its data, a JSON object"`
	Session string `help:"the session it belongs to: its id, any unique prefix of it, or last"`
	Project string `help:"the project it belongs to: id"`
}

func (f *emitVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
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
