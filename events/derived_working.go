package events

// Working state (S2): what is said of it by command or before a compaction.

// Wire names of this file.
const (
	TypeCheckpointCreated = "checkpoint.created"
	TypeGoalSet           = "goal.set"
	TypeHandoffWritten    = "handoff.written"
)

// CheckpointCreated marks a point of the log whose working state can be shown again.
type CheckpointCreated struct {
	Schema  int    `json:"schema_version" jsonschema_description:"version of the working state, 1 or more"`
	Trigger string `json:"trigger" jsonschema_description:"manual or auto: before a compaction; command: by a person"`
	Note    string `json:"note,omitempty" jsonschema_description:"what the person said of it"`
}

// Type implements [Event].
func (*CheckpointCreated) Type() string { return TypeCheckpointCreated }

// Summary implements [Summarizer].
func (e *CheckpointCreated) Summary() string {
	if e.Note == "" {
		return e.Trigger
	}
	return e.Trigger + ": " + e.Note
}

// GoalSet sets a session's goal by command.
type GoalSet struct {
	Text string `json:"text" jsonschema_description:"the goal"`
}

// Type implements [Event].
func (*GoalSet) Type() string { return TypeGoalSet }

// Summary implements [Summarizer].
func (e *GoalSet) Summary() string { return e.Text }

// HandoffWritten keeps words for the next session of the project.
type HandoffWritten struct {
	Text string `json:"text" jsonschema_description:"what the next session has to know"`
}

// Type implements [Event].
func (*HandoffWritten) Type() string { return TypeHandoffWritten }

// Summary implements [Summarizer].
func (e *HandoffWritten) Summary() string { return e.Text }
