package events

import "encoding/json"

// What happens around a session.

// Wire names of this file.
const (
	TypeNotificationSent          = "notification.sent"
	TypeMessageDisplayed          = "message.displayed"
	TypeCwdChanged                = "cwd.changed"
	TypeFileChanged               = "file.changed"
	TypeDirectoryAdded            = "directory.added"
	TypeWorktreeCreationRequested = "worktree.creation_requested"
	TypeWorktreeRemoved           = "worktree.removed"
	TypeElicitationRequested      = "elicitation.requested"
	TypeElicitationAnswered       = "elicitation.answered"
)

// NotificationSent records the client's Notification hook: the client notified the user.
type NotificationSent struct {
	Common
	Message          string `json:"message,omitempty" jsonschema_description:"the text"`
	Title            string `json:"title,omitempty" jsonschema_description:"its title"`
	NotificationType string `json:"notification_type,omitempty" jsonschema_description:"permission_prompt, idle_prompt, …"`
}

// Type implements [Event].
func (*NotificationSent) Type() string { return TypeNotificationSent }

var _ = kind[NotificationSent]("Notification", "the client notified the user")

// MessageDisplayed records the client's MessageDisplay hook: a piece of the answer was shown; not installed by default.
type MessageDisplayed struct {
	Common
	TurnID    string `json:"turn_id,omitempty" jsonschema_description:"the turn"`
	MessageID string `json:"message_id,omitempty" jsonschema_description:"the message"`
	Index     int64  `json:"index,omitempty" jsonschema_description:"number of the piece"`
	Final     bool   `json:"final,omitempty" jsonschema_description:"the last piece"`
	Delta     string `json:"delta,omitempty" jsonschema_description:"the text"`
}

// Type implements [Event].
func (*MessageDisplayed) Type() string { return TypeMessageDisplayed }

var _ = kind[MessageDisplayed]("MessageDisplay", "a piece of the answer was shown; not installed by default")

// CwdChanged records the client's CwdChanged hook: the working directory moved.
type CwdChanged struct {
	Common
	OldCwd string `json:"old_cwd,omitempty" jsonschema_description:"before"`
	NewCwd string `json:"new_cwd,omitempty" jsonschema_description:"after"`
}

// Type implements [Event].
func (*CwdChanged) Type() string { return TypeCwdChanged }

var _ = kind[CwdChanged]("CwdChanged", "the working directory moved")

// FileChanged records the client's FileChanged hook: a watched file changed outside the tools.
type FileChanged struct {
	Common
	FilePath string `json:"file_path,omitempty" jsonschema_description:"the file"`
	Event    string `json:"event,omitempty" jsonschema_description:"add, change or unlink"`
}

// Type implements [Event].
func (*FileChanged) Type() string { return TypeFileChanged }

var _ = kind[FileChanged]("FileChanged", "a watched file changed outside the tools")

// DirectoryAdded records the client's DirectoryAdded hook: a directory was added to the session.
type DirectoryAdded struct {
	Common
	Directory string `json:"directory,omitempty" jsonschema_description:"the directory"`
	Source    string `json:"source,omitempty" jsonschema_description:"who added it"`
}

// Type implements [Event].
func (*DirectoryAdded) Type() string { return TypeDirectoryAdded }

var _ = kind[DirectoryAdded]("DirectoryAdded", "a directory was added to the session")

// WorktreeCreationRequested records the client's WorktreeCreate hook: the client wants a work tree; not installed, its answer would replace git.
type WorktreeCreationRequested struct {
	Common
	Name string `json:"name,omitempty" jsonschema_description:"name of the work tree"`
}

// Type implements [Event].
func (*WorktreeCreationRequested) Type() string { return TypeWorktreeCreationRequested }

var _ = kind[WorktreeCreationRequested]("WorktreeCreate", "the client wants a work tree; not installed, its answer would replace git")

// WorktreeRemoved records the client's WorktreeRemove hook: a work tree was removed.
type WorktreeRemoved struct {
	Common
	WorktreePath string `json:"worktree_path,omitempty" jsonschema_description:"where it was"`
}

// Type implements [Event].
func (*WorktreeRemoved) Type() string { return TypeWorktreeRemoved }

var _ = kind[WorktreeRemoved]("WorktreeRemove", "a work tree was removed")

// ElicitationRequested records the client's Elicitation hook: an MCP server asked the user for input.
type ElicitationRequested struct {
	Common
	MCPServerName   string          `json:"mcp_server_name,omitempty" jsonschema_description:"the server"`
	Message         string          `json:"message,omitempty" jsonschema_description:"the question"`
	Mode            string          `json:"mode,omitempty" jsonschema_description:"e.g. form"`
	RequestedSchema json.RawMessage `json:"requested_schema,omitempty" jsonschema_description:"the form"`
	URL             string          `json:"url,omitempty" jsonschema_description:"page that the user is sent to, in mode url"`
	ElicitationID   string          `json:"elicitation_id,omitempty" jsonschema_description:"pairs the question with its answer"`
}

// Type implements [Event].
func (*ElicitationRequested) Type() string { return TypeElicitationRequested }

var _ = kind[ElicitationRequested]("Elicitation", "an MCP server asked the user for input")

// ElicitationAnswered records the client's ElicitationResult hook: the user answered an MCP server.
type ElicitationAnswered struct {
	Common
	MCPServerName string          `json:"mcp_server_name,omitempty" jsonschema_description:"the server"`
	Mode          string          `json:"mode,omitempty" jsonschema_description:"e.g. form"`
	Action        string          `json:"action,omitempty" jsonschema_description:"accept, decline or cancel"`
	Content       json.RawMessage `json:"content,omitempty" jsonschema_description:"the answer"`
	URL           string          `json:"url,omitempty" jsonschema_description:"page that the user was sent to, in mode url"`
	ElicitationID string          `json:"elicitation_id,omitempty" jsonschema_description:"pairs the question with its answer"`
}

// Type implements [Event].
func (*ElicitationAnswered) Type() string { return TypeElicitationAnswered }

var _ = kind[ElicitationAnswered]("ElicitationResult", "the user answered an MCP server")
