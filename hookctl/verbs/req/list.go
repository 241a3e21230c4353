package req

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/gate"
	"hookline/projector/session"
)

func listCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Records, command.Text{
		Use:   "list",
		Short: "List the branches that have gates with something said about them",
		Example: "  hookctl req list\n" +
			"  hookctl req list --json | jq -r .branch",
	}, listVerb)
}

func listVerb(ctx context.Context, e *env.Env, _ []string) error {
	d, err := deskOfProject(ctx, e)
	if err != nil {
		return err
	}
	list := d.tracked()
	t := e.Table(fmt.Sprintf("📋 Tracked Branches (%d)", len(list)))
	return cmdline.PrintList(t, "ℹ️  No tracked branches in this project.", list, func(b trackedJSON) []string {
		return []string{fmt.Sprintf("  %s: %d requirement(s)", b.Branch, b.Requirements)}
	})
}

// trackedJSON is one branch as `req list --json` prints it.
type trackedJSON struct {
	Branch       string `json:"branch" jsonschema_description:"name"`
	Requirements int    `json:"requirements" jsonschema_description:"with something said about them"`
}

// deskOfProject is a desk for verbs about all branches: they work on a detached HEAD, too.
func deskOfProject(ctx context.Context, e *env.Env) (*desk, error) {
	return deskOn(ctx, e, cmp.Or(e.GitPlace().Branch, "HEAD"))
}

// tracked are the branches with something to tell, by name.
func (d *desk) tracked() []trackedJSON {
	var list []trackedJSON
	for _, b := range show.SortedKeys(d.cells) {
		if n := gate.At(d.cells[b], d.cells[""]).Count(); b != "" && n > 0 {
			list = append(list, trackedJSON{b, n})
		}
	}
	return list
}

func sessionsCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Records, command.Text{
		Use:   "sessions",
		Short: "List the live sessions, of every project",
		Example: "  hookctl req sessions\n" +
			"  hookctl req sessions --project .",
	}, &sessionsVerb{})
}

type sessionsVerb struct {
	Dir string `flag:"project" help:"only of the project at this path"`
}

func (f *sessionsVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	sessions, err := query.Newest(ctx, e, 1)
	if err != nil {
		return err
	}
	d := &desk{Env: e, sessions: sessions}
	list := d.live(true)
	if f.Dir != "" {
		top := e.Place(e.Absolute(f.Dir))
		list = slices.DeleteFunc(list, func(s session.State) bool { return s.Worktree != top.Worktree && s.Worktree != top.Dir })
	}
	if e.JSON {
		var lines []liveJSON
		for _, s := range list {
			lines = append(lines, liveJSON{s.ID, s.Process().PID, s.Project, s.Worktree, s.Branch, show.RFC(s.Started), show.RFC(s.LastActive)})
		}
		return cmdline.PrintEach(&e.Console, lines)
	}
	if len(list) == 0 {
		e.Printf("ℹ️  No active Claude Code sessions found.\n")
		return nil
	}
	e.Printf("📋 Active Claude Code Sessions (%d)\n", len(list))
	for _, s := range list {
		e.Printf("%s\n", sessionRow(e, s))
	}
	return nil
}

// liveJSON is one session as `req sessions --json` prints it.
type liveJSON struct {
	Session    string `json:"session" jsonschema_description:"whole id"`
	PID        int    `json:"pid,omitempty" jsonschema_description:"process id of the client"`
	Project    string `json:"project" jsonschema_description:"id"`
	ProjectDir string `json:"project_dir" jsonschema_description:"work tree; empty outside of git"`
	Branch     string `json:"branch,omitempty" jsonschema_description:"that is checked out"`
	StartedAt  string `json:"started_at" jsonschema:"format=date-time" jsonschema_description:"empty where not known"`
	LastActive string `json:"last_active" jsonschema:"format=date-time" jsonschema_description:"empty where not known"`
}

func pruneCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Started, command.Text{
		Use:   "prune",
		Short: "Clear the gates of branches that git has no more",
		Long: "Clear the gates of branches that git has no more, so that a new branch of that name starts afresh. The log\n" +
			"keeps what was.",
		Example: "  hookctl req prune",
	}, pruneVerb)
}

func pruneVerb(ctx context.Context, e *env.Env, _ []string) error {
	d, err := deskOfProject(ctx, e)
	if err != nil {
		return err
	}
	known, err := d.World.Branches(ctx, d.place.Worktree)
	if err != nil {
		return problem.Faultf("the branches could not be listed: %v", err).Advise("nothing was cleared")
	}
	gone := []string{}
	for _, t := range d.tracked() {
		if slices.Contains(known, t.Branch) || t.Branch == d.branch {
			continue
		}
		o := api.Order{Branch: t.Branch, Events: []api.Command{emit.Command(&events.GateCleared{AllSessions: true, Reason: events.GateClearedCommand})}}
		if _, err := d.order(ctx, o); err != nil {
			return err
		}
		gone = append(gone, t.Branch)
	}
	return e.Verdict(prunedJSON{gone}, true, func() {
		e.Printf("🧹 Cleaning up stale state files...\n")
		for _, b := range gone {
			e.Printf("   - %s\n", cmdline.OneLine(b))
		}
		e.Printf("✅ Removed %d state file(s) for deleted branches\n", len(gone))
	})
}

// prunedJSON is what `req prune --json` prints.
type prunedJSON struct {
	Pruned []string `json:"pruned" jsonschema_description:"branches whose gates were cleared"`
}
