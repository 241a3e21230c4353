package log

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
)

// WhyCommand returns the command that shows the events behind a line.
func WhyCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "why TEXT|ID",
		Short: "Show the events behind a line that the agent is told",
		Long: "Show the events behind a line that the agent was told: when and where a line with the text was told, in this session or else in\n" +
			"others of the project; the events that it came from, each with its session; and the lines with the text that the session would\n" +
			"be told now. `hookctl retract` takes an event back.",
		Example: "  hookctl why proxy.go\n" +
			"  hookctl why 1201 --session last",
	}, &whyVerb{}, cmdline.Exactly("TEXT|ID"))
}

// RetractCommand returns the command that takes an event back.
func RetractCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "retract ID",
		Short: "Take an event back: every view is as if it had not come",
		Long: "Take an event back, by its id or its sequence. From then on every projection is as if the event had not come, also after an\n" +
			"export and an import. The log keeps it: `replay at` a time before the retraction still shows what followed from it.",
		Example: "  hookctl retract 1201 --reason 'the wrong session was meant'\n" +
			"  hookctl why proxy.go",
	}, &retractVerb{}, cmdline.Exactly("ID"))
}

type whyVerb struct {
	query.OfSession
}

func (f *whyVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	return Why(ctx, e, id, args[0])
}

// Why prints the events that what a session is told comes from.
func Why(ctx context.Context, e *env.Env, session, text string) error {
	out, err := api.ExplainLine.Call(ctx, e, api.WhyRequest{Session: session, Text: text})
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintJSON(out)
	}
	for _, l := range out.Lines {
		e.Printf("line   %s: %s\n", l.ID, cmdline.OneLine(l.Text))
	}
	for _, s := range out.Sources {
		what := cmdline.OneLine(s.Where)
		if s.Text != "" {
			what += ": " + cmdline.OneLine(s.Text)
		}
		if s.Seq == 0 {
			e.Printf("event  %s, not in the log: %s\n", s.Event, what)
			continue
		}
		of := ""
		if s.Session != "" {
			of = ", session " + events.Alias(s.Session)
		}
		e.Printf("event  %d  %s  %s%s: %s\n", s.Seq, show.Stamp(e, s.Time), s.Type, of, what)
	}
	printed := map[string]bool{} // a line that was told several times is printed once
	for _, t := range out.Told {
		where := fmt.Sprintf("%s, session %s, %s", t.Hook, events.Alias(t.Session), cmdline.Plural(t.Tokens, "token"))
		e.Printf("told   %d  %s  %s: %s\n", t.Seq, show.Stamp(e, t.Time), where, strings.Join(t.Items, ", "))
		for _, l := range t.Lines {
			if !printed[l.Text] {
				printed[l.Text] = true
				e.Printf("         %s\n", cmdline.OneLine(l.Text))
			}
		}
	}
	if len(out.Told) == 0 {
		e.Printf("told   not yet\n")
	}
	return nil
}

type retractVerb struct {
	Reason string `help:"why it is wrong; wanted"`
}

func (f *retractVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	out, err := api.Retract.Call(ctx, e, api.RetractRequest{ID: args[0], Reason: f.Reason})
	if err != nil {
		return err
	}
	return e.Result(out, "taken back: %d %s, by event %d\n", out.Target.Seq, out.Target.Type, out.Event.Seq)
}
