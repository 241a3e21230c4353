// Package req has the verbs of `hookctl req`: requirement gates, what satisfies them, and why they are open or closed.
package req

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/gate"
	"hookline/projector/session"
)

// The texts of `hookctl req` are those that users of the requirements framework know; trouble is said in
// the same voice on stderr.
const (
	noRequirements = "ℹ️  No requirements configured for this project."
	noSession      = "⚠️  No Claude Code session detected"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	status := statusCommand(e)
	c := cmdline.Noun("req", "Show and satisfy requirement gates, and explain them",
		"  hookctl req status\n  hookctl req satisfy commit_plan\n  hookctl req explain commit_plan",
		status,
		satisfyCommand(e),
		clearCommand(e),
		explainCommand(e),
		listCommand(e),
		sessionsCommand(e),
		pruneCommand(e),
		initCommand(e),
		validateCommand(e),
		importCommand(e),
		schemaCommand(e))
	c.Long = "Requirement gates hold the agent to what must be done before a tool may be used: a plan before an edit, a\n" +
		"review before a commit. They are configured in .claude/requirements.yaml (`hookctl req init` writes one);\n" +
		"without a verb this is `hookctl req status`."
	c.RunE = status.RunE
	return c
}

// gateWords are the requirements that are configured here.
func gateWords(_ context.Context, e *env.Env) []string { return query.Rules(e, e.GitPlace()).Order }

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"req status":   statusJSON{},
	"req satisfy":  api.GateReceipt{},
	"req clear":    api.GateReceipt{},
	"req list":     []trackedJSON{},
	"req sessions": []liveJSON{},
	"req prune":    prunedJSON{},
	"req explain":  explanation{},
	"req init":     initJSON{},
	"req validate": validation{},
	"req import":   []importedJSON{},
}

// flags say what status and explain are about.
type flags struct {
	Branch  string `flag:"branch,b" help:"of another branch"`
	Session string `flag:"session,s" help:"of another session: its id, any unique prefix of it, or last"`
}

// desk is what a verb of req works on: where it was called, the rules there, the state of one branch.
type desk struct {
	*env.Env
	place    facts.Place
	project  string // id
	branch   string
	rules    gates.Rules
	state    gate.State
	cells    map[string]gate.State // all branches of the project; "" is the project's own cell
	sessions []session.State       // the live ones, and those that were asked for by name
}

// say prints a line of the framework's on stderr.
func say(e *env.Env, text string) { e.Complain("%s\n", text) }

// refuse prints it and ends with exit code 1.
func refuse(e *env.Env, text string) error {
	say(e, text)
	return cmdline.Silent(1)
}

// workTree is [Env.GitPlace], refused in words where it is none of git's.
func workTree(e *env.Env) (facts.Place, error) {
	p := e.GitPlace()
	if !p.Git || p.Worktree == "" {
		return p, refuse(e, "❌ Not in a git repository")
	}
	return p, nil
}

// deskOn reads what a verb needs. branch "" is the one that is checked out.
func deskOn(ctx context.Context, e *env.Env, branch string) (*desk, error) {
	place, err := workTree(e)
	if err != nil {
		return nil, err
	}
	d := &desk{Env: e, place: place, branch: cmp.Or(branch, place.Branch)}
	if d.branch == "" {
		return nil, refuse(e, "❌ Not on a branch (detached HEAD?)")
	}
	d.rules = query.Rules(e, d.place)
	all, err := query.Projects(ctx, e)
	if err != nil {
		return nil, err
	}
	d.project = query.ProjectAt(all, d.place.Path())
	cells, err := query.Cells[gate.State](ctx, e, api.CellsRequest{Projection: gate.Name})
	if err != nil {
		return nil, err
	}
	d.cells = map[string]gate.State{}
	for _, c := range cells {
		if project, branch := gate.SplitKey(c.Key); project == d.project {
			d.cells[branch] = c.State
		}
	}
	d.state = d.on(d.branch)
	d.sessions, err = query.Newest(ctx, e, 1)
	return d, err
}

// on is the state of a branch.
func (d *desk) on(branch string) gate.State {
	_, name := gate.SplitKey(gate.Key(d.project, branch)) // a very long name is shortened in the key
	return gate.At(d.cells[name], d.cells[""])
}

// live are the sessions of this project, or of all, whose process is there, the last active first.
func (d *desk) live(everywhere bool) []session.State {
	if everywhere {
		return query.Live(d.sessions, "")
	}
	return query.Live(d.sessions, d.project)
}

// sessionRow returns the two lines of a session in a list.
func sessionRow(e *env.Env, s session.State) string {
	return fmt.Sprintf("  %s - %s\n    %s [PID %d, %s]", show.Alias(s.ID), s.Worktree, s.Branch, s.Process().PID, show.Ago(e, s.LastActive))
}

// unknown returns the error of a name that is not among those there are of what it should name.
func unknown(what, name string, known []string) string {
	text := "❌ Unknown " + what + ": '" + name + "'"
	if near := problem.Nearest(name, known); near != "" {
		text += "\nDid you mean '" + near + "'?"
	}
	return text
}

// find gives the session that is meant: the named one, the one whose shell this is, or the live one whose process
// is above us. Another session's gates are never opened by guessing.
func (d *desk) find(ctx context.Context, name string) (id string, explicit bool, err error) {
	if name == query.LastSession {
		last, err := query.Session(ctx, d.Env, name)
		if err != nil {
			return "", true, err
		}
		name = last.ID
	}
	if name != "" {
		if err := d.know(ctx, name); err != nil {
			return "", true, err
		}
		s, err := query.Match(d.Env, d.sessions, name) // also one that was deleted and goes on
		return s.ID, true, err
	}
	if id := d.Getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id, false, d.know(ctx, id)
	}
	if id := query.Above(d.live(false), d.Getenv("CLAUDE_PID")); id != "" {
		return id, false, nil
	}
	return "", false, errNoSession
}

var errNoSession = errors.New("no session")

// noSession says what to do when none was found.
func (d *desk) noSession() error {
	live := d.live(true)
	switch {
	case len(d.sessions) == 0:
		say(d.Env, "❌ No active Claude Code session found!")
	case len(live) == 0:
		say(d.Env, "❌ No active Claude Code sessions in registry!")
	default:
		say(d.Env, "❌ No Claude Code session found for this shell!")
		for _, s := range live {
			say(d.Env, sessionRow(d.Env, s))
		}
	}
	say(d.Env, "Name it with --session ID; `hookctl req sessions` lists them.")
	return cmdline.Silent(1)
}

// board is how the requirements stand for a session.
func (d *desk) board(ctx context.Context, id string) []gates.Gate {
	g := &hook.Gates{Rules: d.rules, Branch: d.branch, Dir: d.place.Worktree}
	if slices.ContainsFunc(d.rules.InOrder(), func(q gates.Requirement) bool { return q.GuardType == gates.GuardDirtyTree }) {
		g.Dirty, _ = d.World.Dirty(ctx, d.place.Worktree) // as in a hook: not known is not dirty
	}
	for _, s := range d.live(false) {
		if s.ID != id && s.Worktree == d.place.Worktree {
			g.Others = append(g.Others, gates.Other{Session: s.ID, Branch: s.Branch, Ago: d.Now().Sub(s.LastActive)})
		}
	}
	if id == "" && len(g.Others) == 1 {
		g.Others = nil // without a session that is meant, a live one disturbs no other
	}
	return hook.Board(id, d.Now(), g, hook.GatesPast{State: d.state})
}

// order has the daemon record what was decided.
func (d *desk) order(ctx context.Context, o api.Order) (api.GateReceipt, error) {
	o.Dir = d.place.Worktree
	return api.OrderGates.Call(ctx, d, o)
}

// know takes in the sessions with the same beginning as this id, deleted ones too.
func (d *desk) know(ctx context.Context, id string) error {
	like, err := query.States[session.State](ctx, d.Env, api.CellsRequest{Projection: session.Name, Like: []string{events.Alias(id)}})
	d.sessions = append(slices.DeleteFunc(d.sessions, func(s session.State) bool {
		return slices.ContainsFunc(like, func(l session.State) bool { return l.ID == s.ID })
	}), like...)
	return err
}
