package verbs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/projector/project"
)

func (a *app) projectCmd() *cobra.Command {
	return noun("project", "List, show and join projects",
		"  hookctl project list\n  hookctl project show",
		a.projectListCmd(), a.projectShowCmd(), a.projectRehomeCmd())
}

func (a *app) projectListCmd() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the projects, the last used first",
		Example: "  hookctl project list\n  hookctl project list --json | jq -r .path",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), needStore, func(h house) error {
				all, err := cells[project.State](cmd.Context(), h, project.Name, "")
				if err != nil {
					return err
				}
				slices.SortFunc(all, func(x, y cell[project.State]) int { return y.State.LastSeen.Compare(x.State.LastSeen) })
				return a.printProjects(all, projectAt(all, a.place(a.projectDir()).Path()))
			})
		},
	}
}

func (a *app) printProjects(all []cell[project.State], here string) error {
	t := table{head: []string{"", "PROJECT", "NAME", "SESSIONS", "LAST SEEN", "PATH"}}
	for _, c := range all {
		p := c.State
		if a.json {
			if err := a.printJSON(p); err != nil {
				return err
			}
			continue
		}
		mark, where := "", oneLine(p.Path)
		if p.ID == here {
			mark = "*"
		}
		if p.JoinedInto != "" {
			where += " (joined into " + p.JoinedInto + ")"
		}
		t.row(mark, p.ID, orDash(oneLine(p.Name)), strconv.Itoa(p.Sessions), a.ago(p.LastSeen), where)
	}
	switch {
	case a.json:
	case len(all) == 0:
		a.printf("no project yet; the first hook makes one\n")
	default:
		t.print(a.out, a.paint)
	}
	return nil
}

func (a *app) projectShowCmd() *cobra.Command {
	return &cobra.Command{
		Use: "show [PROJECT]", Short: "Show a project, without a name the one here",
		Example: "  hookctl project show\n  hookctl project show hookline --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), needStore, func(h house) error { return a.showProject(cmd.Context(), h, args) })
		},
	}
}

func (a *app) showProject(ctx context.Context, h house, args []string) error {
	all, err := cells[project.State](ctx, h, project.Name, "")
	if err != nil {
		return err
	}
	name := projectAt(all, a.place(a.projectDir()).Path())
	if len(args) == 1 {
		name = args[0]
	}
	p, err := findProject(all, name)
	if err != nil && len(args) == 0 {
		return &fault{message: "this directory is no project yet", hint: "the first hook of a session makes it one; `hookctl project list` lists the others"}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(p)
	}
	a.printf("%s  %s\n\n", a.paint.bold(orDash(oneLine(p.Name))), a.paint.faint(p.ID))
	for _, f := range [][2]string{
		{"path", p.Path}, {"remote", p.Remote}, {"root commit", p.RootCommit}, {"sessions", strconv.Itoa(p.Sessions)},
		{"first seen", a.ago(p.FirstSeen)}, {"last seen", a.ago(p.LastSeen)},
		{"known paths", strings.Join(p.Paths, ", ")}, {"took in", strings.Join(p.Joined, ", ")}, {"joined into", p.JoinedInto},
	} {
		if f[1] != "" {
			a.printf("  %s  %s\n", a.paint.faint(pad(f[0], 12)), oneLine(f[1]))
		}
	}
	return nil
}

func (a *app) projectRehomeCmd() *cobra.Command {
	return &cobra.Command{
		Use: "rehome OLD NEW", Short: "Join a project into another: what belonged to OLD counts for NEW",
		Long: "Join a project into another: what belonged to OLD counts for NEW. For a folder that moved in a way\n" +
			"that could not be recognised (no git, or neither remote nor root commit in common).",
		Example: "  hookctl project rehome 1f3a90c2b7de 77aa01bc93f2",
		Args:    exactly("the project that is given up", "the project that takes it in"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), needStarted, func(h house) error { return a.rehome(cmd.Context(), h, args[0], args[1]) })
		},
	}
}

func (a *app) rehome(ctx context.Context, h house, from, to string) error {
	all, err := cells[project.State](ctx, h, project.Name, "")
	if err != nil {
		return err
	}
	before, err := findProject(all, from)
	if err != nil {
		return err
	}
	after, err := findProject(all, to)
	if err != nil {
		return err
	}
	if before.ID == after.ID {
		return &fault{message: fmt.Sprintf("%s and %s are the same project", from, to), hint: "`hookctl project list` lists them"}
	}
	if before.JoinedInto == after.ID {
		if a.json {
			return a.printJSON(after)
		}
		a.printf("%s already counts for %s\n", before.ID, after.ID)
		return nil
	}
	var r events.Record
	data := events.ProjectRehomed{From: before.ID, Path: before.Path}
	if err := a.emit(ctx, h, emission{Type: events.TypeProjectRehomed, Project: after.ID, Data: data}, &r); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	a.printf("%s (%s) counts for %s (%s) from now on (event %d)\n", before.ID, orDash(oneLine(before.Name)), after.ID, orDash(oneLine(after.Name)), r.Seq)
	return nil
}
