package req

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/copies"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/gate"
)

// explained is how many events `req explain` shows; --json has all.
const explained = 20

func explainCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, gateWords), command.Verb(e, env.Records, command.Text{
		Use:   "explain NAME",
		Short: "Say why a gate is open or closed, from the events",
		Example: "  hookctl req explain commit_plan\n" +
			"  hookctl req explain commit_plan --session c68c8a51 --json | jq .events",
	}, &explainVerb{}, cmdline.Exactly("a requirement: `hookctl req status` lists them")))
}

type explainVerb struct{ flags }

func (f *explainVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	name := args[0]

	d, err := deskOn(ctx, e, f.Branch)
	if err != nil {
		return err
	}
	q, ok := d.rules.ByName[name]
	if _, seen := d.state.Gates[name]; !ok && !seen {
		return refuse(e, unknown("requirement", name, d.rules.Order))
	}
	id, _, err := d.find(ctx, f.Session)
	if errors.Is(err, errNoSession) {
		id, err = "", nil
		say(e, noSession+"\n   Only what holds for the whole branch counts; --session ID names one, `hookctl req sessions` lists them.")
	}
	if err != nil {
		return err
	}
	out := d.because(ctx, id, name, q)
	out.Events = []events.Record{}
	err = query.Records(ctx, d.Env, api.EventsRequest{Types: []string{"gate.*"}, Project: d.project}, func(r events.Record) {
		if r.Branch == d.branch && concerns(r, name) {
			out.Events = append(out.Events, r)
		}
	})
	if err != nil && !env.IsMissing(err) { // no hook has come from this project yet
		return err
	}
	if e.JSON {
		return e.PrintJSON(out)
	}
	d.printExplanation(out)
	return nil
}

// explanation is what `req explain --json` prints.
type explanation struct {
	Name    string          `json:"name" jsonschema_description:"of the requirement"`
	Branch  string          `json:"branch" jsonschema_description:"of its state"`
	Session string          `json:"session,omitempty" jsonschema_description:"whole id; absent where no session is meant"`
	Open    bool            `json:"open" jsonschema_description:"the gate is open"`
	Because string          `json:"because" jsonschema_description:"why, in words"`
	Event   string          `json:"event,omitempty" jsonschema_description:"id of the event that is the reason"`
	Events  []events.Record `json:"events" jsonschema_description:"all events about it on the branch, in order"`
}

// because returns the verdict with its reason. A requirement that no file defines is judged as scope session.
func (d *desk) because(ctx context.Context, id, name string, q gates.Requirement) explanation {
	out := explanation{Name: name, Branch: d.branch, Session: id}
	scope := events.GateScopeSession
	switch {
	case q.Name == "":
		out.Open, out.Because = true, "no file defines it, so nothing asks for it; "
	case !q.Enabled:
		out.Open, out.Because = true, "it is not enabled; "
	}
	if q.Name != "" {
		scope = hook.ScopeOf(q)
	}

	if m, ok := d.state.Satisfaction(name, scope, id, d.Now()); ok {
		out.Open, out.Event = true, m.Event
		out.Because += "satisfied by " + who(m)
		if d.level(name, m) == "branch" {
			out.Because += " for every session of the branch"
		}
		out.Because += " at " + show.Stamp(d.Env, m.At)
		if !m.Expires.IsZero() {
			out.Because += ", holds until " + show.Stamp(d.Env, m.Expires)
		}
		return out
	}
	for _, g := range d.board(ctx, id) {
		if g.Requirement.Name == name && g.Note != "" {
			out.Open = out.Open || g.Satisfied
			out.Because += g.Note
			return out
		}
	}

	entry, _ := d.state.Gates[name].Of(id)
	for _, e := range []gate.Entry{entry, d.state.Gates[name].Branch} {
		if m := e.Satisfied; m != nil {
			out.Event = m.Event
			out.Because += "what " + who(*m) + " satisfied at " + show.Stamp(d.Env, m.At) + " expired at " + show.Stamp(d.Env, m.Expires)
			return out
		}
		if m := e.Cleared; m != nil {
			out.Event = m.Event
			out.Because += "cleared at " + show.Stamp(d.Env, m.At) + " (" + cmp.Or(clearedBy[m.By], "by command") + ")"
			return out
		}
	}
	out.Because += "nobody satisfied it in this session"
	if id == "" || scope == events.GateScopeBranch || scope == events.GateScopePermanent {
		out.Because = strings.TrimSuffix(out.Because, "in this session") + "for the whole branch"
	}
	return out
}

// clearedBy are the reasons for which a gate is closed again, but for a command.
var clearedBy = map[string]string{
	events.GateClearedSingleUse:  "the action was done: single_use",
	events.GateClearedBackground: "the action was started in the background: single_use",
	events.GateClearedSessionEnd: "the session ended: clear_session_state",
}

// concerns reports whether an event says something about a requirement.
func concerns(r events.Record, name string) bool {
	var about struct {
		Name, Requirement string
		Names             []string
		Gates             []struct{ Name string }
	}
	_ = json.Unmarshal(r.Data, &about) // what cannot be read concerns none
	switch {
	case about.Name == name, about.Requirement == name, slices.Contains(about.Names, name):
		return true
	case r.Type == events.TypeGateCleared:
		return about.Name == "" // all of them
	}
	return slices.ContainsFunc(about.Gates, func(g struct{ Name string }) bool { return g.Name == name })
}

func (d *desk) printExplanation(x explanation) {
	e := d.Env
	state := e.Paint.Bad("closed")
	if x.Open {
		state = e.Paint.Good("open")
	}
	whose := " for " + cmdline.OneLine(events.Alias(x.Session))
	if x.Session == "" {
		whose = ""
	}
	e.Printf("%s is %s%s on %s: %s\n", e.Paint.Bold(cmdline.OneLine(x.Name)), state, whose, cmdline.OneLine(x.Branch), cmdline.OneLine(x.Because))
	if x.Event != "" {
		e.Printf("  event %s\n", x.Event)
	}
	if len(x.Events) == 0 {
		return
	}
	e.Printf("\n")
	t := e.Table("WHEN", "SESSION", "WHAT", "", "EVENT")
	t.Drop = []string{"EVENT"}
	for _, r := range copies.Newest(x.Events, explained) {
		t.Row(show.Stamp(e, r.Time), show.OrDash(show.Alias(r.Session)), strings.TrimPrefix(r.Type, "gate."), show.Fact(r), r.ID)
	}
	t.Print()
	if n := len(x.Events) - explained; n > 0 {
		e.Printf("  %s before that: --json shows all\n", cmdline.Plural(n, "event"))
	}
}
