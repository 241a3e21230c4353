package verbs

import (
	"strings"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
)

type whyVerb struct {
	ofSession
}

func (f *whyVerb) run(a *app, args []string) error {
	id, err := a.current(f.Session)
	if err != nil {
		return err
	}
	return a.why(id, args[0])
}

// why prints the events that what a session is told comes from.
func (a *app) why(session, text string) error {
	out, err := api.ExplainLine.Call(a.ctx, a, api.WhyRequest{Session: session, Text: text})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	for _, l := range out.Lines {
		a.Printf("line   %s: %s\n", l.ID, cmdline.OneLine(l.Text))
	}
	for _, s := range out.Sources {
		if s.Seq == 0 {
			a.Printf("event  %s, not in the log: %s: %s\n", s.Event, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
			continue
		}
		a.Printf("event  %d  %s  %s: %s: %s\n", s.Seq, a.stamp(s.Time), s.Type, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
	}
	for _, t := range out.Told {
		a.Printf("told   %d  %s  %s: %s\n", t.Seq, a.stamp(t.Time), t.Hook, strings.Join(t.Items, ", "))
	}
	if len(out.Told) == 0 {
		a.Printf("told   not yet\n")
	}
	return nil
}

type retractVerb struct {
	Reason string `help:"why it is wrong; wanted"`
}

func (f *retractVerb) run(a *app, args []string) error {
	out, err := api.Retract.Call(a.ctx, a, api.RetractRequest{ID: args[0], Reason: f.Reason})
	if err != nil {
		return err
	}
	return a.Result(out, "taken back: %d %s, by event %d\n", out.Target.Seq, out.Target.Type, out.Event.Seq)
}
