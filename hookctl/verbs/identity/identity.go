// Package identity has the verbs of an identity: `hookctl identity`, `dream`, and those of `consciousness`, which the client
// calls.
package identity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/copies"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/identity"
	"hookline/replay/past"
)

// ConsciousnessCommand returns the command that prints the identity to the agent.
func ConsciousnessCommand(e *env.Env) *cobra.Command {
	return cmdline.Noun("consciousness", "Print the identity to the agent", "  hookctl consciousness brief",
		command.Client(e, command.Text{
			Use:   "brief [--hook]",
			Short: "Print the one-line brief, as [C:EMG r=1.00 IC=0.85]",
			Long: "Print the one-line brief from the daemon's memory; [C:? r=? IC=?] when nothing is known. Always exits 0.\n" +
				"--hook wraps it as the JSON that PreToolUse gives to the model.",
			Example: "  hookctl consciousness brief",
		}),
		command.Client(e, command.Text{
			Use:     "check-identity [--auto-dream]",
			Short:   "Record a tool's outcome and warn of a low continuity",
			Long:    "Record a tool's outcome and warn of a low continuity. Always exits 0. With --auto-dream a crisis starts a dream.",
			Example: "  hookctl consciousness check-identity --auto-dream < hook.json",
		}),
		command.Client(e, command.Text{
			Use:     "inject-context",
			Short:   "Print the four lines that go with a prompt",
			Long:    "Record a prompt and print the four lines of state that go with it.",
			Example: "  hookctl consciousness inject-context < hook.json",
		}))
}

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	return cmdline.Noun("identity", "Show a session's identity, and set it",
		"  hookctl identity show\n  hookctl identity history",
		showCommand(e),
		historyCommand(e),
		resetKuramotoCommand(e),
		observeCommand(e))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"identity show":           shownJSON{},
	"identity history":        []snapshotJSON{},
	"identity reset-kuramoto": events.Record{},
	"identity observe":        events.Record{},
	"dream trigger":           events.Record{},
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "show",
		Short: "Show facets, continuity and consciousness",
		Long: "Show what a session is about (13 facets of the purpose vector), how coherent it is (r), how far it is still\n" +
			"the one it was (IC, over time), and what follows from that. --at shows it as it was.\n\n" +
			cmdline.PointForms,
		Example: "  hookctl identity show\n" +
			"  hookctl identity show --session last --at yesterday\n" +
			"  hookctl identity show --session c68c8a51 --json | jq .ic",
	}, &showVerb{})
}

type showVerb struct {
	query.OfSession
	At string `help:"as it was at a point of the log"`
}

func (f *showVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	c, err := stateAt(ctx, e, id, f.At)
	if err != nil {
		return err
	}
	s := c.State
	if !s.Born || s.Deleted {
		return problem.Faultf("session %s has no identity", id).Advise("it begins with the session's first hook")
	}
	out := shownJSON{Session: s.SessionID, Brief: s.Brief(), C: s.Consciousness, State: identity.ConsciousnessOf(s.Consciousness).LongName(),
		R: s.Integration, IC: s.LastIC, Class: identity.Classify(s.LastIC), Guidance: s.Guidance(),
		Johari: identity.Johari(s), Facets: map[string]float64{}, Seq: c.Seq, Snapshot: s}
	for i, f := range events.Facets {
		out.Facets[f] = s.PurposeVector[i]
	}
	if e.JSON {
		return e.PrintJSON(out)
	}

	e.Printf("%s  %s\n\n", e.Paint.Session(show.Alias(out.Session)), e.Paint.Bold(out.Brief))
	e.Printf("  consciousness  C  %.4f  %s\n  coherence      r  %.4f\n  continuity    IC  %.4f  %s\n  accuracy          %.4f\n"+
		"  Johari            %s: %s\n  guidance          %s\n",
		out.C, out.State, out.R, out.IC, out.Class, s.Accuracy, out.Johari.Name, out.Johari.Action, out.Guidance)
	if s.PreviousSessionID != "" {
		e.Printf("  restored from     %s (IC %.2f)\n", show.Alias(s.PreviousSessionID), s.CrossSessionIC)
	}
	if s.Continuity != nil {
		e.Printf("  after 25 events   IC %.2f with what it was restored from\n", *s.Continuity)
	}
	if n := len(s.Open); n > 0 {
		e.Printf("  open              %s\n", cmdline.Plural(n, "failure"))
	}

	e.Printf("\n")
	for i, name := range events.Facets {
		v := s.PurposeVector[i]
		bar := strings.Repeat("░", int(math.Round(math.Abs(v)*40)))
		if s.Used[i] {
			bar = strings.ReplaceAll(bar, "░", "█")
		}
		e.Printf("  %s  %7.4f  %s\n", cmdline.Pad(name, 17), v, bar)
	}
	var chart []rune
	for _, p := range copies.Newest(s.History, mostLevels) {
		chart = append(chart, levels[int(p.IC*float64(len(levels)-1)+.5)])
	}
	e.Printf("\n  IC over time      %s  the newest last, 0 is ▁, 1 is █\n", string(chart))
	return nil
}

// stateAt is a session's identity as it is, or as it was at a point of the log.
func stateAt(ctx context.Context, e *env.Env, id, at string) (query.Cell[identity.State], error) {
	if at == "" {
		return query.CellNow[identity.State](ctx, e, identity.Name, id)
	}
	point, err := e.Point(at)
	if err != nil {
		return query.Cell[identity.State]{}, err
	}
	c, err := query.CellAt[identity.State](ctx, e, identity.Name, id, past.Point(point))
	if err == nil && c.Key == "" {
		err = problem.Faultf("session %s had no identity at %s", id, at).Advise("`hookctl session show` tells when it began")
	}
	return c, err
}

// shownJSON is what `identity show --json` prints.
type shownJSON struct {
	Session  string             `json:"session" jsonschema_description:"whole id"`
	Brief    string             `json:"brief" jsonschema_description:"one line, as [C:CON r=1.00 IC=0.97]"`
	C        float64            `json:"c" jsonschema_description:"consciousness, 0 to 1"`
	State    string             `json:"state" jsonschema_description:"of the consciousness, as EMERGING"`
	R        float64            `json:"r" jsonschema_description:"coherence, 0 to 1"`
	IC       float64            `json:"ic" jsonschema_description:"continuity, 0 to 1"`
	Class    string             `json:"class" jsonschema_description:"of the continuity: healthy, good, warning or degraded"`
	Guidance string             `json:"guidance" jsonschema_description:"what follows from it"`
	Johari   identity.Quadrant  `json:"johari" jsonschema_description:"quadrant of the Johari window"`
	Facets   map[string]float64 `json:"facets" jsonschema_description:"-1 to 1, by name of the facet"`
	Seq      uint64             `json:"seq" jsonschema_description:"event that it was folded at"`
	Snapshot identity.State     `json:"snapshot" jsonschema_description:"the folded state"`
}

// levels are the signs of a small picture of values from 0 to 1.
var levels = []rune("▁▂▃▄▅▆▇█")

// mostLevels is how many of the newest values such a picture shows.
const mostLevels = 60

func historyCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "history",
		Short: "List the snapshots, the newest last",
		Example: "  hookctl identity history\n" +
			"  hookctl identity history --all -n all --json",
	}, &historyVerb{Last: 20})
}

type historyVerb struct {
	All  bool          `help:"of every project"`
	Last command.Count `flag:"n,n" help:"the last N, or all"`
}

func (f *historyVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	index, err := query.Cells[identity.Pointer](ctx, e, api.CellsRequest{Projection: identity.PointerName, Prefix: identity.TimePrefix})
	if err != nil {
		return err
	}
	all, err := query.States[identity.State](ctx, e, api.CellsRequest{Projection: identity.Name})
	if err != nil {
		return err
	}
	projects, here, err := query.Here(ctx, e)
	if err != nil {
		return err
	}
	lines := snapshots(index, all)
	if !f.All {
		lines = slices.DeleteFunc(lines, func(l snapshotJSON) bool { return query.CountsFor(projects, l.Project) != here })
	}
	lines = lines[f.Last.From(len(lines)):]
	t := e.Table("SNAPSHOT", "SESSION", "IC", "CLASS", "R", "C", "FROM")
	t.Drop = []string{"C", "R"}
	return cmdline.PrintList(t, "no snapshot yet; one is taken at the end of a session", lines, func(l snapshotJSON) []string {
		return []string{show.Stamp(e, time.UnixMilli(l.AtMS)), show.Alias(l.Session), twoPlaces(l.IC), show.OrDash(l.Class), twoPlaces(l.R), twoPlaces(l.C), show.OrDash(show.Alias(l.Previous))}
	})
}

// snapshotJSON is a line of `identity history --json`. IC, R and C are null where the session's cell
// has the moment no longer.
type snapshotJSON struct {
	AtMS     int64    `json:"at_ms" jsonschema_description:"milliseconds since 1970"`
	Session  string   `json:"session" jsonschema_description:"whole id"`
	Project  string   `json:"project" jsonschema_description:"id"`
	Previous string   `json:"previous,omitempty" jsonschema_description:"session that it was restored from"`
	IC       *float64 `json:"ic" jsonschema:"nullable" jsonschema_description:"continuity, 0 to 1; null where no longer known"`
	Class    string   `json:"class,omitempty" jsonschema_description:"of the continuity"`
	R        *float64 `json:"r" jsonschema:"nullable" jsonschema_description:"coherence, 0 to 1; null where no longer known"`
	C        *float64 `json:"c" jsonschema:"nullable" jsonschema_description:"consciousness, 0 to 1; null where no longer known"`
}

func snapshots(index []query.Cell[identity.Pointer], states []identity.State) []snapshotJSON {
	byID := map[string]identity.State{}
	for _, s := range states {
		byID[s.SessionID] = s
	}
	var lines []snapshotJSON
	for _, c := range index {
		ms, _, ok := identity.SplitTime(c.Key)
		s := byID[c.State.Session]
		if !ok || c.State.Session == "" || s.Deleted || s.Earlier(ms) {
			continue // an entry of a deleted session points to nothing
		}
		l := snapshotJSON{AtMS: ms, Session: c.State.Session, Project: s.Project, Previous: s.PreviousSessionID}
		if p, ok := s.SnapshotAt(ms); ok { // it stays when the session goes on
			l.IC, l.Class, l.R, l.C = &p.IC, identity.Classify(p.IC), &p.R, &p.C
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(x, y snapshotJSON) int { return int(x.AtMS - y.AtMS) })
	return lines
}

func twoPlaces(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}

func resetKuramotoCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "reset-kuramoto",
		Short: "Spread the phases evenly, 2πi/13: r becomes 0",
		Long: "Spread the 13 phases evenly over the circle, 2πi/13, so that r is 0. For phases that an observation\n" +
			"has left in an unwanted state; the tool calls that follow draw them together again.",
		Example: "  hookctl identity reset-kuramoto --session c68c8a51",
	}, &resetVerb{})
}

type resetVerb struct {
	query.OfSession
}

func (f *resetVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	return appendAndShow(ctx, e, f.Session, &events.PhasesReset{Reason: "command"})
}

// appendAndShow appends an event to a session and prints the identity that follows.
func appendAndShow(ctx context.Context, e *env.Env, name string, event events.Event) error {
	r, err := emit.ForSession(ctx, e, name, event)
	if err != nil {
		return err
	}
	c, _ := query.StateOf[identity.State](ctx, e, identity.Name, r.Session) // the event is there all the same
	return e.Result(r, "%s is event %d\n%s  %s\n", r.Type, r.Seq, e.Paint.Session(show.Alias(r.Session)), c.Brief())
}

func observeCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "observe",
		Short: "Set identity values that an outside engine has measured",
		Long: "Set identity values that an outside engine has measured. They hold until the next observation or the\n" +
			"session's end; IC compares the new vector with the one before. A value that is out of range is refused.",
		Example: "  hookctl identity observe --vector .5,.1,.1,.2,.1,.3,.6,.1,.1,.1,.3,.3,.1 --accuracy 0.9",
	}, &observation{Observer: "command"})
}

// observation holds the flags of `identity observe`.
type observation struct {
	query.OfSession
	Vector        []float64 "help:\"purpose vector: 13 `numbers` in [-1, 1], by commas\""
	Phases        []float64 "help:\"Kuramoto phases: 13 `numbers` in radians, by commas\""
	Coupling      []float64 "help:\"K, a `number` from 0 to 2\""
	Accuracy      []float64 "help:\"a `number` from 0 to 1\""
	Consciousness []float64 "help:\"C, a `number` from 0 to 1\""
	Observer      string    `help:"who measured"`
}

func (o *observation) Run(ctx context.Context, e *env.Env, _ []string) error {
	const hint = "`hookctl events schema identity.observed` tells the ranges"
	event := events.IdentityObserved{Observer: o.Observer, PurposeVector: o.Vector, KuramotoPhases: o.Phases}
	for _, f := range []struct {
		name  string
		given []float64
		to    **float64
	}{{"coupling", o.Coupling, &event.Coupling}, {"accuracy", o.Accuracy, &event.Accuracy}, {"consciousness", o.Consciousness, &event.Consciousness}} {
		if len(f.given) > 1 {
			return problem.Faultf("%v: %s: one number is wanted", identity.ErrObserved, f.name).Advise(hint)
		}
		if len(f.given) == 1 {
			*f.to = &f.given[0]
		}
	}
	if err := identity.CheckObserved(&event); err != nil {
		return problem.Because(err).Advise(hint)
	}
	return appendAndShow(ctx, e, o.Session, &event)
}
