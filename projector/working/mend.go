package working

import (
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// What mends a failure:
//
//	of a check or a build  a success of the same command in the same folder, or of one that contains it
//	of git                 the state that it wanted: the branch is checked out, the changes are merged or given up, stored, pushed
//	of an install          any install by the same manager of packages
//	of an edit             the next edit of the file; or the file is moved or removed
//
// Of commands that failed together each has to succeed. Edits, builds and operations of git are also mended by a commit that came
// after a check had passed. A run whose outcome nobody can say mends nothing.

// unknownPlace is the folder of a command of which nobody can say where it ran.
const unknownPlace = "?"

// called counts a call of the session itself, and gives up what nobody tried to mend for so many calls.
func (s *State) called(r events.Record) {
	if r.AgentID != "" {
		return
	}
	s.Calls++

	old := func(f Failure) bool { return !f.Stays() && s.Calls-f.Call >= givenUp }
	if slices.ContainsFunc(s.Open, old) {
		s.Open, _ = copies.Take(s.Open, old)
	}
	if s.Taken != nil && s.Calls-s.Taken.Call == givenUp {
		s.closeCarried(r, func(i events.OpenItem) bool { return i.Kind == events.OpenFailure && !failureOfItem(i).Stays() })
	}
}

// mended takes in what a call that succeeded mends.
func (s *State) mended(r events.Record, call events.Call, e *events.ToolSucceeded, result outcome.Result) {
	isFailure := func(c Carried) bool { return c.Closed == "" && c.Kind == events.OpenFailure }
	if len(s.Open) == 0 && !slices.ContainsFunc(s.Carried, isFailure) {
		return
	}

	switch call.Tool {
	case "Bash":
		command := call.Input.Command.Text()
		done, tried := outcomes(call, e, result)
		s.succeededIn(r, s.placeOf(command, e.Cwd), done, tried)
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		s.editMended(r, call.File)
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			s.editMended(r, p.Path)
		}
	}
}

// editMended takes in that a file was edited.
func (s *State) editMended(r events.Record, file string) {
	target := wording.Short(file, maxPath)
	s.Open, _ = copies.Take(s.Open, func(f Failure) bool { return f.Kind == action.Edit && f.Target == target })
	s.mendCarried(r, target, nil, "")
}

// succeededIn takes in commands that succeeded in a folder, and those that were tried with an outcome that nobody can say.
func (s *State) succeededIn(r events.Record, folder string, done, tried []action.Action) {
	commits := slices.ContainsFunc(done, action.Action.IsCommit)
	passes := slices.ContainsFunc(done, func(a action.Action) bool { return a.Kind == action.Check || a.Kind == action.Build })

	var open []Failure
	for _, f := range s.Open {
		target := f.left(done, folder)
		byCommit := commits && f.Checked && (f.Kind == action.Edit || f.Kind == action.Build || f.Kind == action.Git)
		if target == "" || byCommit {
			continue
		}
		f.Tried = f.Tried || f.left(tried, folder) != target
		if f.Target != target {
			f.Target = target
			f.Kind = strongest(f.parts())
		}
		f.Checked = f.Checked || passes
		open = append(open, f)
	}
	s.Open = open
	s.mendCarried(r, "", done, folder)
}

// outcomes returns the commands of a call that succeeded, and those that may have failed although the call did not: the line's
// exit status hides it, or they still ran when the call returned.
func outcomes(call events.Call, e *events.ToolSucceeded, result outcome.Result) (done, tried []action.Action) {
	output := events.OutputOf(e.ToolResponse)
	unfinished := output.Running || output.Interrupted

	for i, run := range call.Runs {
		a := action.Of(run)
		isCheck := a.Kind == action.Check || a.Kind == action.Build
		silent := run.Hidden && (isCheck || run.Redirected || action.SaysFailed(output.Text))
		if run.Check != "" {
			silent = result.Runs[i] == outcome.Unknown
		}
		switch {
		case a.Kind == action.Other || result.Runs[i] == outcome.Failed:
		case unfinished || silent:
			tried = append(tried, a)
		default:
			done = append(done, a)
		}
	}
	return done, tried
}

// parts are the commands of a failure that have to succeed.
func (f Failure) parts() []action.Action {
	if f.Tool != "Bash" {
		return nil
	}
	var parts []action.Action
	for _, run := range events.Runs(f.Target) {
		parts = append(parts, action.Of(run))
	}
	return parts
}

// left returns what is left of the target when some commands have succeeded in a folder; "" where all is mended.
func (f Failure) left(done []action.Action, folder string) string {
	mayMend := func(a action.Action) bool { return a.MayMend(f.Target) }
	if !slices.ContainsFunc(done, mayMend) {
		return f.Target
	}
	parts := f.parts()
	if len(parts) == 0 {
		return f.Target
	}

	var texts []string
	for _, part := range parts {
		mends := func(a action.Action) bool { return a.Mends(part) && samePlace(a, folder, part, f.Folder) }
		if !slices.ContainsFunc(done, mends) {
			texts = append(texts, part.Text)
		}
	}
	if len(texts) == len(parts) {
		return f.Target
	}
	return strings.Join(texts, andThen)
}

// placeOf returns the folder that a command runs in, from the work tree. The folder that the client names may be that from before
// the command, or the one that it changed to.
func (s State) placeOf(command, cwd string) string {
	slashed := func(folder string) string { return slashed(folder, s.Worktree) }
	named := slashed(events.Folder(command, ""))
	folder := slashed(events.Folder(command, cwd))
	changes := strings.HasPrefix(command, "cd ")
	switch {
	case folder == "" && changes:
		return unknownPlace
	case named != "" && strings.HasSuffix(slashed(cwd), "/"+named):
		folder = slashed(cwd)
	}

	root := slashed(s.Worktree)
	if folder == root || folder == "." {
		return ""
	}
	return wording.Short(wording.Below(root, folder), maxPath)
}

// slashed returns a folder as it is where the work tree lies on a drive of Windows, so that all names of it are the same:
// "d:/src" for `D:\src` and for /d/src.
func slashed(folder, worktree string) string {
	if len(worktree) < 2 || worktree[1] != ':' {
		return folder
	}
	folder = strings.ReplaceAll(folder, `\`, "/")
	isDrive := len(folder) > 1 && folder[1] == ':'
	isMounted := len(folder) > 2 && folder[0] == '/' && folder[2] == '/' && folder[1] != '/'
	switch {
	case isDrive:
		return strings.ToLower(folder[:1]) + folder[1:]
	case isMounted:
		return strings.ToLower(folder[1:2]) + ":" + folder[2:]
	}
	return folder
}

// samePlace reports whether a command ran in a folder that says something of another one: in the same, or for what reads all that
// lies below it, in one above it. Git, installs and what has no place say it from anywhere.
func samePlace(success action.Action, folder string, failure action.Action, where string) bool {
	if failure.Kind == action.Git || failure.Kind == action.Install || folder == unknownPlace || where == unknownPlace {
		return true
	}
	samePackage := success.NamesPackage() && failure.NamesPackage() // the same one, else it would mend nothing
	if samePackage || success.IsFile() && failure.IsFile() {
		return true
	}
	if success.Folder != "" {
		folder = events.InFolder(folder, success.Folder)
	}
	if failure.Folder != "" {
		where = events.InFolder(where, failure.Folder)
	}
	return folder == where || success.ReadsBelow() && (folder == "" || isAtOrBelow(where, folder))
}

// mendCarried closes the carried failures of a file, or of commands that succeeded in a folder or failed anew, which is this
// session's own failure. One of which a part succeeded goes on with the others.
func (s *State) mendCarried(r events.Record, file string, done []action.Action, folder string) {
	rest := func(i events.OpenItem) string {
		if i.Target == file {
			return ""
		}
		return failureOfItem(i).left(done, folder)
	}
	changes := func(c Carried) bool {
		return c.Closed == "" && c.Kind == events.OpenFailure && rest(c.OpenItem) != c.Target
	}
	if !slices.ContainsFunc(s.Carried, changes) {
		return
	}

	s.Carried = slices.Clone(s.Carried)
	for i, c := range s.Carried {
		if !changes(c) {
			continue
		}
		if left := rest(c.OpenItem); left != "" {
			s.Carried[i].Target = left
		} else {
			s.Carried[i].Closed = r.ID
		}
	}
}

// failureOfItem returns the failure that an earlier session left open.
func failureOfItem(i events.OpenItem) Failure {
	f := Failure{Target: i.Target, Folder: i.Folder, Tool: i.Tool}
	switch i.Tool {
	case "Bash":
		f.Kind = strongest(f.parts())
	case "Edit", "MultiEdit", "Write", "NotebookEdit", events.ToolPatch:
		f.Kind = action.Edit
	}
	return f
}

// mends reports whether the session has done after an earlier failure what mends it. Of commands only the line is kept: where
// that says no folder it may be any.
func (s State) mends(item events.OpenItem) bool {
	f := failureOfItem(item)
	if f.Kind == action.Edit {
		return slices.ContainsFunc(s.Files, func(x File) bool { return x.Path == item.Target && x.Changed() && item.Before(x.Time) })
	}

	for _, c := range s.Commands {
		if c.Status != outcome.OK || !item.Before(c.Time) {
			continue
		}
		var done []action.Action
		for _, run := range events.Runs(c.Line) {
			if !run.Hidden {
				done = append(done, action.Of(run))
			}
		}
		folder := events.Folder(c.Line, "")
		if folder == "" {
			folder = unknownPlace
		}
		f.Target = f.left(done, folder)
		if f.Target == "" {
			return true
		}
	}
	return false
}
