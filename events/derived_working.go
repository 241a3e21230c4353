package events

import "fmt"

// Working state (S2): what is said of it by command or before a compaction, and how full the context is.

// Wire names of this file.
const (
	TypeContextPhaseChanged = "context.phase_changed"
	TypeCheckpointCreated   = "checkpoint.created"
	TypeGoalSet             = "goal.set"
	TypeHandoffWritten      = "handoff.written"
)

// ContextPhaseChanged records that the use of the context window came into another phase (S2).
type ContextPhaseChanged struct {
	Phase  string `json:"phase" jsonschema_description:"VERBOSE below 40 % of the window, CONDENSED below 70, SIGNALS below 85, else CRITICAL"`
	From   string `json:"from,omitempty" jsonschema_description:"the phase before"`
	Used   int64  `json:"used" jsonschema_description:"tokens in the context; 0 after a compaction, until the next answer is measured"`
	Window int64  `json:"window" jsonschema_description:"tokens that the window has room for"`
	Model  string `json:"model,omitempty" jsonschema_description:"that answered"`
	Source string `json:"source" jsonschema_description:"transcript, statusline or compaction"`
}

// Type implements [Event].
func (*ContextPhaseChanged) Type() string { return TypeContextPhaseChanged }

// Summary implements [Summarizer].
func (e *ContextPhaseChanged) Summary() string {
	return fmt.Sprintf("%s, %d of %d tokens", e.Phase, e.Used, e.Window)
}

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
