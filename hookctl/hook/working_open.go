package hook

import (
	"fmt"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector/working"
)

// What is open, as it is told: things to do, failures, what the user corrected.

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
