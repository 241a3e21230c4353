package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
)

// line is one line of what `session list --json` prints.
type line struct {
	session.State
	Standing session.Standing `json:"standing" jsonschema_description:"how it stands, or why it ended"`
}

// shownJSON is what `session show --json` prints.
type shownJSON struct {
	line
	Calls []insight.Call `json:"calls" jsonschema_description:"each tool call with who allowed it, in the order of their requests"`
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, command.SessionWords), command.Verb(e, env.Store, command.Text{
		Use:   "show ID",
		Short: "Show what is known of a session, and what happened in it",
		Long: "Show what is known of a session, and what happened in it: each prompt with the tools it led to and the\n" +
			"calls that failed, compactions, API errors, and how the session ended. With --calls: who allowed each tool call,\n" +
			"or who did not, and what was said.",
		Example: "  hookctl session show last\n" +
			"  hookctl session show c68c8a51 -n all\n" +
			"  hookctl session show last --calls",
	}, &showVerb{Last: 20}, cmdline.Exactly("a session: "+query.SessionForms)))
}

type showVerb struct {
	Last  command.Count `flag:"n,n" help:"the last N prompts and other steps, or all"`
	Calls bool          `help:"who allowed each tool call"`
}

func (f *showVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	return Show(ctx, e, args[0], f.Last, f.Calls)
}

// Show prints the session that a person named, and its last steps; with each, its last calls and who allowed them instead.
func Show(ctx context.Context, e *env.Env, name string, last command.Count, each bool) error {
	s, err := query.Session(ctx, e, name)
	if err != nil {
		return err
	}

	var tl timeline
	var who insight.Permissions
	take := func(r events.Record) {
		tl.take(r)
		who.Take(r)
	}
	if err := query.Records(ctx, e, api.EventsRequest{Session: s.ID}, take); err != nil {
		return err
	}
	calls := who.Calls()
	if e.JSON {
		return e.PrintJSON(shownJSON{line{s, s.Standing()}, calls})
	}

	projects, err := query.Projects(ctx, e)
	if err != nil {
		return err
	}
	in := query.ProjectName(projects, s.Project)
	if in != s.Project { // other projects may have the name
		in += " (" + s.Project + ")"
	}
	describe(e, s, in)
	show.Fields(e, "permissions", verdicts(calls))
	if each {
		printCalls(e, calls, last)
		return nil
	}
	printTimeline(e, s, tl, last)
	return nil
}

func describe(e *env.Env, s session.State, inProject string) {
	tone := "faint"
	if s.Status == session.Live {
		tone = "good"
	}
	e.Printf("%s  %s\n\n", e.Paint.Bold(cmdline.OneLine(s.ID)), e.Paint.Toned(tone, s.Status))
	show.Fields(e, "title", s.Title, "project", inProject, "work tree", s.Worktree, "branch", s.Branch,
		"started", show.Stamp(e, s.Started), "last active", show.Ago(e, s.LastActive))
	if s.Ended != nil {
		show.Fields(e, "ended", show.Join(", ", show.Ago(e, *s.Ended), show.Spaced(s.EndReason)))
	}
	if c := s.Context; c != nil {
		show.Fields(e, "context", fmt.Sprintf("%s, %d of %d tokens when it came to that", c.Phase, c.Used, c.Window))
	}
	show.Fields(e, "models", strings.Join(s.Models, ", "), "client", show.Join(", ", s.Program, s.Client, s.Entrypoint),
		"transcript", s.Transcript, "tools", cmdline.Counts(s.Tools), "process", s.Process().PID, "events", s.Events, "prompts", s.Prompts,
		"failures", s.Failures, "blocked", s.Blocked, "turns held", s.Held, "skills", s.Skills, "compactions", s.Compacted,
		"redacted", s.Redacted, "subagents", len(s.Agents), "open calls", len(s.Open))
}

// timeline is what happened in a session: its steps in the order of the log.
type timeline struct {
	steps []step
}

// step is a prompt, or something else that a person would say of a session, with what came of it.
type step struct {
	at      time.Time
	words   string
	tone    string // as in facts.txt
	tools   map[string]int
	failed  int
	blocked int
}

// take adds one event.
func (t *timeline) take(r events.Record) {
	switch e := r.Event.(type) {
	case *events.SessionStarted:
		t.add(r, "faint", show.Join(", ", "started", e.Source, e.Model))
	case *events.PromptSubmitted:
		t.add(r, "plain", e.Headline())
	case *events.CompactionFinished:
		t.add(r, "warn", show.Join(", ", "context compacted", e.Trigger))
	case *events.TurnFailed:
		t.add(r, "bad", "API error: "+show.Join(" — ", e.Error, e.ErrorDetails))
	case *events.SessionEnded:
		t.add(r, "faint", "ended, "+show.Spaced(e.Reason))
	case *events.SessionReaped:
		t.add(r, "warn", "ended without saying so, "+show.Spaced(e.Reason))
	case *events.ToolRequested:
		s := t.newest(r)
		s.tools[cmdline.OneLine(e.ToolName)]++
	case *events.ToolFailed:
		t.newest(r).failed++
	case *events.GateBlocked:
		t.newest(r).blocked++
	}
}

func (t *timeline) add(r events.Record, tone, words string) {
	t.steps = append(t.steps, step{at: r.Time, words: cmdline.OneLine(words), tone: tone, tools: map[string]int{}})
}

// newest is the step that an event belongs to; the recorder may have come when the session ran already.
func (t *timeline) newest(r events.Record) *step {
	if len(t.steps) == 0 {
		t.add(r, "faint", "recorded from here on")
	}
	return &t.steps[len(t.steps)-1]
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

// printTimeline prints the last steps and how the session stands or ended.
func printTimeline(e *env.Env, s session.State, t timeline, last command.Count) {
	earlier := last.From(len(t.steps))
	e.Printf("\n")
	if earlier > 0 {
		e.Printf(e.Paint.Faint("  %s before, -n all shows them")+"\n", cmdline.Plural(earlier, "step"))
	}

	var before time.Time
	for _, step := range t.steps[earlier:] {
		if d := show.Day(e, before, step.at); d != "" {
			e.Printf("%s\n", e.Paint.Faint(d))
		}
		before = step.at
		words := step.words
		if e.Columns > 0 {
			words = cmdline.Fit(words, max(10, e.Columns-len("  15:04:05  ")))
		}
		e.Printf("  %s  %s\n", e.Paint.Faint(step.at.In(e.Zone).Format(time.TimeOnly)), e.Paint.Toned(step.tone, words))
		came := []string{e.Paint.Faint(cmdline.Counts(step.tools))}
		if step.failed > 0 {
			came = append(came, e.Paint.Bad(fmt.Sprintf("%d failed", step.failed)))
		}
		if step.blocked > 0 {
			came = append(came, e.Paint.Warn(fmt.Sprintf("%d blocked by gates", step.blocked)))
		}
		if line := show.Join(", ", came...); line != "" {
			e.Printf("            %s\n", line)
		}
	}
	e.Printf("\n  %s\n", standing(e, s))
}
