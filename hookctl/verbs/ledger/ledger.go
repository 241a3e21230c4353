// Package ledger has the verbs of `hookctl ledger`: the decisions, next steps, questions and test scenarios of the project that
// this directory belongs to.
package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/ledger"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	verbs := append(wordVerbs(e),
		groundCommand(e),
		ghostCommand(e),
		synthesisCommand(e),
		recoverCommand(e),
		healCommand(e),
		showCommand(e),
		addCommand(e),
		handoffCommand(e),
		closeCommand(e),
		renderCommand(e),
		importCommand(e),
		diffCommand(e),
	)
	c := cmdline.Noun("ledger", "Keep a project's decisions, next steps, questions and test scenarios",
		"  hookctl ledger show\n"+
			"  hookctl ledger add decision 'refresh tokens: rotate them' --because 'a stolen one dies'",
		verbs...)
	c.Long = "The ledger belongs to the project of this directory and survives every cut of the context: a session that starts is\n" +
		"told the last decisions, the next steps and open questions, each with its number."
	return c
}

// wordVerbs are the verbs that add an entry of one kind.
func wordVerbs(e *env.Env) []*cobra.Command {
	var list []*cobra.Command
	for _, w := range []struct{ verb, kind, example string }{
		{"decide", events.LedgerDecision, "'refresh tokens: rotate them' --because 'a stolen one dies'"},
		{"next", events.LedgerStep, "'Tolerate 30 s of clock skew'"},
		{"question", events.LedgerQuestion, "'Which clock does the gateway trust?'"},
	} {
		list = append(list, command.Verb(e, env.Started, command.Text{
			Use:     w.verb + " TEXT",
			Short:   "Add a " + w.kind + ": `ledger add " + w.kind + "`",
			Example: "  hookctl ledger " + w.verb + " " + w.example,
		}, &addition{kind: w.kind}, cmdline.Exactly("TEXT")))
	}
	return list
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"ledger show":      ledger.State{},
	"ledger add":       hook.Ordered{},
	"ledger close":     hook.Ordered{},
	"ledger decide":    hook.Ordered{},
	"ledger next":      hook.Ordered{},
	"ledger question":  hook.Ordered{},
	"ledger handoff":   ledger.Handoff{},
	"ledger diff":      importJSON{},
	"ledger render":    renderedJSON{},
	"ledger import":    importJSON{},
	"ledger ground":    notes.Grounding{},
	"ledger ghost":     notes.Ghost{},
	"ledger synthesis": synthesisJSON{},
	"ledger recover":   recoveryJSON{},
	"ledger heal":      healedJSON{},
}

// Of is the ledger of the project of this directory, empty where it has none.
func Of(ctx context.Context, e *env.Env) (ledger.State, error) {
	_, here, err := query.Here(ctx, e)
	if err != nil {
		return ledger.State{}, err
	}
	return api.Ledger.Call(ctx, e, api.LedgerRequest{Project: here})
}

// order asks for events of the ledger here.
func order(ctx context.Context, e *env.Env, list ...events.Event) (api.LedgerReceipt, error) {
	o := api.Order{Dir: e.ProjectDir(), Session: e.Getenv("CLAUDE_CODE_SESSION_ID")}
	for _, event := range list {
		o.Events = append(o.Events, emit.Command(event))
	}
	return api.OrderLedger.Call(ctx, e.Changing(), o)
}

// addedKinds are the entries that people add.
var addedKinds = []string{events.LedgerDecision, events.LedgerStep, events.LedgerQuestion, events.LedgerScenario}

// shownKinds are all entries that are shown, with their titles.
var shownKinds = []struct{ kind, title string }{
	{events.LedgerDecision, "Decisions"}, {events.LedgerStep, "Next steps"}, {events.LedgerQuestion, "Open questions"},
	{events.LedgerScenario, "Test scenarios"}, {events.LedgerGhost, "Features that no search finds"},
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "show",
		Short: "Show the ledger of this project",
		Example: "  hookctl ledger show\n" +
			"  hookctl ledger show --all --json | jq '.entries[]'",
	}, &showVerb{})
}

type showVerb struct {
	All bool `help:"closed entries too"`
}

func (f *showVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	s, err := Of(ctx, e)
	if err != nil {
		return err
	}
	return Print(e, s, f.All)
}

// Print prints a ledger; with all, closed entries too.
func Print(e *env.Env, s ledger.State, all bool) error {
	if !all {
		s.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(entry ledger.Entry) bool { return entry.Closed != nil })
	}
	if e.JSON {
		return e.PrintJSON(s)
	}

	for _, k := range shownKinds {
		title := e.Paint.Bold(k.title) + "\n"
		for _, entry := range s.Entries {
			if entry.Kind != k.kind {
				continue
			}
			text := cmdline.OneLine(hook.DecisionText(entry))
			if entry.Case != "" {
				text += " (" + cmdline.OneLine(entry.Case) + ")"
			}
			if entry.Expected != "" {
				text += " → " + cmdline.OneLine(entry.Expected)
			}
			if entry.Closed != nil {
				text += " — closed " + show.Ago(e, entry.Closed.Time) + " " + cmdline.OneLine(entry.Closed.Reason)
			}
			e.Printf("%s  %6d  %s  %s\n", title, entry.Seq, text, e.Paint.Faint(entry.By+", "+show.Ago(e, entry.Time)))
			title = ""
			for _, c := range entry.Evidence {
				e.Printf("          %s %s\n", cmdline.OneLine(c.String()), e.Paint.Faint(cmdline.OneLine(c.Quote)))
			}
		}
	}
	for _, f := range s.Forks {
		e.Printf("%s  %s holds, %s was said %s\n", e.Paint.Faint("fork"), cmdline.OneLine(hook.Holds(s, f)), cmdline.OneLine(f.Context), show.Ago(e, f.Time))
	}
	if len(s.Entries) == 0 {
		e.Printf("nothing is in the ledger yet: `hookctl ledger add decision TEXT` puts something there\n")
	}
	return nil
}

// scenarioCases are the types of test scenarios (S3 "test_scenarios[]").
var scenarioCases = []string{"happy_path", "edge_case", "error_handling"}

func addCommand(e *env.Env) *cobra.Command {
	return command.Offering(cobra.FixedCompletions(addedKinds, cobra.ShellCompDirectiveNoFileComp), command.Verb(e, env.Started, command.Text{
		Use:   "add KIND TEXT",
		Short: "Add a decision, a step, a question or a scenario",
		Long: "Add a decision, a step, a question or a test scenario. A decision may begin with its subject: \"subject: decision\".\n" +
			"Where the ledger has another decision about that subject, or with the same evidence, the ledger holds: the fork is\n" +
			"recorded and the exit code is 1; --replaces takes the place of the old one. What is there already is not added again.",
		Example: "  hookctl ledger add decision 'refresh tokens: rotate them' --because 'a stolen one dies' --evidence '${PROJECT_ROOT}/auth/jwt.go:45-67'\n" +
			"  hookctl ledger add step 'Tolerate 30 s of clock skew'\n" +
			"  hookctl ledger add scenario 'Token expires at the boundary' --case edge_case --expect 'grace period applies'",
	}, &addition{}, cmdline.Exactly("KIND: decision, step, question or scenario", "TEXT")))
}

// addition holds the flags of `ledger add` as they were typed.
type addition struct {
	Subject  string   `help:"what a decision is about"`
	Because  string   `help:"why it was decided so"`
	Evidence []string `help:"a place that supports it: '${PROJECT_ROOT}/path:line[-line]'; may be repeated"`
	Case     string   `help:"of a scenario: happy_path, edge_case or error_handling" offers:"happy_path edge_case error_handling"`
	Expect   string   `help:"of a scenario: the outcome"`
	Replaces string   `help:"number or id of the entry that this one takes the place of"`

	kind string // "": the first argument
}

func (f *addition) Run(ctx context.Context, e *env.Env, args []string) error {
	event, err := f.entry(e.TopDir(), cmp.Or(f.kind, args[0]), args[len(args)-1])
	if err != nil {
		return err
	}
	event.By = e.Caller()
	if f.Replaces != "" {
		if event.Replaces, err = entryID(ctx, e, f.Replaces); err != nil {
			return err
		}
	}
	r, err := order(ctx, e, &event)
	if err != nil {
		return err
	}
	return sayOrdered(e, r.Results[0], event.Text)
}

func handoffCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "handoff",
		Short:   "List the handoffs that `ledger synthesis` recorded",
		Example: "  hookctl ledger handoff --json | jq -r .session",
	}, handoffVerb)
}

func handoffVerb(ctx context.Context, e *env.Env, _ []string) error {
	s, err := Of(ctx, e)
	if err != nil {
		return err
	}
	t := e.Table("SEQ", "ENDED", "SESSION", "LEVEL", "GROUNDED", "NOTES")
	return cmdline.PrintList(t, "no handoffs yet: `hookctl ledger synthesis` records one", s.Handoffs, func(h ledger.Handoff) []string {
		return []string{fmt.Sprint(h.Seq), show.Ago(e, h.Ended), show.Alias(h.Session), h.Level, fmt.Sprintf("%.2f", h.Ratio), show.OrDash(h.NotesRef)}
	})
}

func diffCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "diff [FILE]",
		Short:   "Show what NOTES.md or a bead has and the ledger has not: `ledger import --dry-run`",
		Example: "  hookctl ledger diff",
	}, diffVerb, cmdline.Between(0, "FILE"))
}

func diffVerb(ctx context.Context, e *env.Env, args []string) error {
	return importFile(ctx, e, fileOrNotes(e, args), true)
}

// entry is the entry that was typed; each citation is checked, and takes its quote from the file.
func (f addition) entry(root, kind, text string) (events.LedgerEntryAdded, error) {
	e := events.LedgerEntryAdded{Kind: kind, Text: strings.TrimSpace(text), Subject: f.Subject, Rationale: f.Because, Case: f.Case, Expected: f.Expect, Source: "command"}
	switch {
	case !slices.Contains(addedKinds, kind):
		return e, problem.Faultf("%q is no kind of entry", kind).Advise("one of " + strings.Join(addedKinds, ", "))
	case e.Text == "":
		return e, problem.Faultf("the text is empty").Advise("`hookctl ledger add --help` shows examples")
	case kind == events.LedgerScenario && !slices.Contains(scenarioCases, f.Case):
		return e, problem.Faultf("a scenario needs a case").Advise("--case happy_path, edge_case or error_handling")
	}
	if kind == events.LedgerDecision && e.Subject == "" {
		e.Subject, e.Text = ledger.SplitSubject(e.Text)
	}
	for _, text := range f.Evidence {
		c, err := notes.ParseCitation(text)
		if err != nil {
			return e, problem.Because(err).Advise("write it in single quotes: '" + notes.Root + "auth/jwt.go:45'")
		}
		if c, err = notes.Quoted(root, c); err != nil {
			return e, problem.Faultf("%s: %w", c, err).Advise("cite what is there now")
		}
		e.Evidence = append(e.Evidence, c)
	}
	return e, nil
}

// sayOrdered prints what became of one order.
func sayOrdered(e *env.Env, r hook.Ordered, text string) error {
	switch r.Outcome {
	case "fork":
		return problem.Faultf("the ledger has another decision, which holds: %s [ledger %d], not %q", hook.DecisionText(r.Entry), r.Entry.Seq, text).Advise(fmt.Sprintf("follow it, or replace it with --replaces %d", r.Entry.Seq))
	case "known":
		return e.Result(r, "the ledger has it already: %d\n", r.Entry.Seq)
	case "closed":
		return e.Result(r, "%d is closed by event %d\n", r.Entry.Seq, r.Seq)
	}
	return e.Result(r, "ledger %d, event %s\n", r.Seq, r.Event)
}

// entryID finds an entry by its number, its id, or the end of its id; "" is none.
func entryID(ctx context.Context, e *env.Env, name string) (string, error) {
	s, err := Of(ctx, e)
	if err != nil {
		return "", err
	}
	for _, entry := range s.Entries {
		if fmt.Sprint(entry.Seq) == name || strings.EqualFold(entry.ID, name) {
			return entry.ID, nil
		}
	}
	return "", problem.Faultf("the ledger has no entry %q", name).Advise("`hookctl ledger show --all` shows their numbers")
}

func closeCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:     "close NUMBER",
		Short:   "Close an entry: done, answered or taken back",
		Example: "  hookctl ledger close 41 --reason done",
	}, &closeVerb{}, cmdline.Exactly("the entry: `hookctl ledger show` shows their numbers"))
}

type closeVerb struct {
	Reason string `help:"why, or the answer to a question"`
}

func (f *closeVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	id, err := entryID(ctx, e, args[0])
	if err != nil {
		return err
	}
	r, err := order(ctx, e, &events.LedgerEntryClosed{Entry: id, Reason: f.Reason})
	if err != nil {
		return err
	}
	return sayOrdered(e, r.Results[0], "")
}
