package ledger

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/projector/ledger"
)

// Around a cut of the context: synthesis before it, recovery after it, and views that are damaged (S3 "Session
// Lifecycle").

// Budgets of recovery, in tokens (S3 "Tiered Ledger Recovery").
const (
	levelOneTokens = 100
	levelTwoTokens = 500
	levelTwoHits   = 3
	lastDecisions  = 3
)

// recoveryJSON is what `ledger recover --json` prints.
type recoveryJSON struct {
	Level   int            `json:"level" jsonschema_description:"1, 2 or 3"`
	Tokens  int            `json:"tokens" jsonschema_description:"estimate for the text"`
	Text    string         `json:"text" jsonschema_description:"what is recovered"`
	Active  notes.Active   `json:"active" jsonschema_description:"what is worked on"`
	Entries []ledger.Entry `json:"entries" jsonschema_description:"that the text has"`
}

func recoverCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "recover [LEVEL] [WORDS…]",
		Short: "Print what is needed to go on, by level",
		Long: "Print what is needed to go on after the context was cut. Level 1: the active task, the last checkpoint, the reasoning\n" +
			"state and the last three decisions, about 100 tokens. Level 2: the entries that fit the words best, closed ones too,\n" +
			"at most 500 tokens. Level 3: everything.",
		Example: "  hookctl ledger recover\n" +
			"  hookctl ledger recover 2 authentication tokens",
	}, recoverVerb)
}

func recoverVerb(ctx context.Context, e *env.Env, args []string) error {
	level := "1"
	if len(args) > 0 {
		level, args = args[0], args[1:]
	}
	if level != "1" && level != "2" && level != "3" {
		return problem.Faultf("Invalid level: %s (use 1, 2, or 3)", level).Advise("`hookctl ledger recover --help` says what each has")
	}
	s, err := Of(ctx, e)
	if err != nil {
		return err
	}

	out := recoveryJSON{Level: int(level[0] - '0'), Entries: []ledger.Entry{}, Active: Active(ctx, e, s)}
	switch out.Level {
	case 1:
		out.Entries = append(out.Entries, copies.Newest(s.Open(events.LedgerDecision), lastDecisions)...)
		slices.Reverse(out.Entries)
		for chars := 160; chars >= 20 && (out.Text == "" || hook.Tokens(out.Text) > levelOneTokens); chars -= 10 {
			out.Text = levelOne(out.Active, out.Entries, chars)
		}
	case 2:
		if len(args) == 0 {
			args = strings.Fields(out.Active.Task)
		}
		for _, entry := range s.Search(args, levelTwoHits) {
			text := out.Text + entryText(entry)
			if hook.Tokens(text) > levelTwoTokens {
				break
			}
			out.Text = text
			out.Entries = append(out.Entries, entry)
		}
		if len(out.Entries) == 0 {
			return problem.Faultf("no entry of the ledger has these words").Advise("`hookctl ledger recover 3` prints everything")
		}
	case 3:
		out.Entries = append(out.Entries, s.Entries...)
		text, err := notes.Markdown(nil, s, out.Active)
		if err != nil {
			return err
		}
		out.Text = string(text)
	}
	out.Tokens = hook.Tokens(out.Text)
	return e.Result(out, "%s\n", strings.TrimRight(out.Text, "\n"))
}

// levelOne is the text of level 1 with so many characters a line.
func levelOne(now notes.Active, decisions []ledger.Entry, chars int) string {
	text := "Active task: " + cmp.Or(wording.Short(now.Task, chars), "none") + "\n"
	text += "Last checkpoint: " + cmp.Or(notes.Stamp(now.Checkpoint), "none") + "\nReasoning state: " + cmp.Or(wording.Short(now.Reasoning, chars), "none") + "\n"
	for _, e := range decisions {
		text += fmt.Sprintf("Decided: %s [ledger %d]\n", wording.Short(hook.DecisionText(e), chars), e.Seq)
	}
	return text
}

// entryText is one entry with all that it has.
func entryText(e ledger.Entry) string {
	text := fmt.Sprintf("%s %d: %s", e.Kind, e.Seq, hook.DecisionText(e))
	if e.Expected != "" {
		text += " → " + e.Expected
	}
	if e.Closed != nil {
		text += " (closed: " + e.Closed.Reason + ")"
	}
	for _, c := range e.Evidence {
		text += "\n  `" + c.Quote + "` [" + c.String() + "]"
	}
	return text + "\n"
}

func synthesisCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:   "synthesis",
		Short: "Check the ledger before the context is cleared, and hand it over",
		Long: "Check the ledger in seven steps before the context is cleared: grounding, features that no search finds, the decision\n" +
			"log (NOTES.md is rendered where it has our block), beads (`br sync --flush-only` where br is on the PATH), the handoff,\n" +
			"the evidence to come back to, and three test scenarios. At level strict the first two can fail, and the exit code is 1.\n" +
			"The client cannot be kept from clearing; the next session is told the result.",
		Example: "  hookctl ledger synthesis --level strict",
	}, &synthesisVerb{Level: "warn"})
}

type synthesisVerb struct {
	Level string `help:"strict, warn or disabled" choices:"strict warn disabled"`
}

func (f *synthesisVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	s, err := Of(ctx, e)
	if err != nil {
		return err
	}
	event := &events.LedgerSynthesized{Level: f.Level, Passed: true, Ratio: 1, Steps: []events.SynthesisStep{}}
	step := func(name, status, message string) {
		event.Steps = append(event.Steps, events.SynthesisStep{Name: name, Status: status, Message: message})
	}
	judge := func(name string, ok bool, message string) {
		status := "pass"
		switch {
		case f.Level == "disabled":
			status = "skip"
		case !ok && f.Level == "strict":
			status, event.Passed = "fail", false
		case !ok:
			status = "warn"
		}
		step(name, status, message)
	}

	g := notes.Ground(notes.ClaimsOfLedger(e.TopDir(), s), leastGrounded)
	event.Ratio, event.Claims = g.Ratio, g.Total
	judge("grounding", g.Status == "pass", g.Message)
	ghosts := s.Open(events.LedgerGhost)
	judge("negative grounding", len(ghosts) == 0, cmdline.Plural(len(ghosts), "feature")+" that no search finds")
	var status, message string
	status, message, event.NotesRef = decisionLog(ctx, e, s)
	step("decision log", status, message)
	step(beads(ctx, e, s))
	step("handoff", "pass", "recorded with this event")
	cited := 0
	for _, d := range s.Open(events.LedgerDecision) {
		cited += len(d.Evidence)
	}
	step("identifiers", "pass", cmdline.Plural(cited, "place")+" to come back to")
	n := len(s.Open(events.LedgerScenario))
	status = "pass"
	if n < 3 {
		status = "warn"
	}
	step("test scenarios", status, fmt.Sprintf("%d of 3", n))

	r, err := order(ctx, e, event)
	if err != nil {
		return err
	}
	return e.Verdict(synthesisJSON{LedgerSynthesized: *event, Event: r.Results[0].Event}, event.Passed, func() {
		for i, s := range event.Steps {
			e.Printf("%d  %s  %s: %s\n", i+1, cmdline.Pad(s.Status, 4), s.Name, cmdline.OneLine(s.Message))
		}
		verdict := "FAILED\n/clear is BLOCKED"
		if event.Passed {
			verdict = "PASSED\n/clear is permitted"
		}
		e.Printf("SYNTHESIS CHECKPOINT: %s\n", verdict)
	})
}

// synthesisJSON is what `ledger synthesis --json` prints.
type synthesisJSON struct {
	events.LedgerSynthesized
	Event string `json:"event" jsonschema_description:"id of the event that keeps it"`
}

// decisionLog renders NOTES.md where it has our block already, and gives its lines.
func decisionLog(ctx context.Context, e *env.Env, s ledger.State) (status, message, ref string) {
	decided := cmdline.Plural(len(s.Open(events.LedgerDecision)), "decision")
	file := NotesFile(e.TopDir())
	lines := func() (string, int, int) {
		data, _ := safeopen.ReadFile(safeopen.Own, file, env.MaxFile)
		first, last := notes.BlockLines(data)
		rel, _ := filepath.Rel(e.TopDir(), file)
		return filepath.ToSlash(rel), first, last
	}
	if _, first, _ := lines(); first == 0 {
		return "pass", decided + " in the ledger; NOTES.md has no block to write to", ""
	}
	if _, err := render(ctx, e, file); err != nil {
		return "warn", err.Error(), ""
	}
	rel, first, last := lines()
	return "pass", decided + " in the ledger and in " + rel, fmt.Sprintf("%s:%d-%d", rel, first, last)
}

// beads flushes the changes of beads where their program is there, for ten seconds at most.
func beads(ctx context.Context, e *env.Env, s ledger.State) (name, status, message string) {
	path, err := e.Look("br")
	if err != nil {
		return "beads", "pass", "no br on the PATH; " + cmdline.Plural(len(s.Open(events.LedgerStep)), "next step") + " in the ledger"
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "sync", "--flush-only")
	cmd.Dir = e.TopDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "beads", "warn", "br sync --flush-only: " + err.Error() + " " + wording.Short(string(out), 100)
	}
	return "beads", "pass", "br sync --flush-only"
}

// healedJSON is what `ledger heal --json` prints.
type healedJSON struct {
	File    string `json:"file" jsonschema_description:"path"`
	Status  string `json:"status" jsonschema_description:"healthy, damaged or healed"`
	Problem string `json:"problem,omitempty" jsonschema_description:"what is wrong, or was"`
	From    string `json:"from,omitempty" jsonschema_description:"log, git or template"`
}

func healCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:   "heal",
		Short: "Write a missing or empty NOTES.md anew: from the log, from git, or from a template",
		Long: "Write a missing or empty NOTES.md anew: from the log, with your own text as the last commit has it; without entries as\n" +
			"the last commit has it; else from a template. The exit code is 0 for a healthy or healed file, with --check-only 1 for\n" +
			"damage that can be repaired, and 2 for what cannot.",
		Example: "  hookctl ledger heal --check-only",
	}, &healVerb{})
}

type healVerb struct {
	Check bool `flag:"check-only" help:"only say what is wrong"`
}

func (f *healVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	file := NotesFile(e.TopDir())
	out := healedJSON{File: file, Status: "healthy"}
	damage, err := notes.Damage(file)
	if err != nil {
		return &problem.Error{Message: "not repairable: " + err.Error(), Hint: "a plain file of yours is wanted there; it is as it was", Exit: 2, Cause: err}
	}
	switch out.Problem = damage; {
	case damage == "":
	case f.Check:
		out.Status = "damaged"
	default:
		if out.From, err = heal(ctx, e, file, damage); err != nil {
			return &problem.Error{Message: "not repairable: " + file + ": " + err.Error(), Hint: "the file is as it was", Exit: 2, Cause: err}
		}
		out.Status = "healed"
	}
	return e.Verdict(out, out.Status != "damaged", func() {
		words := map[string]string{"damaged": "damaged: " + out.Problem, "healed": "written anew from the " + out.From, "healthy": "healthy"}
		e.Printf("%s: %s\n", cmdline.OneLine(out.File), cmdline.OneLine(words[out.Status]))
	})
}

func heal(ctx context.Context, e *env.Env, file, problem string) (from string, err error) {
	top := e.TopDir()
	rel, err := filepath.Rel(top, file)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	committed, err := facts.Git(ctx, top, "cat-file", "blob", "HEAD:"+rel)
	if err != nil {
		committed = nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	s, err := Of(ctx, e)
	if err != nil {
		return "", err
	}
	if from, err = notes.Heal(file, s, Active(ctx, e, s), committed); err != nil {
		return "", err
	}
	_, err = order(ctx, e, &events.LedgerHealed{File: rel, From: from, Problem: problem})
	return from, err
}
