// Package project has the verbs of `hookctl project`: the projects, and joining one into another.
package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	"hookline/projector/project"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	return cmdline.Noun("project", "List, show and join projects",
		"  hookctl project list\n  hookctl project show",
		listCommand(e),
		showCommand(e),
		rehomeCommand(e))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"project list":   []line{},
	"project show":   line{},
	"project rehome": events.Record{},
}

func listCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "list",
		Short: "List the projects, the last used first",
		Example: "  hookctl project list\n" +
			"  hookctl project list --json | jq -r .path",
	}, listVerb)
}

func listVerb(ctx context.Context, e *env.Env, _ []string) error {
	all, err := counted(ctx, e)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y project.State) int { return y.LastSeen.Compare(x.LastSeen) })
	here := query.ProjectAt(all, e.Place(e.ProjectDir()).Path())

	lines := make([]line, len(all))
	for i, p := range all {
		lines[i] = line{p, p.Sessions}
	}
	t := e.Table("", "PROJECT", "NAME", "SESSIONS", "LAST SEEN", "PATH")
	t.Columns = 0
	return cmdline.PrintList(t, "no project yet; the first hook makes one", lines, func(p line) []string {
		mark, sessions, where := "", fmt.Sprint(p.Sessions), query.Folder(p.State)
		if p.ID == here {
			mark = "*"
		}
		if p.JoinedInto != "" {
			sessions, where = "–", "joined into "+p.JoinedInto
		}
		return []string{mark, p.ID, show.OrDash(p.Name), sessions, show.Ago(e, p.LastSeen), where}
	})
}

// line is a project as --json prints it: with its sessions also where it has none.
type line struct {
	project.State
	Sessions int `json:"sessions" jsonschema_description:"that session list --all shows of it"`
}

// counted are all projects with the sessions that `session list --all` shows of them and of what was joined into them, and when one was last
// active. A project's own cell counts starts: of a session that ran already when the hooks were installed
// it has nothing, and of a deleted one too much.
func counted(ctx context.Context, e *env.Env) ([]project.State, error) {
	all, err := query.Projects(ctx, e)
	if err != nil {
		return nil, err
	}
	list, err := query.Sessions(ctx, e, api.CellsRequest{})
	out := slices.Clone(all)
	for i, p := range out {
		out[i].Sessions = 0
		for _, joined := range all {
			if query.CountsFor(all, joined.ID) == p.ID {
				out[i].LastSeen = show.Latest(out[i].LastSeen, joined.LastSeen)
			}
		}
		for _, s := range list {
			if query.CountsFor(all, s.Project) == p.ID {
				out[i].Sessions++
				out[i].LastSeen = show.Latest(out[i].LastSeen, s.LastActive)
			}
		}
	}
	return out, err
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, command.ProjectWords), command.Plain(e, env.Store, command.Text{
		Use:   "show [PROJECT]",
		Short: "Show a project, without a name the one here",
		Example: "  hookctl project show\n" +
			"  hookctl project show hookline --json",
	}, showVerb, cmdline.Between(0, "a project")))
}

func showVerb(ctx context.Context, e *env.Env, args []string) error {
	all, err := counted(ctx, e)
	if err != nil {
		return err
	}
	name := query.ProjectAt(all, e.Place(e.ProjectDir()).Path())
	if len(args) == 1 {
		name = args[0]
	}
	p, err := query.Project(all, name)
	if err != nil && len(args) == 0 {
		return problem.Faultf("this directory is no project yet").Advise("the first hook of a session makes it one; `hookctl project list` lists the others")
	}
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintJSON(line{p, p.Sessions})
	}
	e.Printf("%s  %s\n\n", e.Paint.Bold(show.OrDash(cmdline.OneLine(p.Name))), e.Paint.Faint(p.ID))
	show.Fields(e, "path", query.Folder(p), "remote", p.Remote, "root commit", p.RootCommit, "sessions", fmt.Sprint(p.Sessions),
		"first seen", show.Ago(e, p.FirstSeen), "last seen", show.Ago(e, p.LastSeen),
		"known paths", strings.Join(p.Paths, ", "), "took in", strings.Join(p.Joined, ", "), "joined into", p.JoinedInto)
	return nil
}

func rehomeCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, command.ProjectWords), command.Plain(e, env.Store, command.Text{
		Use:   "rehome OLD NEW",
		Short: "Join a project into another: what belonged to OLD counts for NEW",
		Long: "Join a project into another: what belonged to OLD counts for NEW. For a folder that moved in a way\n" +
			"that could not be recognised (no git, or neither remote nor root commit in common).",
		Example: "  hookctl project rehome 1f3a90c2b7de 77aa01bc93f2",
	}, rehomeVerb, cmdline.Exactly("the project that is given up", "the project that takes it in")))
}

func rehomeVerb(ctx context.Context, e *env.Env, args []string) error {
	all, err := query.Projects(ctx, e)
	if err != nil {
		return err
	}
	before, err := query.Project(all, args[0])
	if err != nil {
		return err
	}
	after, err := query.Project(all, args[1])
	if err != nil {
		return err
	}
	switch after.ID {
	case before.ID:
		return problem.Faultf("%s and %s are the same project", args[0], args[1]).Advise("`hookctl project list` lists them")
	case before.JoinedInto:
		return problem.Faultf("%s already counts for %s", before.ID, after.ID).Advise("`hookctl project show` shows it")
	}
	r, err := emit.Event(ctx, e, emit.Owner{Project: after.ID}, &events.ProjectRehomed{From: before.ID, Path: before.Path})
	if err != nil {
		return err
	}
	return e.Result(r, "%s (%s) counts for %s (%s) from now on (event %d)\n", before.ID, show.OrDash(cmdline.OneLine(before.Name)), after.ID, show.OrDash(cmdline.OneLine(after.Name)), r.Seq)
}
