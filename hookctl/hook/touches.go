package hook

import (
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/touches"
	"hookline/projector/working"
)

// Files of all earlier sessions of a project: a start names those that are used most, and the first prompt those that
// its words are about.

// Bounds of the two items in tokens.
const (
	touchedTokens = 240
	matchedTokens = 60
)

// touchesOf are the files of a project with those of the projects that were joined into it, by their use.
func touchesOf(r Reader, id string, now time.Time) []touches.Touch {
	all, _ := projector.State[touches.State](r.Reader, touches.Name, id)
	for _, s := range ofJoined[touches.State](r.Reader, touches.Name, id) {
		all.Files = append(slices.Clip(all.Files), s.Files...)
	}
	return all.Ranked(now)
}

// touchedPaths are the files of the project as absolute paths in the session's work tree.
func touchedPaths(in Input, w World, r Reader) []string {
	var list []string
	for _, x := range touchesOf(r, w.Project, in.Time) {
		list = append(list, events.InFolder(w.Worktree, x.Path))
	}
	return list
}

// tellTouched names the most used files of the project that are there and that said does not name.
func tellTouched(w World, touches []touches.Touch, said []Item) []Item {
	var files []working.File
	for _, x := range touches {
		if !namedIn(said, x.Path) {
			files = append(files, working.File{Path: x.Path, Event: x.Event})
		}
	}
	files = w.thereOf(w.Worktree, files)
	return selection(foldersItem(touchedTokens, "working.touched", RankRead, "Used in this project: ", "", files))
}

// tellMatched names, with the first prompt of a session, files whose names have words of the prompt and that the start did
// not name: once.
func tellMatched(in Input, w World, r Reader) []Item {
	if _, ok := in.Event.(*events.PromptSubmitted); !ok {
		return nil
	}
	s := workingOf(r, in.Session)
	if !isFirstPrompt(s) || s.Goal == nil {
		return nil
	}
	isOrder := s.Goal.By != "" // of a team's lead; the user may have typed nothing
	isPrompt := s.Prompt != nil && s.Goal.Event == s.Prompt.Event
	if !isOrder && !isPrompt {
		return nil
	}
	if sessionOf(r, in.Session).Source == sourceFork { // what its origin's context had it has
		return nil
	}

	start := in
	start.Event = &events.SessionStarted{Source: "startup"}
	said := tellWorking(start, w, Reader{Reader: r.Reader, Decided: handedWith(in, w, r)})
	hits := map[string]int{} // how many of the prompt's words a path has
	var files []working.File
	for _, x := range touchesOf(r, w.Project, in.Time) {
		names := nameWords(x.Path)
		for _, word := range s.Keywords {
			if slices.ContainsFunc(nameWords(word), func(part string) bool { return len(part) > 2 && slices.Contains(names, part) }) {
				hits[x.Path]++
			}
		}
		if hits[x.Path] > 0 && !namedIn(said, x.Path) {
			files = append(files, working.File{Path: x.Path, Event: x.Event})
		}
	}
	slices.SortStableFunc(files, func(a, b working.File) int { return hits[b.Path] - hits[a.Path] })
	files = w.thereOf(w.Worktree, files)
	items := selection(foldersItem(matchedTokens, "working.matched", RankSeen, "Used before, by your words: ", "", files))
	for i := range items {
		items[i].Same = "once"
	}
	return items
}

// isFirstPrompt reports whether a session is at its first prompt: no turn was made and no file was touched.
func isFirstPrompt(s working.State) bool { return s.Turns == 0 && len(s.Files) == 0 }

// nameWords returns the words of a path or a name in lower case and the singular.
func nameWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("/._- {}'\"`:()", r) })
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "s")
	}
	return words
}

// namedIn reports whether one of the items names a file.
func namedIn(items []Item, path string) bool {
	return slices.ContainsFunc(items, func(it Item) bool { return slices.Contains(it.Paths, path) })
}
