// Package session has the verbs of `hookctl session`: lists, one session in full, two compared, and those that the client
// calls.
package session

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	c := cmdline.Noun("session", "List, show, compare and delete sessions",
		"  hookctl session list\n  hookctl session show c68c8a51",
		listCommand(e),
		showCommand(e),
		diffCommand(e),
		deleteCommand(e))
	c.AddCommand(
		command.Client(e, command.Text{
			Use:     "restore-identity",
			Short:   "Begin a session with the identity of the one before",
			Long:    "Begin a session with the identity of the one before: startup inherits, resume goes on, clear begins afresh.",
			Example: "  hookctl session restore-identity < hook.json",
		}),
		command.Client(e, command.Text{
			Use:     "persist-identity",
			Short:   "Take the snapshot at a session's end",
			Long:    "Take the snapshot of a session's identity at its end.",
			Example: "  hookctl session persist-identity < hook.json",
		}))
	return c
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"session list":   []line{},
	"session show":   shownJSON{},
	"session diff":   diffJSON{},
	"session delete": events.Record{},
}

func listCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "list",
		Short: "List this project's sessions, the newest first",
		Example: "  hookctl session list\n" +
			"  hookctl session list -n all\n" +
			"  hookctl session list --all --json | jq -r .id",
	}, &listVerb{})
}

type listVerb struct {
	All  bool          `help:"of every project"`
	Last command.Count `flag:"n,n" help:"the N active last, or all (20 without it, with --json all)"`
}

func (f *listVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	most := int(f.Last)
	if most == 0 && !e.JSON {
		most = 20
	}
	list, projects, err := query.NewestOf(ctx, e, f.All, most)
	if err != nil {
		return err
	}

	more := most > 0 && len(list) > most
	if more {
		list = list[:most]
	}
	lines := make([]line, len(list))
	for i, s := range list {
		lines[i] = line{s, s.Standing()}
	}
	t := e.Table("SESSION", "STATUS", "STANDING", "LAST ACTIVE", "TITLE", "PROJECT", "WHERE", "BRANCH", "EVENTS", "PROMPTS", "FAILED", "MODEL")
	t.Drop = []string{"MODEL", "EVENTS", "FAILED", "PROMPTS", "STANDING", "BRANCH", "WHERE", "PROJECT"}
	room := e.Columns / 3 // of a title; 0 is no limit
	t.Color = func(head, v string) string {
		id := strings.TrimSpace(v)
		switch {
		case head == "SESSION":
			return e.Paint.Session(id) + strings.Repeat(" ", cmdline.Width(v)-cmdline.Width(id))
		case head == "STATUS" && id == session.Live:
			return e.Paint.Good(v)
		case head == "STANDING" && strings.HasPrefix(v, "stuck"):
			return e.Paint.Bad(v)
		}
		return v
	}
	err = cmdline.PrintList(t, "no session in this project; --all lists those of others", lines, func(s line) []string {
		return []string{show.Alias(s.ID), s.Status, show.StandingWord(s.State.Standing()), show.Ago(e, s.LastActive), show.OrDash(cmdline.Fit(s.Title, room)), query.ProjectName(projects, s.Project),
			show.OrDash(show.Tilde(e, cmp.Or(s.Worktree, s.Cwd))), show.OrDash(s.Branch),
			strconv.Itoa(s.Events), strconv.Itoa(s.Prompts), strconv.Itoa(s.Failures), show.OrDash(s.Model)}
	})
	if more && !e.JSON {
		e.Printf(e.Paint.Faint("the %d active last; -n all lists all")+"\n", most)
	}
	return err
}

func deleteCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, command.SessionWords), command.Verb(e, env.Store, command.Text{
		Use:   "delete ID",
		Short: "Drop a session from every list and fold",
		Long: "Drop a session from every list and fold. This writes a tombstone: the log keeps the session's events.\n" +
			"A live session is dropped as well; what it still sends stays in the log only,\n" +
			"until it is resumed: then it begins anew.",
		Example: "  hookctl session delete c68c8a51",
	}, &deleteVerb{Reason: "command"}, cmdline.Exactly("a session: "+query.SessionForms)))
}

type deleteVerb struct {
	Yes    bool   `help:"do not ask"`
	Reason string `help:"kept in the tombstone"`
}

func (f *deleteVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	s, err := query.Session(ctx, e, args[0])
	if err != nil {
		return err
	}
	e.Release() // a store that is open here keeps the daemon out while the question waits
	question := fmt.Sprintf("delete session %s (%s, %s, last active %s)?", s.ID, s.Status, cmdline.Plural(s.Events, "event"), show.Ago(e, s.LastActive))
	if err := e.Confirm(ctx, question, f.Yes); err != nil {
		return err
	}
	r, err := emit.Event(ctx, e, emit.Owner{Session: s.ID, Project: s.Project}, &events.SessionDeleted{Reason: f.Reason})
	if err != nil {
		return err
	}
	return e.Result(r, "session %s is deleted (event %d)\n", s.ID, r.Seq)
}
