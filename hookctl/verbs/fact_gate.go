package verbs

import (
	"fmt"
	"strings"

	"hookline/events"
)

// gateFact covers gate.*: which requirements, and what became of them; and what was refused for the user.
func gateFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.GateSatisfied:
		return join(", ", e.Name, "by "+e.By, e.Skill), true
	case *events.GateTriggered:
		return e.Name, true
	case *events.GateReserved:
		return join(", ", e.Name, e.ToolUseID), true
	case *events.GateReleased:
		return join(", ", e.Name, e.Reason), true
	case *events.GateSwitched:
		if e.On {
			return e.Dir + ": on again", true
		}
		return e.Dir + ": off, " + e.Reason, true
	case *events.GateBlocked:
		return join(": ", e.Tool, strings.Join(e.Names, ", ")), true
	case *events.GateStopBlocked:
		return strings.Join(e.Names, ", "), true
	case *events.GateCleared:
		name := e.Name
		if name == "" {
			name = "all"
		}
		return join(", ", name, strings.ReplaceAll(e.Reason, "_", " ")), true
	case *events.GateConfigInvalid:
		return join(": ", e.File, e.Requirement, e.Message), true
	case *events.PermissionAutoDenied:
		return join(": ", e.Tool, e.Reason), true
	case *events.GateImported:
		return fmt.Sprintf("%s: %d requirements, %d sessions", e.File, len(e.Gates), len(e.Sessions)), true
	}
	return "", false
}
