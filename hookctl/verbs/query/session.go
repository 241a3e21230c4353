package query

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"hookline/hookctl/api"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// Sessions are those that are asked for, or all, without those that were deleted, the last active first.
func Sessions(ctx context.Context, e *env.Env, q api.CellsRequest) ([]session.State, error) {
	q.Projection = session.Name
	all, err := States[session.State](ctx, e, q)
	all = slices.DeleteFunc(all, func(s session.State) bool { return s.Status == session.Deleted })
	slices.SortStableFunc(all, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })
	return all, err
}

// ShortList is how many sessions are read where no number was given: the most for which the daemon need not read all.
const ShortList = 32

// Newest are the live sessions and at least so many of those that were active last, of some projects or of all; where
// there are fewer, all.
func Newest(ctx context.Context, e *env.Env, n int, projects ...string) ([]session.State, error) {
	return Sessions(ctx, e, api.CellsRequest{Newest: n, Projects: projects})
}

// NewestOf are the live sessions of this project, or of all, and at least n of those that were active last, and all projects.
func NewestOf(ctx context.Context, e *env.Env, everywhere bool, n int) ([]session.State, []project.State, error) {
	projects, here, err := Here(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	if everywhere {
		list, err := Newest(ctx, e, n)
		return list, projects, err
	}

	list, err := Newest(ctx, e, n, SameProject(projects, here)...)
	list = slices.DeleteFunc(list, func(s session.State) bool { return CountsFor(projects, s.Project) != here })
	return list, projects, err
}

// SessionForms says in help how a session is named.
const SessionForms = "its id, any unique prefix of it, or last"

// OfSession is the flag of verbs about one session.
type OfSession struct {
	Session string `help:"its id, any unique prefix of it, or last; default: this project's current session"`
}

// LastSession is the word for the last active session of this project, or where it has none of all.
const LastSession = "last"

// Session finds the session that a person named: its whole id, a prefix of it, or "last". A prefix that
// several sessions share is an error that lists them.
func Session(ctx context.Context, e *env.Env, name string) (session.State, error) {
	if name != LastSession {
		like, err := Sessions(ctx, e, api.CellsRequest{Like: []string{name}})
		if err != nil {
			return session.State{}, err
		}
		return Match(e, like, name)
	}

	list, _, err := NewestOf(ctx, e, false, 1)
	if err == nil && len(list) == 0 {
		list, err = Newest(ctx, e, 1)
	}
	if err == nil && len(list) == 0 {
		err = problem.Faultf("there is no session yet").Advise("the client's next start makes one")
	}
	if err != nil {
		return session.State{}, err
	}
	return list[0], nil
}

// Match returns the one of some sessions that a person named, by its id or a prefix of it.
func Match(e *env.Env, all []session.State, name string) (session.State, error) {
	var found []session.State
	given := strings.ReplaceAll(name, "-", "")
	for _, s := range all {
		switch {
		case s.ID == name:
			return s, nil
		case given != "" && strings.HasPrefix(strings.ReplaceAll(s.ID, "-", ""), given):
			found = append(found, s)
		}
	}
	none := problem.Faultf("there is no session %q", name).Advise("`hookctl session list --all` lists them")
	return only(found, name, none, func(s session.State) string { return fmt.Sprintf("%s (%s)", s.ID, show.Ago(e, s.LastActive)) }) // the last active first
}

// only is the one of those that a name means; several are named by say.
func only[S any](found []S, name string, none error, say func(S) string) (s S, err error) {
	if len(found) == 0 {
		return s, none
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, say(f))
	}
	return s, problem.Faultf("%q is ambiguous: %s", name, strings.Join(lines, ", ")).Advise("name one by its id, or more of it")
}

// SessionID returns the id of a session that a person may have named; "" for "".
func SessionID(ctx context.Context, e *env.Env, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	s, err := Session(ctx, e, name)
	return s.ID, err
}

// Current finds the session that is meant when none is named: the one whose shell this is
// (CLAUDE_CODE_SESSION_ID), else the live one of the client process above us, else the project's live one
// that was active last, else its newest snapshot, else its last active session.
func Current(ctx context.Context, e *env.Env, name string) (string, error) {
	if name != "" {
		return SessionID(ctx, e, name)
	}
	if id := e.Getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id, nil
	}
	_, here, err := Here(ctx, e)
	if err != nil {
		return "", err
	}
	all, err := Newest(ctx, e, 1, here)
	if err != nil {
		return "", err
	}
	live := Live(all, here)
	if id := Above(live, e.Getenv("CLAUDE_PID")); id != "" {
		return id, nil
	}
	if len(live) > 0 {
		return live[0].ID, nil
	}
	if p, err := StateOf[identity.Pointer](ctx, e, identity.PointerName, identity.PointerKey(here)); err == nil && p.Session != "" {
		return p.Session, nil
	}
	for _, s := range all {
		if s.Project == here {
			return s.ID, nil
		}
	}
	return "", problem.Faultf("this project has no session yet").Advise("--session names one; `hookctl session list --all` lists all")
}

// Live are the sessions of a project whose process is there, the last active first; "" is all projects.
func Live(all []session.State, project string) []session.State {
	var list []session.State
	for _, s := range all {
		p := s.Process()
		there := s.Status == session.Live && (p.PID == 0 || facts.SameProcess(p.PID, p.Start))
		if there && (project == "" || s.Project == project) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })
	return list
}

// Above is the session, of those given, whose process is the one that CLAUDE_PID names, our parent, or one above
// it: the nearest one, and of several sessions of one process the first in the list. "" without one. What is above
// a client that has no session here is another client's.
func Above(list []session.State, envPID string) string {
	client, guessed := facts.ClientOf(envPID, os.Getppid())
	for _, p := range facts.Above(envPID, os.Getppid()) {
		for _, s := range list {
			if own := s.Process(); own.PID == p.PID && (own.Start == p.Start || own.Start == 0 || p.Start == 0) {
				return s.ID
			}
		}
		if guessed && p.PID == client.PID {
			return ""
		}
	}
	return ""
}
