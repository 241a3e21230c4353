package events

import (
	"encoding/json"
	"strings"
)

// Working state (S2): what is said of it by command or before a compaction, and what the next session has to know.

// Wire names of this file.
const (
	TypeGoalSet            = "goal.set"
	TypeHandoffWritten     = "handoff.written"
	TypeCheckpointCreated  = "checkpoint.created"
	TypeCheckpointRestored = "checkpoint.restored"
)

// GoalSet sets a session's goal, by command or as the session before handed it over.
type GoalSet struct {
	Text string `json:"text" jsonschema_description:"the goal"`
	Task string `json:"task,omitempty" jsonschema_description:"what that session worked on last, where it is not the goal"`
	From string `json:"from,omitempty" jsonschema_description:"id of the event that was the goal of the project's last session, where the first prompt only says to go on; absent by command"`
}

// Type implements [Event].
func (*GoalSet) Type() string { return TypeGoalSet }

var _ = kind[GoalSet]("", "a session's goal was set by command, or handed over by the session before")

// Summary implements [Summarizer].
func (e *GoalSet) Summary() string { return e.Text }

// HandoffWritten keeps what the next session of the project has to know: words by command, or what the session was at.
type HandoffWritten struct {
	Text       string   `json:"text" jsonschema_description:"what the next session has to know; not by command: the goal and the last task"`
	By         string   `json:"by,omitempty" jsonschema_description:"stop, session_end or reaped; absent by command"`
	NextSteps  []string `json:"next_steps,omitempty" jsonschema_description:"at most 5"`
	Blockers   []string `json:"blockers,omitempty" jsonschema_description:"failures that are not mended, at most 3"`
	Files      []string `json:"recent_files,omitempty" jsonschema_description:"that were changed last, at most 5"`
	Checkpoint string   `json:"last_checkpoint,omitempty" jsonschema_description:"id of its event"`
}

// Type implements [Event].
func (*HandoffWritten) Type() string { return TypeHandoffWritten }

var _ = kind[HandoffWritten]("", "what the next session of the project has to know")

// Summary implements [Summarizer].
func (e *HandoffWritten) Summary() string { return e.Text }

// CheckpointCreated marks a point of the log whose working state can be shown again.
type CheckpointCreated struct {
	Schema  int    `json:"schema_version" jsonschema_description:"version of the working state, 1 or more"`
	Trigger string `json:"trigger" jsonschema_description:"manual or auto: before a compaction; command: by a person"`
	Note    string `json:"note,omitempty" jsonschema_description:"what the person said of it"`
	Phase   string `json:"phase,omitempty" jsonschema_description:"of the use of the context, before a compaction"`
	Percent int64  `json:"percent,omitempty" jsonschema_description:"how full the context was"`
	Said    string `json:"said,omitempty" jsonschema_description:"the agent's last words of a turn that a compaction cut, shortened"`
}

// Type implements [Event].
func (*CheckpointCreated) Type() string { return TypeCheckpointCreated }

var _ = kind[CheckpointCreated]("", "a point of the log whose working state can be shown again")

// Summary implements [Summarizer].
func (e *CheckpointCreated) Summary() string {
	return strings.TrimSuffix(e.Trigger+": "+e.Note, ": ")
}

// CheckpointRestored made the state of a checkpoint the session's own again, as far as its tiers allow (S2).
type CheckpointRestored struct {
	Checkpoint string          `json:"checkpoint" jsonschema_description:"id of the event that marks it"`
	Session    string          `json:"session" jsonschema_description:"whose state it is"`
	Schema     int             `json:"schema_version" jsonschema_description:"of the state; one that is not known is refused whole"`
	Left       []string        `json:"left,omitempty" jsonschema_description:"what was not restored, and why"`
	State      json.RawMessage `json:"state" jsonschema_description:"the working state, without what was left"`
}

// Type implements [Event].
func (*CheckpointRestored) Type() string { return TypeCheckpointRestored }

var _ = kind[CheckpointRestored]("", "the state of a checkpoint became the session's own again")

// Summary implements [Summarizer].
func (e *CheckpointRestored) Summary() string { return e.Checkpoint }
