package events

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Turns: prompts, what ends a turn, and who else works in it: subagents, teammates and tasks.

// Wire names of this file.
const (
	TypePromptSubmitted = "prompt.submitted"
	TypePromptExpanded  = "prompt.expanded"
	TypeTurnStopped     = "turn.stopped"
	TypeTurnFailed      = "turn.failed"
	TypeTurnInterrupted = "turn.interrupted"
	TypeTurnWarned      = "turn.warned"
	TypeSubagentStarted = "subagent.started"
	TypeSubagentStopped = "subagent.stopped"
	TypeTeammateIdled   = "teammate.idled"
	TypeTaskCreated     = "task.created"
	TypeTaskCompleted   = "task.completed"
)

// PromptSubmitted records the client's UserPromptSubmit hook: a prompt was submitted, by the user or by a finished background task.
type PromptSubmitted struct {
	Common
	Prompt       string `json:"prompt,omitempty" jsonschema_description:"the text"`
	Source       string `json:"source,omitempty" jsonschema_description:"who submitted it, where the client tells: user, sdk, system, loop_wakeup, schedule_wakeup, poll_event"`
	SessionTitle string `json:"session_title,omitempty" jsonschema_description:"the session's title, once it has one"`
}

// Type implements [Event].
func (*PromptSubmitted) Type() string { return TypePromptSubmitted }

var _ = kind[PromptSubmitted]("UserPromptSubmit", "a prompt was submitted, by the user or by a finished background task")

// clientPrompt matches the beginning of a prompt that the client writes: of a task's end, another agent, a command of its own, an
// interruption, a context that was cut, a skill that was loaded.
var clientPrompt = regexp.MustCompile(`^(<(task-notification|teammate-message|agent-message|cross-session-message|command-name|local-command|bash-|system-reminder)|\[Request interrupted|` +
	`Another Claude session sent a message[^\n<]{0,60}\s*<|Caveat: The messages below|This session is being continued from a previous conversation|Base directory for this skill: |Stop hook feedback:)`)

// editorTags match what an editor puts before the user's words: the file that is open, the lines that are selected.
var editorTags = regexp.MustCompile(`(?s)^(<ide_\w+>.*?</ide_\w+>\s*)+`)

// UserText is what the user wrote, "" for a prompt that is not the user's own: the client's, a schedule's, a loop's.
func (e *PromptSubmitted) UserText() string {
	switch e.Source {
	case "", "user", "sdk":
		text := strings.TrimSpace(e.Prompt)
		if !clientPrompt.MatchString(text) {
			return editorTags.ReplaceAllString(text, "")
		}
	}
	return ""
}

// notified matches what a notification of a background task says: its summary, and the event where there is one.
var notified = regexp.MustCompile(`(?s)^<task-notification>.*?<summary>(.*?)</summary>\s*(?:<event>(.*?)</event>)?`)

// Headline is what people read of a prompt in a list: the user's words, what a notification says, or else all of it.
func (e *PromptSubmitted) Headline() string {
	if text := e.UserText(); text != "" {
		return text
	}

	text := strings.TrimSpace(e.Prompt)
	if said := notified.FindStringSubmatch(text); said != nil {
		text = strings.TrimSuffix("notification: "+said[1]+": "+said[2], ": ")
	}
	return text
}

// PromptExpanded records the client's UserPromptExpansion hook: a slash command was expanded into a prompt.
type PromptExpanded struct {
	Common
	ExpansionType string `json:"expansion_type,omitempty" jsonschema_description:"e.g. slash_command"`
	CommandName   string `json:"command_name,omitempty" jsonschema_description:"the command"`
	CommandArgs   string `json:"command_args,omitempty" jsonschema_description:"its arguments"`
	CommandSource string `json:"command_source,omitempty" jsonschema_description:"where the command comes from"`
	Prompt        string `json:"prompt,omitempty" jsonschema_description:"the text as typed"`
}

// Type implements [Event].
func (*PromptExpanded) Type() string { return TypePromptExpanded }

var _ = kind[PromptExpanded]("UserPromptExpansion", "a slash command was expanded into a prompt")

// TurnStopped records the client's Stop hook: the model stopped; background work may still run.
type TurnStopped struct {
	Common
	StopHookActive       bool             `json:"stop_hook_active,omitempty" jsonschema_description:"the turn goes on because of an earlier Stop hook"`
	LastAssistantMessage string           `json:"last_assistant_message,omitempty" jsonschema_description:"the last text of the model"`
	BackgroundTasks      []BackgroundTask `json:"background_tasks,omitempty" jsonschema_description:"what still runs in the background"`
	SessionCrons         json.RawMessage  `json:"session_crons,omitempty" jsonschema_description:"scheduled prompts of the session"`
}

// Type implements [Event].
func (*TurnStopped) Type() string { return TypeTurnStopped }

var _ = kind[TurnStopped]("Stop", "the model stopped; background work may still run")

// TurnFailed records the client's StopFailure hook: a turn ended with an error of the API.
type TurnFailed struct {
	Common
	Error                string `json:"error,omitempty" jsonschema_description:"rate_limit, authentication_failed, unknown, …"`
	ErrorDetails         string `json:"error_details,omitempty" jsonschema_description:"more words, where there are some"`
	LastAssistantMessage string `json:"last_assistant_message,omitempty" jsonschema_description:"the last text of the model"`
}

// Type implements [Event].
func (*TurnFailed) Type() string { return TypeTurnFailed }

var _ = kind[TurnFailed]("StopFailure", "a turn ended with an error of the API")

// TurnInterrupted records Codex' Interrupt hook: the user interrupted the turn.
type TurnInterrupted struct {
	Common
	TurnID string `json:"turn_id,omitempty" jsonschema_description:"the turn"`
}

// Type implements [Event].
func (*TurnInterrupted) Type() string { return TypeTurnInterrupted }

var _ = kind[TurnInterrupted]("Interrupt", "the user interrupted a turn; Codex alone tells of it")

// TurnWarned records what the end of a turn was warned of, or held for.
type TurnWarned struct {
	Causes     []TurnCause `json:"causes" jsonschema_description:"why"`
	Held       bool        `json:"held,omitempty" jsonschema_description:"the turn was not let end: evidence is strict"`
	Confidence int         `json:"confidence" jsonschema_description:"0 to 100; from 80 on the task counts as done"`
	Used       int64       `json:"used,omitempty" jsonschema_description:"tokens in the context"`
	Window     int64       `json:"window,omitempty" jsonschema_description:"tokens that it has room for"`
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

// TurnCause is one thing that is not as it should be at a turn's end.
type TurnCause struct {
	Cause string `json:"cause" jsonschema_description:"context, evidence, sync or next_steps"`
	Text  string `json:"text" jsonschema_description:"in words"`
	Event string `json:"event" jsonschema_description:"id of the event that it is about"`
}

// BackgroundTask is work that goes on after a turn stopped.
type BackgroundTask struct {
	ID          string `json:"id,omitempty" jsonschema_description:"agent id or shell id"`
	Kind        string `json:"type,omitempty" jsonschema_description:"subagent or shell"`
	Status      string `json:"status,omitempty" jsonschema_description:"running, …"`
	Description string `json:"description,omitempty" jsonschema_description:"what it does"`
	AgentType   string `json:"agent_type,omitempty" jsonschema_description:"type of a subagent"`
	Command     string `json:"command,omitempty" jsonschema_description:"of a shell"`
	Name        string `json:"name,omitempty" jsonschema_description:"of a subagent or teammate"`
	Server      string `json:"server,omitempty" jsonschema_description:"of an MCP task: the server"`
	Tool        string `json:"tool,omitempty" jsonschema_description:"of an MCP task: the tool"`
}

// SubagentStarted records the client's SubagentStart hook: a subagent began.
type SubagentStarted struct {
	Common
}

// Type implements [Event].
func (*SubagentStarted) Type() string { return TypeSubagentStarted }

var _ = kind[SubagentStarted]("SubagentStart", "a subagent began")

// SubagentStopped records the client's SubagentStop hook: a subagent stopped; agent_type is empty for the compaction's own.
type SubagentStopped struct {
	Common
	StopHookActive       bool             `json:"stop_hook_active,omitempty" jsonschema_description:"it goes on because of an earlier hook"`
	AgentTranscriptPath  string           `json:"agent_transcript_path,omitempty" jsonschema_description:"its transcript"`
	LastAssistantMessage string           `json:"last_assistant_message,omitempty" jsonschema_description:"its last text"`
	BackgroundTasks      []BackgroundTask `json:"background_tasks,omitempty" jsonschema_description:"what still runs in the background"`
	SessionCrons         json.RawMessage  `json:"session_crons,omitempty" jsonschema_description:"scheduled prompts of the session"`
}

// Type implements [Event].
func (*SubagentStopped) Type() string { return TypeSubagentStopped }

var _ = kind[SubagentStopped]("SubagentStop", "a subagent stopped; agent_type is empty for the compaction's own")

// TeammateIdled records the client's TeammateIdle hook: a teammate has nothing to do.
type TeammateIdled struct {
	Common
	TeammateName string `json:"teammate_name,omitempty" jsonschema_description:"who"`
	TeamName     string `json:"team_name,omitempty" jsonschema_description:"of which team"`
}

// Type implements [Event].
func (*TeammateIdled) Type() string { return TypeTeammateIdled }

var _ = kind[TeammateIdled]("TeammateIdle", "a teammate has nothing to do")

// TaskCreated records the client's TaskCreated hook: a task was put on the list.
type TaskCreated struct {
	Common
	TaskID          string `json:"task_id,omitempty" jsonschema_description:"the task"`
	TaskSubject     string `json:"task_subject,omitempty" jsonschema_description:"its title"`
	TaskDescription string `json:"task_description,omitempty" jsonschema_description:"its text"`
	TeammateName    string `json:"teammate_name,omitempty" jsonschema_description:"whose it is"`
	TeamName        string `json:"team_name,omitempty" jsonschema_description:"of which team"`
}

// Type implements [Event].
func (*TaskCreated) Type() string { return TypeTaskCreated }

var _ = kind[TaskCreated]("TaskCreated", "a task was put on the list")

// TaskCompleted records the client's TaskCompleted hook: a task was marked as done.
type TaskCompleted TaskCreated

// Type implements [Event].
func (*TaskCompleted) Type() string { return TypeTaskCompleted }

var _ = kind[TaskCompleted]("TaskCompleted", "a task was marked as done")
