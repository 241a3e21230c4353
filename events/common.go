package events

import "encoding/json"

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

// MCPServer names the server of an MCP tool.
type MCPServer struct {
	Name   string `json:"name,omitempty" jsonschema_description:"the server"`
	Source string `json:"source,omitempty" jsonschema_description:"where it is configured"`
}

// ToolCall is one call of a finished batch.
type ToolCall struct {
	ToolName     string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what it was called with"`
	ToolUseID    string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs it with its request"`
	ToolResponse json.RawMessage `json:"tool_response,omitempty" jsonschema_description:"a string or content blocks, as the model sees it"`
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

// HookUnrecognized keeps a hook that this build does not know; its JSON is in the envelope, whole.
type HookUnrecognized struct{ Common }

// Type implements [Event].
func (*HookUnrecognized) Type() string { return TypeHookUnrecognized }

var _ = kind[HookUnrecognized]("", "a hook that this build does not know, kept whole")
