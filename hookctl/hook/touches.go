package hook

import (
	"slices"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/project"
	"hookline/projector/working"
)

// Files of all earlier sessions of a project: a start names those that are used most, and the first prompt those that
// its words are about.

// Bounds in tokens.
const (
	touchedTokens = 240
	matchedTokens = 60
)

// touchesOf are the files of a project with those of the projects that were joined into it, by their use.
func touchesOf(r Reader, id string, now time.Time) []working.Touch {
	all, _ := projector.State[working.Touches](r.Reader, working.TouchesName, id)
	p, _ := projector.State[project.State](r.Reader, project.Name, id)
	for _, joined := range p.Joined {
		s, _ := projector.State[working.Touches](r.Reader, working.TouchesName, joined)
		all.Files = append(slices.Clip(all.Files), s.Files...)
	}
	return all.Ranked(now)
}

// tellTouched names the most used files of the project that said does not name.
func tellTouched(touches []working.Touch, said []Item) []Item {
	var files []working.File
	for _, x := range touches {
		if !namedIn(said, x.Path) {
			files = append(files, working.File{Path: x.Path, Event: x.Event})
		}
	}
	return foldersItem(touchedTokens, "working.touched", RankRead, "Used in this project: ", "", files)
}

// tellMatched names, with the first prompt of a session, files whose names have its words and that its start did not
// name: once.
func tellMatched(in Input, w World, r Reader) []Item {
	if _, ok := in.Event.(*events.PromptSubmitted); !ok || in.Call.Verb != VerbHook || in.Session == "" {
		return nil
	}
	s := workingOf(r, in.Session)
	if s.Goal == nil || s.Prompt == nil || s.Goal.Event != s.Prompt.Event || s.Turns > 0 || len(s.Files) > 0 {
		return nil
	}

	touches := touchesOf(r, w.Project, in.Time)
	start := in
	start.Event = &events.SessionStarted{Source: "startup"}
	said := tellWorking(start, w, Reader{Reader: r.Reader})
	about := s.About()
	var files []working.File
	for _, x := range touches {
		if working.Hits(x.Path, about) > 0 && !namedIn(said, x.Path) {
			files = append(files, working.File{Path: x.Path, Event: x.Event})
		}
	}
	slices.SortStableFunc(files, func(a, b working.File) int { return working.Hits(b.Path, about) - working.Hits(a.Path, about) })
	items := foldersItem(matchedTokens, "working.matched", RankSeen, "Used before, by your words: ", "", files)
	for i := range items {
		items[i].Same = "once"
	}
	return items
}

// namedIn tells whether one of the items names a file.
func namedIn(items []Item, path string) bool {
	return slices.ContainsFunc(items, func(it Item) bool { return slices.Contains(it.Paths, path) })
}
