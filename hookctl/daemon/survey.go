package daemon

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/working"
)

// Bounds of a survey.
const (
	maxStamped = 100 // files that are looked at, the newest
	maxChanged = 40
	maxIssues  = 5
)

// survey looks at the place that a start tells of; nil when there is nothing to tell.
func (d *Daemon) survey(ctx context.Context, in hook.Input, w hook.World) *events.WorkplaceSurveyed {
	if _, ok := in.Event.(*events.SessionStarted); !ok || in.Call.Verb != hook.VerbHook || in.Session == "" {
		return nil
	}
	s := seen(ctx, d, func(r projector.Reader) working.State {
		s := hook.WorkAt(in, w.Project, hook.Reader{Reader: r})
		s.Files = slices.Clone(s.Files) // they are asked of the disk without the view's lock
		return s
	})

	out := &events.WorkplaceSurveyed{}
	if _, err := os.Stat(s.Worktree); s.Worktree != "" && os.IsNotExist(err) && s.Files != nil {
		out.Gone = s.Worktree
	}
	for _, f := range slices.Backward(s.Files[max(0, len(s.Files)-maxStamped):]) {
		edited := f.Edited > 0 || f.Created
		if out.Gone == "" && edited && f.Stamp != "" && len(out.Changed) < maxChanged && stampOf(f.Path) != f.Stamp {
			out.Changed = append(out.Changed, f.Path)
		}
	}

	issues, tracker := facts.Issues(ctx, w.Worktree)
	for _, issue := range issues[:min(len(issues), maxIssues)] {
		item := events.WorkItem{ID: working.Line(issue.ID), Title: d.clean(working.Line(issue.Title)), Status: working.Line(issue.Status)}
		out.Issues = append(out.Issues, item)
		out.Tracker = tracker
	}
	if out.Gone == "" && out.Changed == nil && out.Issues == nil {
		return nil
	}
	return out
}

// seenBy is how the file of a successful call looks now, "" for a call without one.
func seenBy(in hook.Input) string {
	e, ok := in.Event.(*events.ToolSucceeded)
	if !ok || !slices.Contains([]string{"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"}, e.ToolName) {
		return ""
	}
	var input struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	if json.Unmarshal(e.ToolInput, &input) != nil {
		return ""
	}
	file := input.File
	if file == "" {
		file = input.Notebook
	}
	if file != "" && !filepath.IsAbs(file) {
		return "" // where it was meant from is not known later
	}
	return stampOf(file)
}

// stampOf is size and time of a file, "gone" where there is none, "" where that cannot be told.
func stampOf(file string) string {
	if file == "" {
		return ""
	}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return "gone"
	case err != nil || !info.Mode().IsRegular():
		return ""
	}
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}
