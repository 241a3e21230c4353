package verbs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/projector/project"
)

func projectCmd(e *Env) *cobra.Command {
	return cmdline.Noun("project", "List, show and join projects",
		"  hookctl project list\n  hookctl project show",
		plain(e, needStore, "list", "List the projects, the last used first", "",
			"  hookctl project list\n  hookctl project list --json | jq -r .path",
			projectListVerb),
		offering(completes(e, projectWords), plain(e, needStore, "show [PROJECT]", "Show a project, without a name the one here", "",
			"  hookctl project show\n  hookctl project show hookline --json",
			projectShowVerb, cmdline.Between(0, "a project"))),
		offering(completes(e, projectWords), plain(e, needStore, "rehome OLD NEW", "Join a project into another: what belonged to OLD counts for NEW",
			"Join a project into another: what belonged to OLD counts for NEW. For a folder that moved in a way\n"+
				"that could not be recognised (no git, or neither remote nor root commit in common).",
			"  hookctl project rehome 1f3a90c2b7de 77aa01bc93f2",
			projectRehomeVerb, cmdline.Exactly("the project that is given up", "the project that takes it in"))))
}

func projectListVerb(ctx context.Context, e *Env, _ []string) error {
	all, err := countedProjects(ctx, e)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y project.State) int { return y.LastSeen.Compare(x.LastSeen) })
	here := projectAt(all, e.Place(e.ProjectDir()).Path())

	lines := make([]projectLine, len(all))
	for i, p := range all {
		lines[i] = projectLine{p, p.Sessions}
	}
	t := e.Table("", "PROJECT", "NAME", "SESSIONS", "LAST SEEN", "PATH")
	t.Columns = 0
	return cmdline.PrintList(t, "no project yet; the first hook makes one", lines, func(p projectLine) []string {
		mark, sessions, where := "", fmt.Sprint(p.Sessions), folder(p.State)
		if p.ID == here {
			mark = "*"
		}
		if p.JoinedInto != "" {
			sessions, where = "–", "joined into "+p.JoinedInto
		}
		return []string{mark, p.ID, orDash(p.Name), sessions, ago(e, p.LastSeen), where}
	})
}

// folder is where a project lives: the cell of a git project keeps the path of its .git, which stays
// the same for every work tree.
func folder(p project.State) string {
	path := cmdline.OneLine(p.Path)
	if filepath.Base(path) == ".git" {
		return filepath.Dir(path)
	}
	return path
}

// projectLine is a project as --json prints it: with its sessions also where it has none.
type projectLine struct {
	project.State
	Sessions int `json:"sessions" jsonschema_description:"that session list --all shows of it"`
}

// countedProjects are all projects with the sessions that `session list --all` shows of them and of what was joined into them, and when one was last
// active. A project's own cell counts starts: of a session that ran already when the hooks were installed
// it has nothing, and of a deleted one too much.
func countedProjects(ctx context.Context, e *Env) ([]project.State, error) {
	all, err := allProjects(ctx, e)
	if err != nil {
		return nil, err
	}
	list, err := sessions(ctx, e, api.CellsRequest{})
	out := slices.Clone(all)
	for i, p := range out {
		out[i].Sessions = 0
		for _, joined := range all {
			if countsFor(all, joined.ID) == p.ID {
				out[i].LastSeen = latest(out[i].LastSeen, joined.LastSeen)
			}
		}
		for _, s := range list {
			if countsFor(all, s.Project) == p.ID {
				out[i].Sessions++
				out[i].LastSeen = latest(out[i].LastSeen, s.LastActive)
			}
		}
	}
	return out, err
}

// countsFor is the project that an id counts for: itself, or where it was joined into in the end.
func countsFor(all []project.State, id string) string {
	for range all { // a chain of joins is no longer than there are projects
		i := slices.IndexFunc(all, func(p project.State) bool { return p.ID == id })
		if i < 0 || all[i].JoinedInto == "" {
			break
		}
		id = all[i].JoinedInto
	}
	return id
}

func projectShowVerb(ctx context.Context, e *Env, args []string) error {
	all, err := countedProjects(ctx, e)
	if err != nil {
		return err
	}
	name := projectAt(all, e.Place(e.ProjectDir()).Path())
	if len(args) == 1 {
		name = args[0]
	}
	p, err := findProject(all, name)
	if err != nil && len(args) == 0 {
		return problem.Faultf("this directory is no project yet").Advise("the first hook of a session makes it one; `hookctl project list` lists the others")
	}
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintJSON(projectLine{p, p.Sessions})
	}
	e.Printf("%s  %s\n\n", e.Paint.Bold(orDash(cmdline.OneLine(p.Name))), e.Paint.Faint(p.ID))
	fields(e, "path", folder(p), "remote", p.Remote, "root commit", p.RootCommit, "sessions", fmt.Sprint(p.Sessions),
		"first seen", ago(e, p.FirstSeen), "last seen", ago(e, p.LastSeen),
		"known paths", strings.Join(p.Paths, ", "), "took in", strings.Join(p.Joined, ", "), "joined into", p.JoinedInto)
	return nil
}

func projectRehomeVerb(ctx context.Context, e *Env, args []string) error {
	all, err := allProjects(ctx, e)
	if err != nil {
		return err
	}
	before, err := findProject(all, args[0])
	if err != nil {
		return err
	}
	after, err := findProject(all, args[1])
	if err != nil {
		return err
	}
	switch after.ID {
	case before.ID:
		return problem.Faultf("%s and %s are the same project", args[0], args[1]).Advise("`hookctl project list` lists them")
	case before.JoinedInto:
		return problem.Faultf("%s already counts for %s", before.ID, after.ID).Advise("`hookctl project show` shows it")
	}
	r, err := emit(ctx, e, owner{Project: after.ID}, &events.ProjectRehomed{From: before.ID, Path: before.Path})
	if err != nil {
		return err
	}
	return e.Result(r, "%s (%s) counts for %s (%s) from now on (event %d)\n", before.ID, orDash(cmdline.OneLine(before.Name)), after.ID, orDash(cmdline.OneLine(after.Name)), r.Seq)
}
