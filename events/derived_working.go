package events

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Working state (S2): what is said of it by command or before a compaction, and how full the context is.

// Wire names of this file.
const (
	TypeContextPhaseChanged = "context.phase_changed"
	TypeTurnWarned          = "turn.warned"
	TypeWorkplaceSurveyed   = "workplace.surveyed"
	TypeCheckpointCreated   = "checkpoint.created"
	TypeCheckpointRestored  = "checkpoint.restored"
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

var _ = kind[ContextPhaseChanged]("", "the use of the context window came into another phase")

// Summary implements [Summarizer].
func (e *ContextPhaseChanged) Summary() string {
	return fmt.Sprintf("%s, %d of %d tokens", e.Phase, e.Used, e.Window)
}

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

// TurnWarned records what the end of a turn was warned of, or held for.
type TurnWarned struct {
	Causes     []TurnCause `json:"causes" jsonschema_description:"why"`
	Held       bool        `json:"held,omitempty" jsonschema_description:"the turn was not let end: evidence is strict"`
	Confidence int         `json:"confidence" jsonschema_description:"0 to 100; from 80 on the task counts as done"`
	Used       int64       `json:"used,omitempty" jsonschema_description:"tokens in the context"`
	Window     int64       `json:"window,omitempty" jsonschema_description:"tokens that it has room for"`
}

// TurnCause is one thing that is not as it should be at a turn's end.
type TurnCause struct {
	Cause string `json:"cause" jsonschema_description:"context, evidence, sync or next_steps"`
	Text  string `json:"text" jsonschema_description:"in words"`
	Event string `json:"event" jsonschema_description:"id of the event that it is about"`
}

// Type implements [Event].
func (*TurnWarned) Type() string { return TypeTurnWarned }

var _ = kind[TurnWarned]("", "the end of a turn was warned of something, or held for it")

// Summary implements [Summarizer].
func (e *TurnWarned) Summary() string {
	causes := make([]string, 0, len(e.Causes))
	for _, c := range e.Causes {
		causes = append(causes, c.Cause)
	}
	if e.Held {
		return "held: " + strings.Join(causes, ", ")
	}
	return strings.Join(causes, ", ")
}

// Type implements [Event].
func (*HandoffWritten) Type() string { return TypeHandoffWritten }

var _ = kind[HandoffWritten]("", "what the next session of the project has to know")

// Summary implements [Summarizer].
func (e *HandoffWritten) Summary() string { return e.Text }

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

// WorkplaceSurveyed records what a start found where its session works.
type WorkplaceSurveyed struct {
	Changed []string   `json:"changed,omitempty" jsonschema_description:"files that look otherwise than when the session saw them last, at most 40"`
	Gone    string     `json:"gone,omitempty" jsonschema_description:"the work tree, where it is not there any more"`
	Tracker string     `json:"tracker,omitempty" jsonschema_description:"bd or br"`
	Issues  []WorkItem `json:"issues,omitempty" jsonschema_description:"in progress, then ready, at most 5"`
}

// WorkItem is an issue that waits to be worked on.
type WorkItem struct {
	ID     string `json:"id" jsonschema_description:"the tracker's"`
	Title  string `json:"title" jsonschema_description:"shortened"`
	Status string `json:"status,omitempty" jsonschema_description:"the tracker's"`
}

// Type implements [Event].
func (*WorkplaceSurveyed) Type() string { return TypeWorkplaceSurveyed }

var _ = kind[WorkplaceSurveyed]("", "what a start found where its session works: files that changed, issues that wait")

// Summary implements [Summarizer].
func (e *WorkplaceSurveyed) Summary() string {
	return fmt.Sprintf("%d files changed, %d issues", len(e.Changed), len(e.Issues))
}
