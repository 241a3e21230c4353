package working

import (
	"encoding/json"
	"fmt"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
)

// Checkpoints: a state of the past becomes the session's own again, by its tiers (S2 "State Tiers", "Revival Hygiene").

// CheckSchema refuses a state of a version that this build does not know. Those before are a part of this one: their
// missing fields are empty.
func CheckSchema(version int) error {
	if version < 1 || version > Schema {
		return fmt.Errorf("it has schema version %d, this build knows 1 to %d", version, Schema)
	}
	return nil
}

// Tiers is the state without what is not to be restored: tier 2 unless it is young enough, files of a work tree that is
// gone. Goal, corrections, failures and changed files are tier 1. left says what is missing, and why.
func (s State) Tiers(young, there bool) (kept State, left []string) {
	kept = s
	kept.Checkpoints, kept.Said = nil, nil
	changed, _ := copies.Take(s.Files, func(f File) bool { return !f.Changed() })

	if !young {
		if len(changed) < len(s.Files) || s.Commands != nil {
			left = append(left, "files read and commands: older than 1 h")
		}
		kept.Files, kept.Commands, kept.Tools = changed, nil, nil
	}
	if !there && s.Files != nil {
		left = append(left, "files: the work tree "+s.Worktree+" is gone")
		kept.Files = nil
	}
	return kept, left
}

// restored takes in the state of a checkpoint. What this build cannot read whole changes nothing.
func (s *State) restored(_ events.Record, e *events.CheckpointRestored) {
	var was State
	if CheckSchema(e.Schema) != nil || json.Unmarshal(e.State, &was) != nil {
		return
	}
	was.ID, was.Project, was.Worktree, was.Active = s.ID, s.Project, s.Worktree, s.Active
	was.Checkpoints, was.Turns, was.Prompt, was.Warned = s.Checkpoints, s.Turns, s.Prompt, s.Warned
	was.GoalTurn = s.Turns
	was.Taken, was.Carried = s.Taken, s.Carried
	was.Calls = s.Calls
	was.Open = reopened(was.Open, s.Calls)
	*s = was
}

// reopened returns failures of a checkpoint as they are open again after so many calls. Those of an older schema have no kind.
func reopened(before []Failure, calls int) []Failure {
	var open []Failure
	for _, f := range before {
		if f.Kind == action.Other {
			f.Kind = failureOfItem(events.OpenItem{Target: f.Target, Tool: f.Tool}).Kind
		}
		f.Call = calls
		if f.Kind != action.Other {
			open = append(open, f)
		}
	}
	return open
}
