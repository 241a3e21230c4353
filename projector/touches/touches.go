// Package touches folds the files of a project over all its sessions: how often they were touched, with less weight for what is
// long ago. One cell per project, keyed by its id.
package touches

import (
	"cmp"
	"math"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
)

// Name and Version of the projection's cells.
const (
	Name    = "touches"
	Version = 1
)

// Bounds of a cell.
const (
	maxTouches = 200
	maxPath    = 1024               // bytes
	halfLife   = 7 * 24 * time.Hour // a week's touches count half as much a week later
)

// State is the files that the sessions of a project touched.
type State struct {
	Files []Touch `json:"files,omitempty" jsonschema_description:"the last touched last, at most 200"`
}

// Touch is a file with its use.
type Touch struct {
	Path   string    `json:"path" jsonschema_description:"below the work tree that it was touched in"`
	Weight float64   `json:"weight" jsonschema_description:"1 for a read, 2 for a change, halved by each week since"`
	Event  string    `json:"event" jsonschema_description:"id of the newest event"`
	Time   time.Time `json:"time" jsonschema_description:"of the newest event"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	On:      projector.Handlers(projector.On((*State).succeeded)),
})

// succeeded takes a tool's call in. A subagent's reads do not count: the session has not seen them.
func (t *State) succeeded(r events.Record, e *events.ToolSucceeded) {
	weight := 2.0
	switch e.ToolName {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
	case "Read":
		if r.AgentID != "" {
			return
		}
		weight = 1
	default:
		return
	}
	file := wording.Below(r.Worktree, events.CallOf(e.ToolName, e.ToolInput).File)
	if file == "" || len(file) > maxPath || file[0] == '/' { // elsewhere
		return
	}

	files, x := copies.Take(t.Files, func(x Touch) bool { return x.Path == file })
	x.Path = file
	x.Weight = x.at(r.Time) + weight
	x.Event, x.Time = r.ID, r.Time
	t.Files = copies.Push(files, x, maxTouches)
}

// at is the weight that is left at a time.
func (x Touch) at(now time.Time) float64 {
	age := max(0, now.Sub(x.Time))
	return x.Weight * math.Exp2(-age.Hours()/halfLife.Hours())
}

// Ranked are the files by their weight at a time.
func (t State) Ranked(now time.Time) []Touch {
	list := slices.Clone(t.Files)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Touch) int { return cmp.Compare(b.at(now), a.at(now)) })
	return list
}
