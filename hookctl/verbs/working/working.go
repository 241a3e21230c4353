// Package working has the verbs of a session's working state: `hookctl goal`, `handoff` and `checkpoint`.
package working

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/handover"
	"hookline/projector/working"
)

// goalJSON is what `goal show --json` prints.
type goalJSON struct {
	Session    string          `json:"session" jsonschema_description:"whole id"`
	Goal       *working.Note   `json:"goal" jsonschema_description:"the first prompt of substance, or what was set; null when there is none"`
	Keywords   []string        `json:"goal_keywords" jsonschema_description:"words of the goal"`
	Task       *working.Note   `json:"task" jsonschema_description:"the newest prompt of substance, or the approved plan; null when there is none"`
	Confidence int             `json:"confidence" jsonschema_description:"0 to 100: 75, more for tests, build and lint that passed since the last change of code, less for open failures"`
	Evidence   []working.Proof `json:"evidence" jsonschema_description:"the last outcome of tests, build and lint"`
	Unproved   *working.Note   `json:"unproved" jsonschema_description:"the newest change of code that no test or build has passed since; null when there is none"`
	Open       int             `json:"open_failures" jsonschema_description:"that lower the confidence by 5 each"`
}

// handoffJSON is what `handoff show --json` prints.
type handoffJSON struct {
	Session string        `json:"session" jsonschema_description:"whole id"`
	State   working.State `json:"state" jsonschema_description:"what the next session of the project is told from, for 24 h"`
	Handed  bool          `json:"handed_over" jsonschema_description:"the next start of the project is told of this session"`
}

// GoalCommand returns the noun goal with its verbs.
func GoalCommand(e *env.Env) *cobra.Command {
	return cmdline.Noun("goal", "Show a session's goal, and set it", "  hookctl goal show\n  hookctl goal set 'Ship the retries'",
		command.Verb(e, env.Store, command.Text{
			Use:     "show",
			Short:   "Show the goal, the current task and the confidence",
			Example: "  hookctl goal show",
		}, &workingVerb{show: printGoal}),
		command.Verb(e, env.Store, command.Text{
			Use:     "set TEXT",
			Short:   "Set the goal",
			Example: "  hookctl goal set 'Ship the retries'",
		}, &noteVerb{event: func(text string) events.Event { return &events.GoalSet{Text: text} }}, cmdline.Exactly("TEXT")))
}

// HandoffCommand returns the noun handoff with its verbs.
func HandoffCommand(e *env.Env) *cobra.Command {
	return cmdline.Noun("handoff", "Show what the next session of the project is told, and add words to it",
		"  hookctl handoff show\n  hookctl handoff write 'Run the smoke tests next'",
		command.Verb(e, env.Store, command.Text{
			Use:     "show",
			Short:   "Show what the next session is told",
			Example: "  hookctl handoff show",
		}, &workingVerb{show: printHandoff}),
		command.Verb(e, env.Store, command.Text{
			Use:     "write TEXT",
			Short:   "Keep words for the next session",
			Example: "  hookctl handoff write 'Run the smoke tests next'",
		}, &noteVerb{event: func(text string) events.Event { return &events.HandoffWritten{Text: text} }}, cmdline.Exactly("TEXT")))
}

// CheckpointCommand returns the noun checkpoint with its verbs.
func CheckpointCommand(e *env.Env) *cobra.Command {
	return cmdline.Noun("checkpoint", "Mark states of a session's work, and go back to one", "  hookctl checkpoint list\n  hookctl checkpoint show",
		command.Verb(e, env.Store, command.Text{
			Use:     "list",
			Short:   "List a session's checkpoints",
			Example: "  hookctl checkpoint list",
		}, &workingVerb{show: printCheckpoints}),
		command.Verb(e, env.Store, command.Text{
			Use:     "create",
			Short:   "Mark the state of now",
			Long:    "Mark the state of now. One is made before every compaction. `hookctl checkpoint show` shows the state that it marks.",
			Example: "  hookctl checkpoint create --note 'before the rewrite'",
		}, &checkpointCreateVerb{}),
		command.Verb(e, env.Store, command.Text{
			Use:   "show [SEQ]",
			Short: "Show the state that a checkpoint marks",
			Long:  "Show the state that a checkpoint marks: the newest (also as `last`), or that of a sequence in `hookctl checkpoint list`.",
			Example: "  hookctl checkpoint show\n" +
				"  hookctl checkpoint show 4711 --session last",
		}, &checkpointVerb{show: true}, cmdline.Between(0, "a sequence")),
		command.Verb(e, env.Started, command.Text{
			Use:   "restore [SEQ]",
			Short: "Make the state of a checkpoint the session's own again",
			Long: "Make the state of a checkpoint the session's own again: the goal, what was corrected, open failures, changed files,\n" +
				"and within an hour the files that were read and the commands. What is not restored is said. Nothing is erased.",
			Example: "  hookctl checkpoint restore\n" +
				"  hookctl checkpoint restore 4711 --session last",
		}, &checkpointVerb{}, cmdline.Between(0, "a sequence")))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"goal show":          goalJSON{},
	"goal set":           events.Record{},
	"handoff show":       handoffJSON{},
	"handoff write":      events.Record{},
	"checkpoint list":    []working.Checkpoint{},
	"checkpoint create":  events.Record{},
	"checkpoint show":    api.Restored{},
	"checkpoint restore": api.Restored{},
}

// workingVerb prints something of a session's working state.
type workingVerb struct {
	query.OfSession
	show func(ctx context.Context, e *env.Env, id string, s working.State) error
}

func (f *workingVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	s, err := query.StateOf[working.State](ctx, e, working.Name, id)
	if err != nil {
		return problem.FaultBy(err, "nothing is known yet of what session %s works on", id).Advise("it begins with its first prompt or tool call")
	}
	return f.show(ctx, e, id, s)
}

// noteVerb records one text of a session.
type noteVerb struct {
	query.OfSession
	event func(text string) events.Event
}

func (f *noteVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	text := strings.TrimSpace(args[0])
	if text == "" {
		return problem.Faultf("the text is empty").Advise("quote it for the shell")
	}
	r, err := emit.ForSession(ctx, e, f.Session, f.event(text))
	if err != nil {
		return err
	}
	return emit.Say(e, r)
}

type checkpointCreateVerb struct {
	query.OfSession
	Note string `help:"what to remember of it"`
}

func (f *checkpointCreateVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	r, err := emit.ForSession(ctx, e, f.Session, &events.CheckpointCreated{Schema: working.Schema, Trigger: "command", Note: f.Note})
	if err != nil {
		return err
	}
	return emit.Say(e, r)
}

// checkpointVerb shows or restores one checkpoint of a session.
type checkpointVerb struct {
	query.OfSession
	show bool
}

func (f *checkpointVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	order := api.RestoreRequest{Show: f.show}
	if len(args) > 0 && args[0] != query.LastSession {
		seq, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil || seq == 0 {
			return problem.Faultf("%q is no sequence", args[0]).Advise("`hookctl checkpoint list` shows those of the checkpoints")
		}
		order.Checkpoint = seq
	}
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	order.Session = id
	out, err := api.Restore.Call(ctx, e, order)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintJSON(out)
	}

	restored := ""
	if out.Event != "" {
		restored = " is restored"
	}
	e.Printf("checkpoint %d of %s%s\n", out.Checkpoint, show.Stamp(e, out.Time), restored)
	for _, it := range hook.Known(out.State, e.Now()) {
		e.Printf("%s\n", cmdline.OneLine(it.Text))
	}
	for _, l := range out.Left {
		e.Printf("not restored: %s\n", cmdline.OneLine(l))
	}
	return nil
}

func printGoal(_ context.Context, e *env.Env, id string, s working.State) error {
	if e.JSON {
		return e.PrintJSON(goalJSON{Session: id, Goal: s.Goal, Keywords: append([]string{}, s.Keywords...), Task: s.Task,
			Confidence: s.Confidence(), Evidence: append([]working.Proof{}, s.Evidence...), Unproved: s.Unproved, Open: len(s.Open)})
	}
	if s.Goal == nil {
		e.Printf("no goal yet\n")
		return nil
	}
	e.Printf("%s\n", s.Goal.Text)
	if s.Task != nil && s.Task.Event != s.Goal.Event {
		e.Printf("current task: %s\n", s.Task.Text)
	}

	var parts []string // what the confidence comes from
	for _, p := range s.Evidence {
		outcome := "failed"
		if p.OK {
			outcome = "passed"
		}
		parts = append(parts, p.Kind+" "+outcome)
	}
	if s.Evidence == nil {
		parts = append(parts, "no test, build or lint was run since code was changed")
	}
	if s.Unproved != nil {
		parts = append(parts, "unproved: "+s.Unproved.Text)
	}
	if n := len(s.Open); n > 0 {
		parts = append(parts, fmt.Sprintf("open failures: %d", n))
	}
	e.Printf("confidence: %d %%, %s\n", s.Confidence(), strings.Join(parts, "; "))
	return nil
}

func printHandoff(ctx context.Context, e *env.Env, id string, s working.State) error {
	isHanded, why := handedOver(ctx, e, id, s)
	if e.JSON {
		return e.PrintJSON(handoffJSON{Session: id, State: s, Handed: isHanded})
	}
	if why != "" {
		e.Printf("%s\n", why)
	}
	for _, it := range append(hook.Handoff(s, e.Now()), hook.StillOpen(s, e.Now())...) {
		e.Printf("%s\n", cmdline.OneLine(it.Text))
	}
	return nil
}

// handedOver reports whether the next start of the project is told of a session; if not, in words why.
func handedOver(ctx context.Context, e *env.Env, id string, s working.State) (bool, string) {
	sessions, _ := query.StateOf[handover.State](ctx, e, handover.Name, s.Project) // a project that is not known has none
	candidates := sessions.Candidates(e.Now())
	isSession := func(x handover.Session) bool { return x.ID == id }
	if !slices.ContainsFunc(candidates, isSession) {
		return false, "No start is told of this session: it did no work (an edit by a tool, or three calls after a prompt of substance, or three such prompts)."
	}
	if chosen, any := handover.Chosen(candidates, e.Now()); any && chosen.ID != id {
		return false, "The next start is told of session " + events.Alias(chosen.ID) + " instead, and of what is still open here."
	}
	return true, ""
}

func printCheckpoints(_ context.Context, e *env.Env, _ string, s working.State) error {
	t := e.Table("SEQ", "TIME", "TRIGGER", "NOTE")
	return cmdline.PrintList(t, "no checkpoints yet: one is made before every compaction", s.Checkpoints, func(c working.Checkpoint) []string {
		return []string{fmt.Sprint(c.Seq), show.Stamp(e, c.Time), c.Trigger, c.Note}
	})
}
