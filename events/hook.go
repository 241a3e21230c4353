package events

import "encoding/json"

// Hooks as such: what all of them have, and what came that is none.

// Wire names of this file.
const (
	TypeHookUnrecognized = "hook.unrecognized"
	TypeHookRefused      = "hook.refused"
	TypeFrameConflicted  = "frame.conflicted"
	TypeFrameDuplicated  = "frame.duplicated"
)

// Common holds the fields that the client puts on its hooks (measured on 2.1.329). Not every hook
// has every field; an absent one is the zero value.
type Common struct {
	SessionID      string  `json:"session_id,omitempty" jsonschema_description:"the client's session id, whole"`
	TranscriptPath string  `json:"transcript_path,omitempty" jsonschema_description:"the transcript; it may not exist yet"`
	Cwd            string  `json:"cwd,omitempty" jsonschema_description:"working directory; follows the model's cd"`
	HookEventName  string  `json:"hook_event_name,omitempty" jsonschema_description:"the client's name of the hook"`
	PromptID       string  `json:"prompt_id,omitempty" jsonschema_description:"one per prompt; absent before the first"`
	PermissionMode string  `json:"permission_mode,omitempty" jsonschema_description:"default, acceptEdits, plan, auto, dontAsk or bypassPermissions"`
	Effort         *Effort `json:"effort,omitempty" jsonschema_description:"reasoning effort"`
	AgentID        string  `json:"agent_id,omitempty" jsonschema_description:"inside a subagent: its id"`
	AgentType      string  `json:"agent_type,omitempty" jsonschema_description:"inside a subagent: its type"`
}

// Hook gives the common part of any hook event.
func (c *Common) Hook() *Common { return c }

// HookEvent is an event that a hook of the client caused.
type HookEvent interface {
	Event
	Hook() *Common
}

// Effort is the reasoning effort of a turn.
type Effort struct {
	Level string `json:"level,omitempty" jsonschema_description:"low, medium, high, …"`
}

// HookUnrecognized keeps a hook that this build does not know; its JSON is in the envelope, whole.
type HookUnrecognized struct{ Common }

// Type implements [Event].
func (*HookUnrecognized) Type() string { return TypeHookUnrecognized }

var _ = kind[HookUnrecognized]("", "a hook that this build does not know, kept whole")

// HookRefused records input that is no hook: what came instead, and why it was refused; or a hook whose content was lost.
type HookRefused struct {
	Reason string `json:"reason" jsonschema_description:"empty, truncated, not_an_object, invalid_json, too_deep, no_stdin, or lost: the hook came, but nobody could keep its content"`
	Size   int64  `json:"size" jsonschema_description:"bytes that were read"`
	Head   string `json:"head,omitempty" jsonschema_description:"the first 4096 bytes after redaction; bytes that are no UTF-8 as U+FFFD"`
	Digest string `json:"digest,omitempty" jsonschema_description:"sha256 of the input after redaction"`
	Given  string `json:"given,omitempty" jsonschema_description:"the event name on the command line"`

	ToolUseID string `json:"tool_use_id,omitempty" jsonschema_description:"the tool call of a lost hook"`
}

// Type implements [Event].
func (*HookRefused) Type() string { return TypeHookRefused }

var _ = kind[HookRefused]("", "input that is no hook, with the reason")

// FrameConflicted records a frame that came with the id of another frame but other content.
type FrameConflicted struct {
	Frame  string          `json:"frame" jsonschema_description:"the id both used"`
	Digest string          `json:"digest" jsonschema_description:"sha256 of the refused content"`
	Data   json.RawMessage `json:"data,omitempty" jsonschema_description:"the refused content, so that nothing is lost"`
}

// Type implements [Event].
func (*FrameConflicted) Type() string { return TypeFrameConflicted }

var _ = kind[FrameConflicted]("", "a frame id came twice with different content; the second was refused")

// FrameDuplicated records that a second install sends the same hooks; once per session and install.
type FrameDuplicated struct {
	Original string `json:"original" jsonschema_description:"event that counted"`
	Install  string `json:"install" jsonschema_description:"the second install: path of its hookctl"`
	First    string `json:"first,omitempty" jsonschema_description:"the first install"`
}

// Type implements [Event].
func (*FrameDuplicated) Type() string { return TypeFrameDuplicated }

var _ = kind[FrameDuplicated]("", "a second install sends the same hooks")
