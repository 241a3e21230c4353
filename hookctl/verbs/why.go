package verbs

import (
	"context"
	"strings"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
)

type whyVerb struct {
	query.OfSession
}

func (f *whyVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	return why(ctx, e, id, args[0])
}

// why prints the events that what a session is told comes from.
func why(ctx context.Context, e *env.Env, session, text string) error {
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
		if s.Seq == 0 {
			e.Printf("event  %s, not in the log: %s: %s\n", s.Event, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
			continue
		}
		e.Printf("event  %d  %s  %s: %s: %s\n", s.Seq, show.Stamp(e, s.Time), s.Type, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
	}
	for _, t := range out.Told {
		e.Printf("told   %d  %s  %s: %s\n", t.Seq, show.Stamp(e, t.Time), t.Hook, strings.Join(t.Items, ", "))
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
