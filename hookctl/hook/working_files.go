package hook

import (
	"slices"

	"hookline/projector/working"
)

// Files, as they are told.

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
