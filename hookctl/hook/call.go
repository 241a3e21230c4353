package hook

import "hookline/events"

// ToolUseID is the client's id of the tool call that an event is of, "" for one that is of none. It
// pairs a request with its outcome.
func ToolUseID(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return e.ToolUseID
	case *events.ToolSucceeded:
		return e.ToolUseID
	case *events.ToolFailed:
		return e.ToolUseID
	case *events.PermissionDenied:
		return e.ToolUseID
	}
	return ""
}
