package hook

import (
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/projector/working"
)

// What a start finds where its session works, and tells: files that changed behind its back, issues that wait.

// WorkAt is the working state that a start tells of: the session's own after a compaction or a resume, else that of the
// session that hands over to it; the zero state for other hooks, and for a fork, which has it.
func WorkAt(in Input, w World, r Reader) working.State {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok || in.Call.Verb != VerbHook || in.Session == "" {
		return working.State{}
	}
	if e.Source == "compact" || e.Source == "resume" {
		return workingOf(r, in.Session)
	}
	taken := takenBy(in, w, r)
	if taken == nil || taken.Origin {
		return working.State{}
	}
	return workingOf(r, taken.From)
}

// MayNameFiles reports whether the answer to a hook may name files: to a start, and to the first prompt.
func MayNameFiles(in Input) bool {
	if in.Call.Verb != VerbHook || in.Session == "" {
		return false
	}
	switch in.Event.(type) {
	case *events.SessionStarted, *events.PromptSubmitted:
		return true
	}
	return false
}

// PathsToTell returns the files that the answer to a hook may name, as absolute paths, so that the machine can be asked
// which of them are there ([World].Missing); none for a hook that names no files.
func PathsToTell(in Input, w World, r Reader) []string {
	_, prompts := in.Event.(*events.PromptSubmitted)
	later := prompts && !isFirstPrompt(workingOf(r, in.Session))
	if !MayNameFiles(in) || later {
		return nil
	}

	list := WorkAt(in, w, r).Places()
	return append(list, touchedPaths(in, w, r)...)
}

// isThere reports whether a file of [PathsToTell] is on the disk, as far as the disk was asked.
func (w World) isThere(file string) bool { return !w.Missing[file] }

// thereOf leaves out the files that are not on the disk. Relative paths are meant from the root.
func (w World) thereOf(root string, files []working.File) []working.File {
	list, _ := copies.Take(files, func(f working.File) bool { return !w.isThere(events.InFolder(root, f.Path)) })
	return list
}

// tellSurvey tells what was found with the start; s is the state that the start tells of.
func tellSurvey(in Input, found *events.WorkplaceSurveyed, s working.State) []Item {
	if found == nil {
		return nil
	}

	var files []working.File
	for _, path := range found.Changed {
		files = append(files, working.File{Path: path, Event: in.Frame})
	}
	items := foldersItem(readTokens, "working.changed", RankFiles, "Changed on disk since their last Read or Edit: ", s.Worktree, files)
	if found.Gone != "" {
		items = append(items, item("working.gone", RankFunctions, "Not restored: files, the work tree "+found.Gone+" is gone.", in.Frame))
	}
	var texts []string
	for _, issue := range found.Issues {
		text := issue.ID + " " + issue.Title
		if strings.HasPrefix(issue.Status, "in_progress") {
			text += " (in progress)"
		}
		texts = append(texts, text)
	}
	if texts != nil {
		items = append(items, listItem(0, "working.issues", RankHandoff, "Ready in "+found.Tracker+": ", texts, "; ", in.Frame))
	}
	return items
}
