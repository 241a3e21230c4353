package verbs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hookline/hookctl/api"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// sessionForms says in help how a session is named.
const sessionForms = "its id, any unique prefix of it, or last"

// ofSession is the flag of verbs about one session.
type ofSession struct {
	Session string `help:"its id, any unique prefix of it, or last; default: this project's current session"`
}

// lastSession is the word for the last active session of this project, or where it has none of all.
const lastSession = "last"

// resolve finds the session that a person named: its whole id, a prefix of it, or "last". A prefix that
// several sessions share is an error that lists them.
func resolve(ctx context.Context, e *Env, name string) (session.State, error) {
	if name != lastSession {
		like, err := sessions(ctx, e, api.CellsRequest{Like: []string{name}})
		if err != nil {
			return session.State{}, err
		}
		return match(like, name, e)
	}

	list, _, err := newestOf(ctx, e, false, 1)
	if err == nil && len(list) == 0 {
		list, err = newest(ctx, e, 1)
	}
	if err == nil && len(list) == 0 {
		err = problem.Faultf("there is no session yet").Advise("the client's next start makes one")
	}
	if err != nil {
		return session.State{}, err
	}
	return list[0], nil
}

func match(all []session.State, name string, e *Env) (session.State, error) {
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
	return only(found, name, none, func(s session.State) string { return fmt.Sprintf("%s (%s)", s.ID, ago(e, s.LastActive)) }) // the last active first
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

// resolveMaybe is resolve for an optional name.
func resolveMaybe(ctx context.Context, e *Env, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	s, err := resolve(ctx, e, name)
	return s.ID, err
}

// current finds the session that is meant when none is named: the one whose shell this is
// (CLAUDE_CODE_SESSION_ID), else the live one of the client process above us, else the project's live one
// that was active last, else its newest snapshot, else its last active session.
func current(ctx context.Context, e *Env, name string) (string, error) {
	if name != "" {
		return resolveMaybe(ctx, e, name)
	}
	if id := e.Getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id, nil
	}
	_, here, err := projects(ctx, e)
	if err != nil {
		return "", err
	}
	all, err := newest(ctx, e, 1, here)
	if err != nil {
		return "", err
	}
	d := &desk{Env: e, project: here, sessions: all}
	live := d.live(false)
	if id := above(live, e.Getenv("CLAUDE_PID")); id != "" {
		return id, nil
	}
	if len(live) > 0 {
		return live[0].ID, nil
	}
	if p, err := stateOf[identity.Pointer](ctx, e, identity.PointerName, identity.PointerKey(here)); err == nil && p.Session != "" {
		return p.Session, nil
	}
	for _, s := range all {
		if s.Project == here {
			return s.ID, nil
		}
	}
	return "", problem.Faultf("this project has no session yet").Advise("--session names one; `hookctl session list --all` lists all")
}

// projects are all that are known, and here is the id of the one this directory belongs to: of the known
// project at this path, which may have kept an older id, else the one a hook would be given here.
func projects(ctx context.Context, e *Env) (all []project.State, here string, err error) {
	if all, err = allProjects(ctx, e); err != nil {
		return nil, "", err
	}
	return all, projectAt(all, e.Place(e.ProjectDir()).Path()), nil
}

// newestOf are the live sessions of this project, or of all, and at least n of those that were active last, and all projects.
func newestOf(ctx context.Context, e *Env, everywhere bool, n int) ([]session.State, []project.State, error) {
	projects, here, err := projects(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	if everywhere {
		list, err := newest(ctx, e, n)
		return list, projects, err
	}

	list, err := newest(ctx, e, n, sameProject(projects, here)...)
	list = slices.DeleteFunc(list, func(s session.State) bool { return countsFor(projects, s.Project) != here })
	return list, projects, err
}

func projectAt(all []project.State, path string) string {
	id := facts.ProjectID(path)
	var known project.State
	for _, p := range all {
		if p.Path == path && p.LastSeen.After(known.LastSeen) {
			known = p
		}
	}
	if known.ID != "" {
		id = known.ID
	}
	return countsFor(all, id)
}

// findProject finds a project by id or by name; a name that several share is an error.
func findProject(all []project.State, name string) (project.State, error) {
	var found []project.State
	for _, p := range all {
		switch {
		case p.ID == name:
			return p, nil
		case name != "" && (p.Name == name || p.Path == name || folder(p) == name):
			found = append(found, p)
		}
	}
	none := problem.Faultf("there is no project %q", name).Advise("`hookctl project list` lists them")
	return only(found, name, none, func(p project.State) string { return p.ID + " at " + p.Path })
}
