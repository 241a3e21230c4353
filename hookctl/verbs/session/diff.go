package session

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/cost"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
	"hookline/projector/working"
)

// diffJSON is what `session diff --json` prints.
type diffJSON struct {
	A           insight.Sum          `json:"a" jsonschema_description:"the first session"`
	B           insight.Sum          `json:"b" jsonschema_description:"the second one"`
	Differences []insight.Difference `json:"differences" jsonschema_description:"line by line, those without a difference too"`
}

func diffCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, command.SessionWords), command.Plain(e, env.Store, command.Text{
		Use:     "diff A B",
		Short:   "Compare two sessions: calls, permissions, files, commands, cost, end",
		Example: "  hookctl session diff 043f0af5 last",
	}, diffVerb, cmdline.Exactly("a session: "+query.SessionForms, "another one")))
}

func diffVerb(ctx context.Context, e *env.Env, args []string) error {
	var sums [2]insight.Sum
	for i, name := range args {
		s, err := sum(ctx, e, name)
		if err != nil {
			return err
		}
		sums[i] = s
	}
	d := diffJSON{sums[0], sums[1], insight.Diff(sums[0], sums[1])}

	return e.Verdict(d, true, func() {
		t := e.Table("", show.Alias(d.A.ID), show.Alias(d.B.ID))
		for _, l := range d.Differences {
			mark := "* "
			if l.Same {
				mark = "  "
			}
			t.Row(mark+l.What, show.OrDash(cmdline.Fit(cmdline.OneLine(l.A), 60)), show.OrDash(cmdline.Fit(cmdline.OneLine(l.B), 60)))
		}
		t.Print()
	})
}

// sum gathers what a session is compared by.
func sum(ctx context.Context, e *env.Env, name string) (insight.Sum, error) {
	s, err := query.Session(ctx, e, name)
	if err != nil {
		return insight.Sum{}, err
	}
	var who insight.Permissions
	if err := query.Records(ctx, e, api.EventsRequest{Session: s.ID}, who.Take); err != nil {
		return insight.Sum{}, err
	}
	out := insight.Sum{ID: s.ID, Ended: s.Standing().Words, Took: s.LastActive.Sub(s.Started), Prompts: s.Prompts, Calls: s.Tools, Failed: s.Failures,
		Verdicts: insight.Count(who.Calls()), Files: []string{}, Commands: []string{}}

	if w, err := query.StateOf[working.State](ctx, e, working.Name, s.ID); err == nil { // without one it has done nothing yet
		if w.Goal != nil {
			out.Goal = w.Goal.Text
		}
		for _, f := range w.Files {
			if f.Changed() {
				out.Files = append(out.Files, wording.Below(w.Worktree, f.Path))
			}
		}
		for _, c := range w.Commands {
			out.Commands = append(out.Commands, c.Line)
		}
	}

	prices, err := insight.Prices(e.Conf.Values.Prices)
	if err != nil {
		return out, problem.Because(err).Advise("`hookctl config edit` opens the user's file")
	}
	var meter insight.Meter
	cost.Read(&meter, []session.State{s}, map[string]bool{s.ID: true}, nil)
	total := meter.Bill("model", nil, time.Time{}, prices).Total
	out.Tokens, out.Output, out.PicoUSD = total.Tokens.All(), total.Tokens.Output, total.PicoUSD
	return out, nil
}
