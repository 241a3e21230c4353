package events

import (
	"encoding/json"
	"regexp"
)

// Tools: calls with their outcome, and the permission for them.

// Wire names of this file.
const (
	TypeToolRequested       = "tool.requested"
	TypeToolSucceeded       = "tool.succeeded"
	TypeToolFailed          = "tool.failed"
	TypeToolBatchFinished   = "tool.batch_finished"
	TypePermissionRequested = "permission.requested"
	TypePermissionDenied    = "permission.denied"
)

// ToolRequested records the client's PreToolUse hook: the model asked for a tool; nothing has run yet.
type ToolRequested struct {
	Common
	ToolName  string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool, e.g. Bash, Edit, mcp__server__tool"`
	ToolInput json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what the tool was called with"`
	ToolUseID string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs the request with its outcome"`
	MCPServer *MCPServer      `json:"mcp_server,omitempty" jsonschema_description:"the MCP server behind the tool"`
}

// Type implements [Event].
func (*ToolRequested) Type() string { return TypeToolRequested }

var _ = kind[ToolRequested]("PreToolUse", "the model asked for a tool; nothing has run yet")

// ToolSucceeded records the client's PostToolUse hook: a tool ran and the client calls it a success.
type ToolSucceeded struct {
	Common
	ToolName     string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool, e.g. Bash, Edit, mcp__server__tool"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what the tool was called with"`
	ToolResponse json.RawMessage `json:"tool_response,omitempty" jsonschema_description:"what the tool gave back, an object or a list, specific to the tool"`
	ToolUseID    string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs the request with its outcome"`
	DurationMS   float64         `json:"duration_ms,omitempty" jsonschema_description:"how long the tool ran, milliseconds"`
	MCPServer    *MCPServer      `json:"mcp_server,omitempty" jsonschema_description:"the MCP server behind the tool"`
}

// Type implements [Event].
func (*ToolSucceeded) Type() string { return TypeToolSucceeded }

var _ = kind[ToolSucceeded]("PostToolUse", "a tool ran and the client calls it a success")

// ToolFailed records the client's PostToolUseFailure hook: a tool ran and failed, or was interrupted.
type ToolFailed struct {
	Common
	ToolName    string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool, e.g. Bash, Edit, mcp__server__tool"`
	ToolInput   json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what the tool was called with"`
	ToolUseID   string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs the request with its outcome"`
	Error       string          `json:"error,omitempty" jsonschema_description:"the error as the model sees it"`
	MCPServer   *MCPServer      `json:"mcp_server,omitempty" jsonschema_description:"the server of an MCP tool"`
	IsInterrupt bool            `json:"is_interrupt,omitempty" jsonschema_description:"the user interrupted it"`
	DurationMS  float64         `json:"duration_ms,omitempty" jsonschema_description:"how long the tool ran, milliseconds"`
}

// notRun is the client's error for a call that it did not start or not end: one beside it failed, there is a rule against it, its
// input was not valid, the user interrupted it; or for an edit that changes nothing.
var notRun = regexp.MustCompile(`^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call|Blocked: |Permission to use |Claude requested permissions |` +
	`InputValidationError: |\[Request interrupted by user|Interrupted by user|No changes to make: )`)

// NotRun reports whether the call was not started or not ended: its error says nothing of what it was to do.
func (e *ToolFailed) NotRun() bool { return e.IsInterrupt || notRun.MatchString(e.Error) }

// Type implements [Event].
func (*ToolFailed) Type() string { return TypeToolFailed }

var _ = kind[ToolFailed]("PostToolUseFailure", "a tool ran and failed, or was interrupted")

// ToolBatchFinished records the client's PostToolBatch hook: all calls of one model turn have come back.
type ToolBatchFinished struct {
	Common
	ToolCalls []ToolCall `json:"tool_calls,omitempty" jsonschema_description:"the calls with their results as the model sees them"`
}

// Type implements [Event].
func (*ToolBatchFinished) Type() string { return TypeToolBatchFinished }

var _ = kind[ToolBatchFinished]("PostToolBatch", "all calls of one model turn have come back")

// ToolCall is one call of a finished batch.
type ToolCall struct {
	ToolName     string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what it was called with"`
	ToolUseID    string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs it with its request"`
	ToolResponse json.RawMessage `json:"tool_response,omitempty" jsonschema_description:"a string or content blocks, as the model sees it"`
}

// MCPServer names the server of an MCP tool.
type MCPServer struct {
	Name   string `json:"name,omitempty" jsonschema_description:"the server"`
	Source string `json:"source,omitempty" jsonschema_description:"where it is configured"`
}

// PermissionRequested records the client's PermissionRequest hook: the user was asked for permission.
type PermissionRequested struct {
	Common
	ToolName              string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool, e.g. Bash, Edit, mcp__server__tool"`
	ToolInput             json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what the tool was called with"`
	MCPServer             *MCPServer      `json:"mcp_server,omitempty" jsonschema_description:"the server of an MCP tool"`
	PermissionSuggestions json.RawMessage `json:"permission_suggestions,omitempty" jsonschema_description:"rules that the client offers"`
}

// Type implements [Event].
func (*PermissionRequested) Type() string { return TypePermissionRequested }

var _ = kind[PermissionRequested]("PermissionRequest", "the user was asked for permission")

// PermissionDenied records the client's PermissionDenied hook: permission was refused.
type PermissionDenied struct {
	Common
	ToolName  string          `json:"tool_name,omitempty" jsonschema_description:"name of the tool, e.g. Bash, Edit, mcp__server__tool"`
	ToolInput json.RawMessage `json:"tool_input,omitempty" jsonschema_description:"what the tool was called with"`
	ToolUseID string          `json:"tool_use_id,omitempty" jsonschema_description:"pairs the request with its outcome"`
	MCPServer *MCPServer      `json:"mcp_server,omitempty" jsonschema_description:"the server of an MCP tool"`
	Reason    string          `json:"reason,omitempty" jsonschema_description:"why"`
}

// Type implements [Event].
func (*PermissionDenied) Type() string { return TypePermissionDenied }

var _ = kind[PermissionDenied]("PermissionDenied", "permission was refused")
