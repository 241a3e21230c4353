package verbs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
	"hookline/projector/working"
)

// sessionLine is one line of what `session list --json` prints.
type sessionLine struct {
	session.State
	Standing session.Standing `json:"standing" jsonschema_description:"how it stands, or why it ended"`
}

// sessionJSON is what `session show --json` prints.
type sessionJSON struct {
	sessionLine
	Calls []insight.Call `json:"calls" jsonschema_description:"each tool call with who allowed it, in the order of their requests"`
}

// verdicts says how often each verdict stands in a list: "asked and approved 2 (waited 14s), bypassed 3".
func verdicts(calls []insight.Call) string {
	var waited time.Duration
	for _, c := range calls {
		waited += time.Duration(c.WaitedMS) * time.Millisecond
	}

	var parts []string
	n := insight.Count(calls)
	for _, v := range insight.Verdicts {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v.Words(), n[v]))
		}
	}
	if waited >= time.Second {
		parts = append(parts, "waited "+show.Span(waited))
	}
	return strings.Join(parts, ", ")
}

// standing is how a session stands or why it ended, coloured.
func standing(e *env.Env, s session.State) string {
	st := s.Standing()
	words := cmdline.OneLine(st.Words)
	switch {
	case st.Stuck:
		return e.Paint.Bad("stuck: " + words)
	case st.Kind == session.Working, st.Kind == session.Clean:
		return e.Paint.Faint(words)
	}
	return e.Paint.Warn(words)
}

// printCalls prints each call with who allowed it.
func printCalls(e *env.Env, calls []insight.Call, last command.Count) {
	if len(calls) == 0 {
		e.Printf("\n  no tool was called\n")
		return
	}
	earlier := last.From(len(calls))
	if earlier > 0 {
		e.Printf("\n"+e.Paint.Faint("  %s before, -n all shows them")+"\n", cmdline.Plural(earlier, "call"))
	}

	e.Printf("\n")
	t := e.Table("  TIME", "SEQ", "CALL", "MODE", "VERDICT", "WAITED", "WORDS")
	t.Drop = []string{"SEQ", "MODE", "WAITED"}
	tones := map[string]string{"refused": "bad", "unknown": "warn", "waiting": "warn"}
	t.Color = func(head, v string) string {
		word, _, _ := strings.Cut(v, " ")
		if head != "VERDICT" {
			return v
		}
		return e.Paint.Toned(tones[word], v)
	}
	for _, c := range calls[earlier:] {
		waited := ""
		if c.WaitedMS >= 100 {
			waited = (time.Duration(c.WaitedMS) * time.Millisecond).Round(100 * time.Millisecond).String()
		}
		fact := cmdline.Fit(cmdline.OneLine(show.Join(": ", c.Tool, insight.Subject(events.Record{}, c.Input))), 60)
		t.Row("  "+c.Time.In(e.Zone).Format(time.TimeOnly), fmt.Sprint(c.Seq), fact, show.OrDash(c.Mode), c.Verdict.Words(), show.OrDash(waited), show.OrDash(c.Words))
	}
	t.Print()
}

// sessionDiffJSON is what `session diff --json` prints.
type sessionDiffJSON struct {
	A           insight.Sum          `json:"a" jsonschema_description:"the first session"`
	B           insight.Sum          `json:"b" jsonschema_description:"the second one"`
	Differences []insight.Difference `json:"differences" jsonschema_description:"line by line, those without a difference too"`
}

func sessionDiffVerb(ctx context.Context, e *env.Env, args []string) error {
	var sums [2]insight.Sum
	for i, name := range args {
		s, err := sum(ctx, e, name)
		if err != nil {
			return err
		}
		sums[i] = s
	}
	d := sessionDiffJSON{sums[0], sums[1], insight.Diff(sums[0], sums[1])}

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
	read(&meter, []session.State{s}, map[string]bool{s.ID: true}, nil)
	total := meter.Bill("model", nil, time.Time{}, prices).Total
	out.Tokens, out.Output, out.PicoUSD = total.Tokens.All(), total.Tokens.Output, total.PicoUSD
	return out, nil
}
