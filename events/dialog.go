package events

import "encoding/json"

// What the client and MCP servers show to the user and ask.

// Wire names of this file.
const (
	TypeNotificationSent     = "notification.sent"
	TypeMessageDisplayed     = "message.displayed"
	TypeElicitationRequested = "elicitation.requested"
	TypeElicitationAnswered  = "elicitation.answered"
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
