// Package touches folds the files of a project over all its sessions: how often they were touched, with less weight for
// what is long ago. One cell per project, keyed by its id.
package touches

import (
	"cmp"
	"hash/fnv"
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
	Version = 2
)

// Bounds of a cell.
const (
	maxTouches = 200
	maxPath    = 1024               // bytes
	maxBy      = 8                  // sessions of one file, the newest
	halfLife   = 7 * 24 * time.Hour // a week's touches count half as much a week later
)

// State has the files that the sessions of a project touched.
type State struct {
	Files []Touch `json:"files,omitempty" jsonschema_description:"files that were touched, the last touched last, at most 200"`
}

// Touch is a file with its use.
type Touch struct {
	Path   string    `json:"path" jsonschema_description:"path of the file, below the work tree that it was touched in"`
	Weight float64   `json:"weight" jsonschema_description:"use of the file: 1 for a read, 2 for a change, halved by each week since"`
	Event  string    `json:"event" jsonschema_description:"id of the newest event that touched the file"`
	Time   time.Time `json:"time" jsonschema_description:"when that event was captured"`
	By     []uint32  `json:"by" jsonschema_description:"hashes of the ids of the sessions that touched the file, the newest last, at most 8"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	On: projector.Handlers(
		projector.On((*State).toolSucceeded),
		projector.On((*State).sessionDeleted),
	),
})

// sessionDeleted leaves out the files that the deleted session alone touched.
func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	deleted := hashOf(r.Session)
	var left []Touch
	for _, t := range s.Files {
		t.By, _ = copies.Take(t.By, func(by uint32) bool { return by == deleted })
		if len(t.By) > 0 {
			left = append(left, t)
		}
	}
	s.Files = left
}

// hashOf returns the hash of a session's id.
func hashOf(session string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session)) // a hash takes all
	return h.Sum32()
}

// toolSucceeded takes in a call that read or changed a file. A subagent's reads do not count: the session has not seen
// them.
func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	weight := 0.0
	switch e.ToolName {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		weight = 2
	case "Read":
		if r.AgentID == "" {
			weight = 1
		}
	}
	if weight == 0 {
		return
	}

	file := wording.Below(r.Worktree, events.CallOf(e.ToolName, e.ToolInput).File)
	if file == "" || len(file) > maxPath {
		return
	}
	outside := file[0] == '/'
	if outside {
		return
	}

	others, touch := copies.Take(s.Files, func(t Touch) bool { return t.Path == file })
	touch.Path = file
	touch.Weight = touch.weightAt(r.Time) + weight
	by, _ := copies.Take(touch.By, func(by uint32) bool { return by == hashOf(r.Session) })
	touch.By = copies.Push(by, hashOf(r.Session), maxBy)
	touch.Event = r.ID
	touch.Time = r.Time
	s.Files = copies.Push(others, touch, maxTouches)
}

// weightAt returns the weight that is left at a time.
func (t Touch) weightAt(now time.Time) float64 {
	age := max(0, now.Sub(t.Time))
	return t.Weight * math.Exp2(-age.Hours()/halfLife.Hours())
}

// Ranked returns the files by their weight at a time, the heaviest first; of two the one that was touched last.
func (s State) Ranked(now time.Time) []Touch {
	list := slices.Clone(s.Files)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Touch) int { return cmp.Compare(b.weightAt(now), a.weightAt(now)) })
	return list
}
