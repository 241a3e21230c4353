package working

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// What is open: checks, builds, edits, operations of git, installs and deployments that failed and were not mended since. What
// mends them stands in mend.go. Everything else that fails leaves nothing to mend, as a look at what is not there.

// givenUp is the number of calls after which a failure is given up that nobody tried to mend; checks and builds stay.
const givenUp = 30

// exitStatus is how the client begins the text of a command's error.
var exitStatus = regexp.MustCompile(`^Exit code (\d+)`)

// failed takes in a call that failed; one that the user interrupted, or that the client gave up, says nothing of its
// target.
func (s *State) failed(r events.Record, e *events.ToolFailed) {
	s.called(r)
	if e.NotRun() {
		return
	}

	call := events.CallOf(e.ToolName, e.ToolInput)
	if e.ToolName == "Bash" {
		s.failedCommand(r, e, call)
		return
	}
	if f, ok := s.failureOf(call, e.Common, nil); ok {
		f.Text = Line(outcome.NamesError(e.Error))
		s.opened(r, f)
	}
}

// failedCommand takes in a command that the client calls a failure.
func (s *State) failedCommand(r events.Record, e *events.ToolFailed, call events.Call) {
	result := outcome.OfFailed(call, e.Error)
	output := outcome.Shown(e.Error)
	part, done := failedPart(call, result, output)
	result.Telling = tellingOf(call, part, result, output)
	parts := append(part, hiddenFailures(call, result, output)...)
	if done != nil {
		s.succeededIn(r, s.placeOf(call.Input.Command.Text(), e.Cwd), done, nil)
	}
	result.Telling = cmp.Or(result.Telling, e.Error) // a command that printed nothing has the client's words alone
	s.judged(r, e.Common, call, result, parts)
	s.lacks(r, call, e.Error)
	s.landed(r, call, result, e.Error)

	exit := ""
	if m := exitStatus.FindStringSubmatch(e.Error); m != nil {
		exit = m[1]
	}
	s.ran(r, e.Cwd, call, result, exit)
	if r.AgentID == "" {
		folder := events.Folder(call.Input.Command.Text(), e.Cwd)
		s.sawErrors(r, folder, call, e.Error)
	}
}

// failedPart returns the command of a line that failed, none where it leaves nothing to mend, and those before it that succeeded.
// A check whose passing summary was printed succeeded, with all that comes before it. Of the others the one failed that printed
// its own marks of a failure; where none did nobody can say which one it was, and the first one is taken: the line is tried again
// from there.
func failedPart(call events.Call, result outcome.Result, output string) (part, done []action.Action) {
	shows := func(i int, status outcome.Status) bool {
		return !call.Runs[i].Hidden && i < len(result.Own) && result.Own[i].Status == status
	}
	failing, passed := len(call.Runs), 0
	for i := range call.Runs {
		if shows(i, outcome.Failed) {
			failing = i
			break
		}
		if shows(i, outcome.OK) {
			passed = i + 1
		}
	}

	for _, run := range call.Runs[:passed] {
		if a := action.Of(run); !run.Hidden && a.Kind != action.Other {
			done = append(done, a)
		}
	}
	parts := action.Failed(call.Input.Command.Text(), call.Runs[passed:], output)
	if failing < len(call.Runs) {
		shown := action.Of(call.Runs[failing])
		if slices.ContainsFunc(parts, func(a action.Action) bool { return a.Text == shown.Text }) {
			return []action.Action{shown}, done
		}
	}
	return parts[:min(1, len(parts))], done
}

// tellingOf returns the telling line of the part of a line that failed: other parts have printed, too.
func tellingOf(call events.Call, part []action.Action, result outcome.Result, output string) string {
	if len(call.Runs) < 2 || len(part) == 0 {
		return result.Telling
	}
	for _, own := range slices.Backward(result.Own) {
		if own.Status == outcome.OK {
			output = cmp.Or(strings.TrimSpace(own.Behind), output)
			break
		}
	}
	line := part[0].Text
	return cmp.Or(outcome.Of(line, events.Runs(line), true, output).Telling, result.Telling)
}

// hiddenFailures returns the commands of a call whose failure the exit status hides and the output shows, each once.
func hiddenFailures(call events.Call, result outcome.Result, output string) []action.Action {
	var failed []action.Action
	for i, run := range call.Runs {
		if !run.Hidden || result.Runs[i] != outcome.Failed {
			continue
		}
		a := action.Of(run)
		isAgain := slices.ContainsFunc(failed, func(before action.Action) bool { return before.Text == a.Text })
		if a.Kind != action.Other && !isAgain {
			failed = append(failed, a)
		}
	}
	if failed != nil && action.NothingRan(call.Input.Command.Text(), call.Runs, output) {
		return nil
	}
	return failed
}

// judged takes in which commands of a call failed.
func (s *State) judged(r events.Record, common events.Common, call events.Call, result outcome.Result, parts []action.Action) {
	if f, ok := s.failureOf(call, common, parts); ok {
		f.Text = Line(result.Telling)
		if f.Stays() {
			f.Passed = s.passedBefore(call, common.Cwd)
		}
		s.opened(r, f)
	}
}

// failureOf returns the failure of a call that left something to mend, of a command with its parts that failed; false where it
// did not.
func (s State) failureOf(call events.Call, common events.Common, parts []action.Action) (Failure, bool) {
	f := Failure{Tool: wording.Short(call.Tool, maxLine)}
	switch call.Tool {
	case "Bash":
		f.Folder = s.placeOf(call.Input.Command.Text(), common.Cwd)
		parts = slices.DeleteFunc(slices.Clone(parts), func(part action.Action) bool { return s.isOutside(part.Script, f.Folder) })
		var texts []string
		for _, part := range parts {
			texts = append(texts, part.Text)
		}
		f.Kind = strongest(parts)
		f.Target = strings.Join(texts, andThen)
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		f.Kind = action.Edit
		f.Target = call.File
	case events.ToolPatch:
		f.Kind = action.Edit
		if patch := events.Patch(call.Raw, common.Cwd); len(patch) > 0 {
			f.Target = patch[0].Path
		}
	}
	f.Target = wording.Short(f.Target, maxPath)
	return f, f.Target != "" && f.Kind != action.Other
}

// isOutside reports whether the file of a script that was called in a folder lies outside of the work tree.
func (s State) isOutside(script, folder string) bool {
	if script == "" || s.Worktree == "" || folder == unknownPlace {
		return false
	}
	file := slashed(events.InFolder(folder, script), s.Worktree)
	isAbsolute := strings.HasPrefix(file, "/") || strings.Contains(file, ":/")
	return isAbsolute && !isAtOrBelow(file, slashed(s.Worktree, s.Worktree))
}

// andThen stands between the parts of a target.
const andThen = " && "

// strongest returns the kind of commands that failed together: the one that stays longest.
func strongest(parts []action.Action) action.Kind {
	for _, kind := range []action.Kind{action.Check, action.Build, action.Deploy, action.Git, action.Install} {
		if slices.ContainsFunc(parts, func(a action.Action) bool { return a.Kind == kind }) {
			return kind
		}
	}
	return action.Other
}

// opened takes in a failure. It stands for those that it contains: what it would have mended. What failed in a subagent's own
// work is not the session's, but for checks and builds, which say how the work tree is.
func (s *State) opened(r events.Record, f Failure) {
	if r.AgentID != "" && !f.Stays() {
		return
	}
	f.Event, f.Time, f.Times, f.Call = r.ID, r.Time, 1, s.Calls

	done := f.parts()
	s.Open, _ = copies.Take(s.Open, func(o Failure) bool {
		if o.is(f.Target, f.Folder) {
			f.Times = o.Times + 1
			return true
		}
		return len(done) > 0 && o.left(done, f.Folder) == ""
	})
	s.Open = copies.Push(s.Open, f, maxOpen)
	s.mendCarried(r, f.Target, done, f.Folder)
}

// Failure is a call that failed and was not mended since.
type Failure struct {
	Target  string      `json:"target" jsonschema_description:"the file of an edit; of a command the parts that may have failed and did not succeed since"`
	Folder  string      `json:"folder,omitempty" jsonschema_description:"folder that a command ran in, from the work tree; absent for that itself, ? where it is not known"`
	Kind    action.Kind `json:"kind" jsonschema_description:"what failed: check, build, edit, git, install or deploy"`
	Tool    string      `json:"tool" jsonschema_description:"name"`
	Text    string      `json:"text" jsonschema_description:"the error's most telling line, shortened"`
	Event   string      `json:"event" jsonschema_description:"id of the newest failure"`
	Time    time.Time   `json:"time" jsonschema_description:"of the newest failure"`
	Times   int         `json:"times" jsonschema_description:"failures in a row"`
	Call    int         `json:"call,omitempty" jsonschema_description:"number of the session's calls until the newest failure"`
	Tried   bool        `json:"tried,omitempty" jsonschema_description:"it was run again since, and nobody can say with which outcome"`
	Checked bool        `json:"checked,omitempty" jsonschema_description:"a check passed since"`
	Passed  *Pass       `json:"passed,omitempty" jsonschema_description:"of a check that passed before in this session: that run, and what was edited between"`
}

// Stays reports whether a failure stays until it is mended, however many calls come.
func (f Failure) Stays() bool { return f.Kind == action.Check || f.Kind == action.Build }

// is reports whether a failure is that of a target in a folder.
func (f Failure) is(target, folder string) bool { return f.Target == target && f.Folder == folder }
