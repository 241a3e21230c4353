package hook

import (
	"testing"

	"hookline/events"
	"hookline/expect"
)

// The four events of a tool call carry its id; nothing else does.
func TestToolUseID(t *testing.T) {
	for _, tc := range []struct {
		event events.Event
		want  string
	}{
		{&events.ToolRequested{ToolUseID: "a"}, "a"},
		{&events.ToolSucceeded{ToolUseID: "b"}, "b"},
		{&events.ToolFailed{ToolUseID: "c"}, "c"},
		{&events.PermissionDenied{ToolUseID: "d"}, "d"},
		{&events.ToolRequested{}, ""},
		{&events.SessionStarted{}, ""},
		{nil, ""},
	} {
		expect.Equal(t, ToolUseID(tc.event), tc.want, tc.event)
	}
}
