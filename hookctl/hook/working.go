package hook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Working state (S2): a checkpoint before a compaction, and what a session is given back at its start.

// Ages up to which a state of an earlier session is told (DECISIONS S2).
const (
	handoffAge  = 24 * time.Hour // inclusive: goal, failures, edited files
	extendedAge = time.Hour      // exclusive: files read, commands
)

// Bounds of the lists, in tokens, so that one list leaves room for the others.
const (
	editedTokens  = 320
	readTokens    = 260
	commandTokens = 170
	seenTokens    = 200

	maxUnmended  = 4
	failureChars = 80
	commandChars = 61 // the beginning of a command tells which one it is
	taskChars    = 160
	promptChars  = 100
	saidChars    = 140
)

// decideWorking marks the state that a compaction is about to cut from the context, judges the end of a turn, and writes
// the handoff of a session that ends.
func decideWorking(in Input, w World, r Reader) []events.Event {
	if in.Session == "" || in.Hook == nil || in.Call.Verb != VerbHook {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.CompactionStarted:
		out := &events.CheckpointCreated{Schema: working.Schema, Trigger: e.Trigger}
		if w.Use != nil {
			window := w.Use.WindowIn(sessionOf(r, in.Session))
			out.Phase, out.Percent = session.PhaseOf(w.Use.Tokens, window), session.Percent(w.Use.Tokens, window)
			out.Said = w.Use.Said // in the turn that the compaction cuts
		}
		return []events.Event{out}
	case *events.TurnStopped:
		return decideStop(in, w, r, e)
	case *events.PromptSubmitted:
		return handedOver(in, w, r, e)
	case *events.SessionStarted:
		if w.Survey != nil {
			return []events.Event{w.Survey}
		}
	case *events.SessionEnded:
		if h := workingOf(r, in.Session).HandoffOf("session_end"); h != nil {
			return []events.Event{h}
		}
	}
	return nil
}

// handedOver gives a session without a goal, whose prompt only says to go on, the goal and the task that its start told
// of the project's last session.
func handedOver(in Input, w World, r Reader, e *events.PromptSubmitted) []events.Event {
	if !working.GoesOn(e.UserText()) || workingOf(r, in.Session).Goal != nil {
		return nil
	}
	seen := sessionOf(r, in.Session)
	before := workingOf(r, latest(r, w.Project, in.Session).SessionID)
	if seen.Injected[session.InjectedKey("", "working.goal")] == "" || before.Goal == nil {
		return nil
	}

	out := &events.GoalSet{Text: before.Goal.Text, From: before.Goal.Event}
	if before.Task != nil && before.Task.Event != before.Goal.Event {
		out.Task = before.Task.Text
	}
	return []events.Event{out}
}

// tellWorking gives a session that starts what it, or the last session of its project, worked on.
func tellWorking(in Input, w World, r Reader) []Item {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok {
		return append(tellMatched(in, w, r), tellStop(in, r)...)
	}

	s := WorkAt(in, w.Project, r)
	s.Worktree = cmp.Or(s.Worktree, e.Cwd) // outside a repository, paths are told from where the session works
	found := decidedAs[*events.WorkplaceSurveyed](r)
	survey := tellSurvey(in, found, s)
	if found != nil && found.Gone != "" {
		s.Files = nil
	}
	if e.Source == "compact" || e.Source == "resume" {
		return append(recovered(s, e.Source == "compact"), survey...)
	}
	items := append(Handoff(s, in.Time, w.Worktree), survey...)
	return append(items, tellTouched(touchesOf(r, w.Project, in.Time), items)...)
}

// workingOf is a session's working state, the zero state when it has none.
func workingOf(r Reader, id string) working.State {
	s, _ := projector.State[working.State](r.Reader, working.Name, id)
	return s
}

// Known is all that a session is told of its own state after a compaction.
func Known(s working.State) []Item { return recovered(s, true) }

// recovered returns what a session is given back of its own state. A context that was not compacted has the files and commands still.
func recovered(s working.State, cut bool) []Item {
	phase := "[PHASE: SESSION_REVIVAL] "
	if cut {
		phase = "[PHASE: POST_COMPACT] "
	}
	items := append(goalItems(s, phase, cut), openItems(s, cut)...)
	if cut {
		items = append(items, fileItems(s, true, true)...)
		items = append(items, commandItems(s)...)
		items = append(items, foldersItem(seenTokens, "working.seen", RankSeen, "Seen, not opened: ", s.Worktree, s.Unopened())...)
		items = append(items, noteItem("said", RankFunctions, "You said last: %s", s.Said, saidChars)...)
	}
	if drifted(s) {
		items = append(items, item("working.drift", RankGoal, "The goal may have drifted: nothing of it was seen in the last turns.", s.Goal.Event))
	}
	return items
}

// drifted reports that nothing of the goal was seen in the last turns: of its keywords less than one in ten is in the
// newest prompts, files and commands, five turns or more after it was set (origins 2.3).
func drifted(s working.State) bool {
	if s.Goal == nil || len(s.Keywords) == 0 || s.Turns-s.GoalTurn < 5 {
		return false
	}

	text := ""
	for _, n := range []*working.Note{s.Task, s.Prompt} {
		if n != nil && n.Event != s.Goal.Event {
			text += n.Text + "\n"
		}
	}
	for _, f := range copies.Newest(s.Files, 10) {
		text += f.Path + "\n"
	}
	for _, c := range copies.Newest(s.Commands, 10) {
		text += c.Line + "\n"
	}

	seen := 0
	for _, k := range s.Keywords {
		if strings.Contains(strings.ToLower(text), k) {
			seen++
		}
	}
	return seen*10 < len(s.Keywords)
}

// Handoff returns what a new session is told of the one before it in the project, as far as its age allows; here is the new
// session's work tree, "" for none.
func Handoff(s working.State, now time.Time, here string) []Item {
	age := now.Sub(s.Active)
	if s.ID == "" || s.Deleted || age > handoffAge {
		return nil
	}

	from := fmt.Sprintf("[PHASE: SESSION_START] From session %s, %s ago", events.Alias(s.ID), wording.Age(age))
	if here != "" && s.Worktree != "" && s.Worktree != here {
		from += ", in " + wording.Short(s.Worktree, failureChars) // its paths are of another work tree
	}
	items := goalItems(s, from+". ", false)
	items = append(items, openItems(s, false)...)
	recent := age < extendedAge
	items = append(items, fileItems(s, recent, false)...)
	if recent {
		return append(items, commandItems(s)...)
	}
	if s.Commands == nil || len(items) == 0 {
		return items
	}
	last := s.Commands[len(s.Commands)-1]
	return append(items, item("working.left", RankFunctions, "Not restored: files read and commands, they are older than 1 h.", last.Event))
}

// goalItems are the two goals: what the session was for, and what it did last. Behind a summary that has their words
// only the phase is told; a context that was not cut has not read it.
func goalItems(s working.State, prefix string, cut bool) []Item {
	var items []Item
	var told []string // ids of prompts: one may be goal and last prompt, with a plan as the task
	for _, x := range []struct {
		id, title string
		n         *working.Note
	}{{"goal", "Goal: ", s.Goal}, {"task", "Current task: ", s.Task}, {"prompt", "Last prompt: ", s.Prompt}} {
		if x.n == nil || slices.Contains(told, x.n.Event) {
			continue
		}
		told = append(told, x.n.Event)
		chars := promptChars
		if s.Task == nil || x.n.Event == s.Task.Event {
			chars = taskChars
		}
		if !x.n.Known || !cut {
			items = append(items, item("working."+x.id, RankGoal, prefix+x.title+wording.Short(x.n.Text, chars), x.n.Event))
			prefix = ""
		}
	}
	if items == nil && s.Goal != nil {
		items = []Item{item("working.phase", RankGoal, prefix+"Goal and task are as summarised.", s.Goal.Event)}
	}
	return items
}

// openItems are what is unfinished: words for the next session, things to do, failures, and what the user corrected.
func openItems(s working.State, cut bool) []Item {
	items := noteItem("handoff", RankHandoff, "Handoff: %s", s.Handoff, working.MaxTask)
	if todos := s.Pending(); len(todos) > 0 {
		var texts []string
		for _, t := range todos {
			text := t.Text
			if t.Status == "in_progress" {
				text += " (in progress)"
			}
			texts = append(texts, text)
		}
		items = append(items, listItem(0, "working.todos", RankHandoff, "To do: ", texts, "; ", todos[len(todos)-1].Event))
	}

	if s.Steps != nil && !(s.Steps.Known && cut) && len(items) == 0 {
		items = append(items, listItem(0, "working.steps", RankHandoff, "Next steps, in your words: ", s.Steps.Texts, "; ", s.Steps.Event))
	}

	items = append(items, noteItem("serena", RankFunctions, "Serena was activated for project %s; activate it again where it is not.", s.Serena, working.MaxTask)...)
	items = append(items, noteItem("thread", RankFunctions, "Conversation to go on with: continuation_id %s", s.Thread, working.MaxTask)...)

	for _, f := range unmended(s) {
		what := f.Target
		if i := slices.IndexFunc(s.Commands, func(c working.Command) bool { return c.Event == f.Event }); i >= 0 {
			what = ranText(s.Commands[i])
		}
		if s.Worktree != "" {
			what = strings.TrimPrefix(what, s.Worktree+"/")
		}
		text := fmt.Sprintf("Not mended: %s: %s", what, wording.Short(f.Text, failureChars))
		items = append(items, item("working.failure "+f.Target, RankBlockers, text, f.Event))
	}
	for _, c := range slices.Backward(copies.Newest(s.Corrections, 4)) {
		if !c.Known || !cut {
			items = append(items, item("working.correction "+c.Event, RankDecisions, "The user refused "+c.Text, c.Event))
		}
	}
	return items
}

// fileItems are the changed files, and those that were only read when asked for; by folder, the newest first. A file
// that the summary of the compaction names is left out.
func fileItems(s working.State, read, cut bool) []Item {
	var changed, opened []working.File
	for _, f := range slices.Backward(s.Files) {
		switch {
		case f.Known && cut:
		case f.Changed():
			changed = append(changed, f)
		case read:
			opened = append(opened, f)
		}
	}
	return append(foldersItem(editedTokens, "working.edited", RankFiles, "Edited: ", s.Worktree, changed),
		foldersItem(readTokens, "working.read", RankRead, "Read: ", s.Worktree, opened)...)
}

// commandItems are the distinct commands with their outcome, those first that are probably run again. One that failed and
// stands under what is not mended is not repeated.
func commandItems(s working.State) []Item {
	open := unmended(s)
	commands := slices.DeleteFunc(s.Repeated(), func(c working.Command) bool {
		return slices.ContainsFunc(open, func(f working.Failure) bool { return f.Event == c.Event })
	})
	if len(commands) == 0 {
		return nil
	}
	var texts []string
	for _, c := range commands {
		if text := ranText(c); !slices.Contains(texts, text) { // some differ after what is told
			texts = append(texts, text)
		}
	}
	return []Item{listItem(commandTokens, "working.commands", RankCommands, "Ran: ", texts, "; ", commands[0].Event)}
}

// ranText is a command with its outcome.
func ranText(c working.Command) string {
	outcome := "ok"
	if !c.OK {
		outcome = "failed"
	}
	if c.Result != "" {
		outcome += ", " + c.Result
	}
	return fmt.Sprintf("`%s` (%s)", wording.Short(c.Line, commandChars), outcome)
}

// looks are programs that only look at something: one that failed leaves nothing to mend.
var looks = strings.Fields("ls cat head tail which find grep rg test [ stat file pwd type wc tree lsof ps pgrep command")

// unmended returns the newest failures that leave something to mend, at most maxUnmended, the newest first: no look at what is
// not there, no tool that works on no file, no command but a check that was forgotten for others since.
func unmended(s working.State) []working.Failure {
	var list []working.Failure
	for _, f := range slices.Backward(s.Open) {
		program, _, _ := strings.Cut(f.Target, " ")
		looked := f.Tool == "Read" || slices.Contains(looks, program)
		if f.Tool == "Bash" && (events.Call{Runs: events.Runs(f.Target)}).Check() == "" {
			looked = looked || !slices.ContainsFunc(s.Commands, func(c working.Command) bool { return c.Event == f.Event })
		}
		if !looked && f.Target != f.Tool && len(list) < maxUnmended {
			list = append(list, f)
		}
	}
	return list
}
