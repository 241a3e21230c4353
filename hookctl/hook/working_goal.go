package hook

import (
	"slices"
	"strings"

	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector/working"
)

// The goal, the current task and the newest prompt, as they are told.

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
