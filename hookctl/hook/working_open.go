package hook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector/working"
)

// What is open, as it is told: things to do, failures, what the user corrected.

// openItems are what is unfinished: words for the next session, things to do, failures, and what the user corrected.
func openItems(s working.State, cut bool, now time.Time) []Item {
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
		items = append(items, stepsItem(*s.Steps, "your words"))
	}

	items = append(items, noteItem("serena", RankFunctions, "Serena was activated for project %s; activate it again where it is not.", s.Serena, working.MaxTask)...)
	items = append(items, noteItem("thread", RankFunctions, "Conversation to go on with: continuation_id %s", s.Thread, working.MaxTask)...)

	items = append(items, failureItems(s, now)...)
	if cut {
		items = append(items, missingItems(s)...)
	}
	for _, c := range slices.Backward(copies.Newest(s.Corrections, 4)) {
		if !c.Known || !cut {
			items = append(items, item("working.correction "+c.Event, RankDecisions, "The user refused "+c.Text, c.Event))
		}
	}
	return items
}

// stepsItem tells next steps, with whose words they are.
func stepsItem(steps working.Steps, whose string) Item {
	return listItem(0, "working.steps", RankHandoff, "Next steps, in "+whose+": ", steps.Texts, "; ", steps.Event)
}

// failureItems tell what failed and was not mended, the newest first: an item each, and what is behind the first ones in a list.
func failureItems(s working.State, now time.Time) []Item {
	var items []Item
	var more []entry
	for _, f := range slices.Backward(s.Open) {
		text := failureLine(s, f, now)
		if len(items) < maxUnmended {
			items = append(items, item("working.failure "+f.Folder+" "+f.Target, RankBlockers, "Not mended: "+text, f.Event))
			continue
		}
		more = append(more, entry{text: text, event: f.Event})
	}
	if more != nil {
		it := item("working.failures", RankBlockers, "", more[0].event)
		items = append(items, entriesItem(failuresTokens, it, more, "Not mended, too: ", "; "))
	}
	return items
}

// failureLine says what failed, how often, when it was tried last, and what was said.
func failureLine(s working.State, f working.Failure, now time.Time) string {
	what, ended := failedText(s.Worktree, f.Tool, f.Target), "an error"
	if i := slices.IndexFunc(s.Commands, func(c working.Command) bool { return c.Event == f.Event }); i >= 0 {
		what = commandText(s.Commands[i])
		ended = cmp.Or(s.Commands[i].Result, ended)
	}
	if f.Folder != "" && f.Folder != "?" && !strings.Contains(what, "cd ") {
		what += " in " + f.Folder
	}

	text := fmt.Sprintf("%s ended with %s", what, ended)
	if f.Times > 1 {
		text += fmt.Sprintf(", failed %d times", f.Times)
	}
	return text + sinceText(f, now) + passedText(s, f) + saidText(f.Tool, f.Text)
}

// toldEdited is how many files are named that were edited since a check passed.
const toldEdited = 5

// passedText says that a check which fails passed before in this session, with what was edited between; "" for others.
func passedText(s working.State, f working.Failure) string {
	if f.Passed == nil {
		return ""
	}
	var names []string
	for _, file := range f.Passed.Edited {
		names = append(names, wording.Below(s.Worktree, file))
	}
	if len(names) > toldEdited {
		names = append(names[:toldEdited], "others")
	}
	if len(names) == 0 {
		return " (passed before in this session)"
	}
	return " (passed before in this session, fails since edits of " + strings.Join(names, ", ") + ")"
}

// sinceText says how long ago a failure was, from a few minutes on, and that nobody tried it since.
func sinceText(f working.Failure, now time.Time) string {
	text := ""
	old := now.Sub(f.Time) >= toldAge
	if old {
		text = ", " + wording.Age(now.Sub(f.Time)) + " ago"
	}
	switch {
	case f.Tried:
		return text + ", run since with an outcome that is not known"
	case old && f.Stays():
		return text + ", not run since"
	}
	return text
}

// failedText names what failed without its command line.
func failedText(root, tool, target string) string {
	if tool == "Bash" {
		return wording.Code(wording.Short(target, commandChars))
	}
	return tool + " of " + wording.Below(root, target)
}

// saidText quotes what a command printed, or the client said of an edit; of a command that printed nothing the client has the
// status alone.
func saidText(tool, text string) string {
	if text == "" || strings.HasPrefix(text, "Exit code ") {
		return ""
	}
	who := "printed"
	if tool != "Bash" {
		who = "the client said"
	}
	return fmt.Sprintf(": %s \"%s\"", who, wording.Short(text, failureChars))
}

// missingItems tell which programs are not there, so that nobody tries them once more.
func missingItems(s working.State) []Item {
	if s.Missing == nil {
		return nil
	}
	var entries []entry
	for _, a := range s.Missing {
		entries = append(entries, entry{text: a.Program, event: a.Event})
	}
	it := item("working.missing", RankCommands, "", entries[0].event)
	return []Item{entriesItem(0, it, entries, "Not on this machine: ", ", ")}
}
