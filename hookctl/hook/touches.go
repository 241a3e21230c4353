package hook

import (
	"slices"
	"time"

	"hookline/projector"
	"hookline/projector/touches"
	"hookline/projector/working"
)

// Files of all earlier sessions of a project: a start names those that are used most.

// touchedTokens bounds the item.
const touchedTokens = 240

// touchesOf are the files of a project with those of the projects that were joined into it, by their use.
func touchesOf(r Reader, id string, now time.Time) []touches.Touch {
	all, _ := projector.State[touches.State](r.Reader, touches.Name, id)
	for _, s := range ofJoined[touches.State](r.Reader, touches.Name, id) {
		all.Files = append(slices.Clip(all.Files), s.Files...)
	}
	return all.Ranked(now)
}

// tellTouched names the most used files of the project that said does not name.
func tellTouched(touches []touches.Touch, said []Item) []Item {
	var files []working.File
	for _, x := range touches {
		if !namedIn(said, x.Path) {
			files = append(files, working.File{Path: x.Path, Event: x.Event})
		}
	}
	return foldersItem(touchedTokens, "working.touched", RankRead, "Used in this project: ", "", files)
}

// namedIn reports whether one of the items names a file.
func namedIn(items []Item, path string) bool {
	return slices.ContainsFunc(items, func(it Item) bool { return slices.Contains(it.Paths, path) })
}
