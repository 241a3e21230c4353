package verbs

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
)

func sessionCmd(e *env.Env) *cobra.Command {
	c := cmdline.Noun("session", "List, show, compare and delete sessions",
		"  hookctl session list\n  hookctl session show c68c8a51",
		command.Verb(e, env.Store, "list", "List this project's sessions, the newest first", "",
			"  hookctl session list\n  hookctl session list -n all\n  hookctl session list --all --json | jq -r .id",
			&sessionListVerb{}),
		command.Offering(command.Completes(e, command.SessionWords), command.Verb(e, env.Store, "show ID", "Show what is known of a session, and what happened in it",
			"Show what is known of a session, and what happened in it: each prompt with the tools it led to and the\n"+
				"calls that failed, compactions, API errors, and how the session ended. With --calls: who allowed each tool call,\n"+
				"or who did not, and what was said.",
			"  hookctl session show last\n  hookctl session show c68c8a51 -n all\n  hookctl session show last --calls",
			&sessionShowVerb{Last: 20}, cmdline.Exactly("a session: "+query.SessionForms))),
		command.Offering(command.Completes(e, command.SessionWords), command.Plain(e, env.Store, "diff A B", "Compare two sessions: calls, permissions, files, commands, cost, end", "",
			"  hookctl session diff 043f0af5 last",
			sessionDiffVerb, cmdline.Exactly("a session: "+query.SessionForms, "another one"))),
		command.Offering(command.Completes(e, command.SessionWords), command.Verb(e, env.Store, "delete ID", "Drop a session from every list and fold",
			"Drop a session from every list and fold. This writes a tombstone: the log keeps the session's events.\n"+
				"A live session is dropped as well; what it still sends stays in the log only,\n"+
				"until it is resumed: then it begins anew.",
			"  hookctl session delete c68c8a51",
			&sessionDeleteVerb{Reason: "command"}, cmdline.Exactly("a session: "+query.SessionForms))))
	c.AddCommand(
		command.Client(e, "restore-identity", "Begin a session with the identity of the one before",
			"Begin a session with the identity of the one before: startup inherits, resume goes on, clear begins afresh.",
			"  hookctl session restore-identity < hook.json"),
		command.Client(e, "persist-identity", "Take the snapshot at a session's end",
			"Take the snapshot of a session's identity at its end.",
			"  hookctl session persist-identity < hook.json"))
	return c
}

type sessionListVerb struct {
	All  bool          `help:"of every project"`
	Last command.Count `flag:"n,n" help:"the N active last, or all (20 without it, with --json all)"`
}

func (f *sessionListVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	most := int(f.Last)
	if most == 0 && !e.JSON {
		most = 20
	}
	list, projects, err := query.NewestOf(ctx, e, f.All, most)
	if err != nil {
		return err
	}

	more := most > 0 && len(list) > most
	if more {
		list = list[:most]
	}
	lines := make([]sessionLine, len(list))
	for i, s := range list {
		lines[i] = sessionLine{s, s.Standing()}
	}
	t := e.Table("SESSION", "STATUS", "STANDING", "LAST ACTIVE", "TITLE", "PROJECT", "WHERE", "BRANCH", "EVENTS", "PROMPTS", "FAILED", "MODEL")
	t.Drop = []string{"MODEL", "EVENTS", "FAILED", "PROMPTS", "STANDING", "BRANCH", "WHERE", "PROJECT"}
	room := e.Columns / 3 // of a title; 0 is no limit
	t.Color = func(head, v string) string {
		id := strings.TrimSpace(v)
		switch {
		case head == "SESSION":
			return e.Paint.Session(id) + strings.Repeat(" ", cmdline.Width(v)-cmdline.Width(id))
		case head == "STATUS" && id == session.Live:
			return e.Paint.Good(v)
		case head == "STANDING" && strings.HasPrefix(v, "stuck"):
			return e.Paint.Bad(v)
		}
		return v
	}
	err = cmdline.PrintList(t, "no session in this project; --all lists those of others", lines, func(s sessionLine) []string {
		return []string{show.Alias(s.ID), s.Status, show.StandingWord(s.State.Standing()), show.Ago(e, s.LastActive), show.OrDash(cmdline.Fit(s.Title, room)), query.ProjectName(projects, s.Project),
			show.OrDash(show.Tilde(e, cmp.Or(s.Worktree, s.Cwd))), show.OrDash(s.Branch),
			strconv.Itoa(s.Events), strconv.Itoa(s.Prompts), strconv.Itoa(s.Failures), show.OrDash(s.Model)}
	})
	if more && !e.JSON {
		e.Printf(e.Paint.Faint("the %d active last; -n all lists all")+"\n", most)
	}
	return err
}

type sessionShowVerb struct {
	Last  command.Count `flag:"n,n" help:"the last N prompts and other steps, or all"`
	Calls bool          `help:"who allowed each tool call"`
}

func (f *sessionShowVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	return showSession(ctx, e, args[0], f.Last, f.Calls)
}

func showSession(ctx context.Context, e *env.Env, name string, last command.Count, each bool) error {
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
		return e.PrintJSON(sessionJSON{sessionLine{s, s.Standing()}, calls})
	}

	projects, err := query.Projects(ctx, e)
	if err != nil {
		return err
	}
	in := query.ProjectName(projects, s.Project)
	if in != s.Project { // other projects may have the name
		in += " (" + s.Project + ")"
	}
	describeSession(e, s, in)
	show.Fields(e, "permissions", verdicts(calls))
	if each {
		printCalls(e, calls, last)
		return nil
	}
	printTimeline(e, s, tl, last)
	return nil
}

func describeSession(e *env.Env, s session.State, inProject string) {
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

type sessionDeleteVerb struct {
	Yes    bool   `help:"do not ask"`
	Reason string `help:"kept in the tombstone"`
}

func (f *sessionDeleteVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	s, err := query.Session(ctx, e, args[0])
	if err != nil {
		return err
	}
	e.Release() // a store that is open here keeps the daemon out while the question waits
	question := fmt.Sprintf("delete session %s (%s, %s, last active %s)?", s.ID, s.Status, cmdline.Plural(s.Events, "event"), show.Ago(e, s.LastActive))
	if err := e.Confirm(ctx, question, f.Yes); err != nil {
		return err
	}
	r, err := emit.Event(ctx, e, emit.Owner{Session: s.ID, Project: s.Project}, &events.SessionDeleted{Reason: f.Reason})
	if err != nil {
		return err
	}
	return e.Result(r, "session %s is deleted (event %d)\n", s.ID, r.Seq)
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
