package hook

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/speech"
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

// goalItems are the two goals, what the session was for and what it did last, what is done, and the constraints. Behind a summary that has their
// words only the phase is told; a context that was not cut has not read it.
func goalItems(s working.State, prefix string, cut bool) []Item {
	items := doneItems(s, cut)
	goalTitle := "Goal"
	if s.Done != nil {
		goalTitle = "Goal since then"
	}
	var told []string // ids of prompts: one may be goal and last prompt, with a plan as the task
	for _, x := range []struct {
		id, title string
		n         *working.Note
	}{{"goal", goalTitle, s.Goal}, {"task", "Current task", s.Task}, {"prompt", "Last prompt", lastPrompt(s)}} {
		if x.n == nil || slices.Contains(told, x.n.Event) {
			continue
		}
		told = append(told, x.n.Event)
		if x.n.Known && cut {
			continue
		}
		title := x.title
		if isNewest := x.n == s.Task || s.Task == nil && x.n == s.Goal; isNewest && s.Reported != "" {
			title += ", which its session reported as done"
		}
		if x.n.By != "" {
			title += ", from " + x.n.By
		}
		text := withoutConstraints(x.n.Text, s.Constraints, cut)
		items = append(items, wholeItem("working."+x.id, title+": ", text, x.n.Event))
	}
	if items == nil && s.Goal != nil {
		items = []Item{item("working.phase", RankGoal, "Goal and task are as summarised.", s.Goal.Event)}
	}
	items = append(items, constraintItems(s.Constraints, cut)...)
	if len(items) > 0 {
		items[0] = items[0].behind(prefix)
	}
	return items
}

// withoutConstraints returns a request without the sentences that are told as constraints, as far as a request is left: nothing is
// told twice.
func withoutConstraints(request string, constraints []working.Note, cut bool) string {
	for _, c := range constraints {
		before, behind, has := strings.Cut(request, c.Text)
		before = strings.TrimSpace(before)
		isSentence := has && (before == "" || strings.ContainsAny(before[len(before)-1:], ".!?")) && strings.HasSuffix(c.Text, ".")
		rest := strings.TrimSpace(before + " " + strings.TrimSpace(behind))
		isTold := !c.Known || !cut
		if isSentence && isTold && speech.Substantial(rest) {
			request = rest
		}
	}
	return request
}

// doneItems tell the newest work that is done. Beside a newer goal it is shortened.
func doneItems(s working.State, cut bool) []Item {
	if s.Done == nil {
		return nil
	}
	label := strings.TrimRight(withoutConstraints(s.Done.Label(), s.Constraints, cut), ".")
	shown := ", " + s.Done.Shown()
	short := "Last done: " + wording.Ends(label, doneChars) + shown
	if s.Goal != nil {
		return []Item{item("working.done", RankGoal, short, s.Done.Event)}
	}

	text := "Last done: " + label + shown
	if began := s.Done.Began(); began != "" {
		text += ". It began with: " + wording.Ends(began, doneChars)
	}
	it := item("working.done", RankGoal, text, s.Done.Event)
	it.Shorter = []string{short}
	return []Item{it}
}

// doneChars is how many characters of what is done are told beside a newer goal.
const doneChars = 160

// lastPrompt returns the newest prompt where it adds something to goal and task: it does not just agree, go on, choose, or order what
// was carried out since.
func lastPrompt(s working.State) *working.Note {
	if s.Prompt == nil || s.Done != nil && !s.Prompt.Time.After(s.Done.Time) {
		return nil
	}
	text := s.Prompt.Text
	for _, n := range []*working.Note{s.Goal, s.Task} {
		if n != nil && n.Text == text {
			return nil
		}
	}
	isBareCommand := strings.HasPrefix(text, "/") && !strings.Contains(text, " ")
	if isBareCommand || speech.Request(text) == "" || speech.Order(text) || speech.Choice(text) || speech.Points(text) {
		return nil
	}
	return s.Prompt
}

// Shorter forms of a text that is told whole where there is room, in characters.
var shorterForms = []int{400, 160}

// wholeItem is an item of a text that is told whole, and shortened only where nothing else is left to leave out.
func wholeItem(id, title, text, event string) Item {
	it := item(id, RankGoal, title+text, event)
	for _, chars := range shorterForms {
		if utf8.RuneCountInString(text) > chars {
			it.Shorter = append(it.Shorter, title+wording.Ends(text, chars))
		}
	}
	return it
}

// behind returns an item with a text before its own.
func (it Item) behind(prefix string) Item {
	it.Text = prefix + it.Text
	it.Shorter = slices.Clone(it.Shorter)
	for i := range it.Shorter {
		it.Shorter[i] = prefix + it.Shorter[i]
	}
	return it
}

// constraintItems tell the constraints of a session that are still to be told, the user's own and those of a team's lead, each in the
// order in which they were given.
func constraintItems(constraints []working.Note, cut bool) []Item {
	var whose []string
	texts := map[string][]string{}
	newest := map[string]string{}
	for _, c := range constraints {
		if c.Known && cut {
			continue
		}
		if texts[c.By] == nil {
			whose = append(whose, c.By)
		}
		texts[c.By] = append(texts[c.By], c.Text)
		newest[c.By] = c.Event
	}

	var items []Item
	for _, by := range whose {
		id, title := "working.constraints", "Constraints, in the user's words: "
		if by != "" {
			id, title = id+" "+by, "Constraints, in "+by+"'s words: "
		}
		items = append(items, sentencesItem(id, title, texts[by], newest[by]))
	}
	return items
}

// carriedConstraints tell the constraints of earlier sessions whose goals are open, the newest first as they come.
func carriedConstraints(open []events.OpenItem, now time.Time) []Item {
	if open == nil {
		return nil
	}
	var texts []string
	for _, o := range slices.Backward(open) {
		texts = append(texts, o.Text)
	}
	title := fmt.Sprintf("Constraints of earlier work, in the user's words (newest of %s): ", originText(open[0], now))
	return []Item{sentencesItem("working.carried constraints", title, texts, open[0].Event)}
}

// sentencesItem is an item of sentences, told whole; where nothing else is left to leave out, each is shortened and then the older
// half is left out.
func sentencesItem(id, title string, sentences []string, event string) Item {
	it := item(id, RankGoal, title+joinSentences(sentences, 0), event)
	it.Shorter = append(it.Shorter, title+joinSentences(sentences, shorterForms[1]))
	for len(sentences) > 1 {
		sentences = sentences[len(sentences)/2:]
		it.Shorter = append(it.Shorter, title+"… "+joinSentences(sentences, shorterForms[1]))
	}
	return it
}

// joinSentences returns sentences in one line, each with a mark at its end, of at most so many characters; 0 for any.
func joinSentences(sentences []string, most int) string {
	var out strings.Builder
	for i, text := range sentences {
		if most > 0 {
			text = wording.Ends(text, most)
		}
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(text)
		last, _ := utf8.DecodeLastRuneInString(text)
		if !unicode.IsPunct(last) {
			out.WriteByte('.')
		}
	}
	return out.String()
}
