// Package context has the verbs of `hookctl context`: what an agent would be told, what it costs, and what survives a
// compaction.
package context

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/ledger"
	"hookline/hookctl/verbs/query"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/past"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	return cmdline.Noun("context", "Show what the agent would be told", "  hookctl context show",
		showCommand(e),
		statusCommand(e),
		rulesCommand(e),
		preserveCommand(e),
		compactCommand(e),
		probeCommand(e))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"context show":     hook.Recovery{},
	"context status":   statusJSON{},
	"context rules":    rulesJSON{},
	"context preserve": preserveJSON{},
	"context compact":  compactJSON{},
	"context probe":    []probeJSON{},
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "show",
		Short: "Show what the session would be told at a start, and what each section costs",
		Long: "Show what the session would be told when it starts again after a compaction, or at another start, and what each section\n" +
			"costs in tokens: the gates where it works too, with --at without them, since their rules are not in the log. --rest shows\n" +
			"what the session was not told since its last start for want of room, as the last line of what it was told counts it.",
		Example: "  hookctl context show\n" +
			"  hookctl context show --rest\n" +
			"  hookctl context show --source startup --budget 300\n" +
			"  hookctl context show --session last --at 10m --json | jq .items",
	}, &showVerb{Source: "compact"})
}

type showVerb struct {
	query.OfSession
	Source string `help:"of the start: compact, startup, resume, clear"`
	At     string `help:"as of a point: a sequence, a time, or a duration back"`
	Budget string `help:"tokens, where fewer than a start has"`
	Rest   bool   `help:"what was left out since the last start, in its order"`
}

func (f *showVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	if f.Rest {
		return f.showRest(ctx, e, id)
	}
	out, err := api.Context.Call(ctx, e, api.ContextRequest{Session: id, Source: f.Source, At: past.Point(f.At), Budget: f.Budget})
	if err != nil {
		return err
	}
	return e.Verdict(out, true, func() {
		e.Printf("%s\n\n", cmp.Or(out.Text, "nothing would be told"))
		for _, s := range out.Sections {
			e.Printf("%5d  %s\n", s.Tokens, s.Name)
		}
		e.Printf("%5d  tokens of at most %d\n", out.Tokens, out.Budget)
	})
}

// showRest prints what a session was not told since its last start, as it was recorded then.
func (f *showVerb) showRest(ctx context.Context, e *env.Env, id string) error {
	out := hook.Recovery{Sections: []hook.Section{}, Items: []hook.Recovered{}}
	q := api.EventsRequest{Session: id, Types: []string{events.TypeContextInjected}}
	if f.At != "" {
		q.Until = past.Point(f.At)
	}
	err := query.Records(ctx, e, q, func(r events.Record) {
		told, ok := r.Event.(*events.ContextInjected)
		if !ok || r.AgentID != "" {
			return
		}
		if told.Hook == "SessionStart" {
			out.LeftOut, out.Left, out.Seq = nil, 0, r.Seq
		}
		if told.Left > 0 {
			out.LeftOut = append(out.LeftOut, told.LeftOut...)
			out.Left += told.Left
			out.Seq = r.Seq
		}
	})
	if err != nil {
		return err
	}
	return e.Verdict(out, true, func() {
		for _, l := range out.LeftOut {
			e.Printf("%s:\n", cmdline.OneLine(l.What))
			for _, text := range l.Entries {
				e.Printf("  %s\n", cmdline.OneLine(text))
			}
		}
		switch shown := countLeft(out.LeftOut); {
		case out.Left == 0:
			e.Printf("nothing was left out\n")
		case shown < out.Left:
			e.Printf("and %d more, which were not recorded\n", out.Left-shown)
		}
	})
}

// countLeft counts the entries that were left out.
func countLeft(list []events.LeftOut) int {
	n := 0
	for _, l := range list {
		n += len(l.Entries)
	}
	return n
}

// The context manager of S3: what survives a compaction, whether it is there, and what a file would cost.

// Sections that have to survive; the first two are critical.
var preserved = []string{"Session Continuity", "Decision Log", "Test Scenarios", "Active Sub-Goals", "Pending Questions"}

// rulesJSON is what `context rules --json` prints.
type rulesJSON struct {
	Always      []string `json:"always_preserve" jsonschema_description:"what survives a compaction"`
	Compactable []string `json:"compactable" jsonschema_description:"what may be summarised"`
}

var rules = rulesJSON{
	Always:      []string{"notes_session_continuity", "notes_decision_log", "trajectory_entries", "active_beads"},
	Compactable: []string{"tool_results", "thinking_blocks", "verbose_debug", "redundant_file_reads", "intermediate_outputs"},
}

// statusJSON is what `context status --json` prints.
type statusJSON struct {
	Config struct {
		Compaction bool `json:"compaction_enabled" jsonschema_description:"the client compacts; true"`
		Notes      bool `json:"notes_preserved" jsonschema_description:"the ledger is in the log; true"`
		Simplified bool `json:"simplified_checkpoint" jsonschema_description:"a compaction has a checkpoint of four checks; true"`
	} `json:"config" jsonschema_description:"what holds for every project"`
	Preservation struct {
		Continuity bool `json:"session_continuity" jsonschema_description:"the section is in NOTES.md, or a session's task is known"`
		Decisions  bool `json:"decision_log" jsonschema_description:"the section is in NOTES.md, or the ledger has decisions"`
		Today      int  `json:"trajectory_entries_today" jsonschema_description:"entries, forks and handoffs of the ledger of today"`
		Beads      int  `json:"active_beads" jsonschema_description:".beads/*.yaml that are in progress"`
	} `json:"preservation" jsonschema_description:"what is there to survive"`
	Sections  []string `json:"notes_sections" jsonschema_description:"headings of NOTES.md"`
	Attention struct {
		Level    string `json:"level" jsonschema_description:"green, yellow, orange or red, by the thresholds of the setting attention; advisory"`
		Tokens   int    `json:"tokens" jsonschema_description:"of tool calls and prompts since the context began, bytes / 4"`
		Unsynced int    `json:"unsynced_tokens" jsonschema_description:"since the last delta synthesis"`
	} `json:"attention" jsonschema_description:"of the current session"`
}

func status(ctx context.Context, e *env.Env) (statusJSON, error) {
	var out statusJSON
	out.Config.Compaction, out.Config.Notes, out.Config.Simplified = true, true, true
	s, err := ledger.Of(ctx, e)
	if err != nil {
		return out, err
	}
	data, _ := safeopen.ReadFile(safeopen.Foreign, ledger.NotesFile(e.TopDir()), env.MaxFile)
	out.Sections = notes.Sections(data)

	p := &out.Preservation
	p.Continuity = slices.Contains(out.Sections, preserved[0]) || ledger.Active(ctx, e, s).Task != ""
	p.Decisions = slices.Contains(out.Sections, preserved[1]) || len(s.Open(events.LedgerDecision)) > 0
	day := e.Now().In(e.Zone).Format("2006-01-02")
	for _, t := range s.Times() {
		if t.In(e.Zone).Format("2006-01-02") == day {
			p.Today++
		}
	}
	dir := filepath.Join(e.TopDir(), ".beads")
	names, _ := safeopen.ReadDir(safeopen.Foreign, dir, 10_000) // none, where there is none
	for _, name := range names {
		data, err := safeopen.ReadFile(safeopen.Foreign, filepath.Join(dir, name), env.MaxFile)
		if err == nil && ledger.IsBead(name) && strings.Contains("\n"+string(data), "\nstatus: in_progress") {
			p.Beads++
		}
	}
	if id, err := query.Current(ctx, e, ""); err == nil {
		s, _ := query.StateOf[session.State](ctx, e, session.Name, id)
		c := s.Attention
		out.Attention.Tokens, out.Attention.Unsynced = session.Tokens(c.Bytes), session.Tokens(c.Unsynced)
		out.Attention.Level = c.Level(e.Conf.Values.Attention)
	}
	return out, nil
}

func statusCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "status",
		Short:   "Show what is there to survive a compaction, and the attention budget",
		Example: "  hookctl context status --json",
	}, statusVerb)
}

func statusVerb(ctx context.Context, e *env.Env, _ []string) error {
	s, err := status(ctx, e)
	if err != nil {
		return err
	}
	p := s.Preservation
	return e.Result(s, "session continuity  %s\ndecision log        %s\nentries of today    %d\nactive beads        %d\nattention           %s, %d tokens, %d since the last delta synthesis\n",
		yesNo(p.Continuity), yesNo(p.Decisions), p.Today, p.Beads, cmp.Or(s.Attention.Level, "unknown"), s.Attention.Tokens, s.Attention.Unsynced)
}

func rulesCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "rules",
		Short:   "Show what survives a compaction and what is summarised",
		Example: "  hookctl context rules --json",
	}, rulesVerb)
}

func rulesVerb(_ context.Context, e *env.Env, _ []string) error {
	return e.Result(rules, "always preserved  %s\ncompactable       %s\n", strings.Join(rules.Always, ", "), strings.Join(rules.Compactable, ", "))
}

func yesNo(b bool) string {
	if b {
		return "present"
	}
	return "missing"
}

// preserveJSON is what `context preserve --json` prints.
type preserveJSON struct {
	Missing []string `json:"missing" jsonschema_description:"sections that NOTES.md does not have"`
}

func preserveCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "preserve [all|critical]",
		Short:   "Name the sections that are missing in NOTES.md",
		Long:    "Name the sections that are missing in NOTES.md: the critical two, or all. The exit code is 1 when one is.",
		Example: "  hookctl context preserve critical",
	}, preserveVerb, cmdline.Between(0, "all or critical"))
}

func preserveVerb(ctx context.Context, e *env.Env, args []string) error {
	s, err := status(ctx, e)
	if err != nil {
		return err
	}
	wanted := preserved
	switch {
	case len(args) == 0 || args[0] == "all":
	case args[0] == "critical":
		wanted = preserved[:2]
	default:
		return problem.Faultf("%q is neither all nor critical", args[0]).Advise("`hookctl context preserve critical`")
	}
	out := preserveJSON{Missing: slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return slices.Contains(s.Sections, name) })}
	return e.Verdict(out, len(out.Missing) == 0, func() {
		if len(out.Missing) == 0 {
			e.Printf("nothing is missing\n")
		}
		for _, name := range out.Missing {
			e.Printf("missing: %s\n", name)
		}
	})
}

// compactJSON is what `context compact --json` prints.
type compactJSON struct {
	Checks     map[string]bool `json:"checks" jsonschema_description:"the automated ones"`
	Passed     int             `json:"passed" jsonschema_description:"of four"`
	Manual     []string        `json:"manual" jsonschema_description:"what only a person can check"`
	Checkpoint string          `json:"checkpoint,omitempty" jsonschema_description:"id of its event; absent with --dry-run"`
}

func compactCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "compact",
		Short: "Run the simplified checkpoint before a compaction",
		Long: "Run the simplified checkpoint: four checks, and three that only you can make. A checkpoint of the session is made, unless\n" +
			"--dry-run is given. The client compacts by /compact or by itself.",
		Example: "  hookctl context compact --dry-run",
	}, &compactVerb{})
}

type compactVerb struct {
	Dry bool `flag:"dry-run" help:"make no checkpoint"`
}

func (f *compactVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	s, err := status(ctx, e)
	if err != nil {
		return err
	}
	_, err = e.Look("br")
	names := []string{"trajectory today", "session continuity", "decision log", "beads synced or absent"}
	results := []bool{s.Preservation.Today > 0, s.Preservation.Continuity, s.Preservation.Decisions, s.Preservation.Beads == 0 || err != nil}
	out := compactJSON{Checks: map[string]bool{}, Manual: []string{"decisions of this session are in the ledger", "the next step is in the ledger", "nothing that only the context has is needed"}}
	text := ""
	for i, name := range names {
		out.Checks[name] = results[i]
		word := "warn"
		if results[i] {
			word = "pass"
			out.Passed++
		}
		text += word + "  " + name + "\n"
	}
	if !f.Dry {
		mark := events.CheckpointCreated{Schema: working.Schema, Trigger: "command", Note: fmt.Sprintf("before a compaction, %d/4 passed", out.Passed)}
		r, err := emit.ForSession(ctx, e, "", &mark)
		if err != nil {
			return err
		}
		out.Checkpoint = r.ID
	}
	return e.Result(out, "%sAutomated: %d/4 passed\ncheck yourself: %s\n", text, out.Passed, strings.Join(out.Manual, "\ncheck yourself: "))
}

// probeJSON is what `context probe --json` prints.
type probeJSON struct {
	File      string `json:"file" jsonschema_description:"as it was named"`
	Lines     int    `json:"lines" jsonschema_description:"how many"`
	Bytes     int    `json:"bytes" jsonschema_description:"how many"`
	Tokens    int    `json:"tokens" jsonschema_description:"bytes / 4"`
	Relevance int    `json:"relevance" jsonschema_description:"0 to 10: for each word 1 where it occurs, 2 where more than five times"`
	Decision  string `json:"decision" jsonschema_description:"load (at most 500 lines, or relevance 6 and more), excerpt (3 to 5) or skip"`
}

func probeCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:     "probe FILE…",
		Short:   "Say what reading a file would cost, and whether to",
		Example: "  hookctl context probe auth/jwt.go --for token --for refresh",
	}, &probeVerb{}, cmdline.AtLeast("FILE"))
}

type probeVerb struct {
	Words []string `flag:"for" help:"a word that it is read for; may be repeated"`
}

func (f *probeVerb) Run(_ context.Context, e *env.Env, args []string) error {
	for _, name := range args {
		data, err := safeopen.ReadFile(safeopen.Foreign, e.Absolute(name), env.MaxFile)
		if err != nil {
			return problem.Because(err).Advise("a text of at most 4 MiB is probed")
		}
		p := probe(name, string(data), f.Words)
		if err := e.Result(p, "%s: %d lines, %d tokens, relevance %d: %s\n", cmdline.OneLine(name), p.Lines, p.Tokens, p.Relevance, p.Decision); err != nil {
			return err
		}
	}
	return nil
}

func probe(name, text string, words []string) probeJSON {
	p := probeJSON{File: name, Lines: strings.Count(text, "\n"), Bytes: len(text), Tokens: session.Tokens(len(text)), Decision: "load"}
	low := strings.ToLower(text)
	for _, w := range words {
		switch n := strings.Count(low, strings.ToLower(w)); {
		case n > 5:
			p.Relevance += 2
		case n > 0:
			p.Relevance++
		}
	}
	p.Relevance = min(10, p.Relevance)
	switch {
	case p.Lines <= 500:
	case p.Relevance < 3:
		p.Decision = "skip"
	case p.Relevance < 6:
		p.Decision = "excerpt"
	}
	return p
}
