package hook

import (
	"hookline/events"
	"hookline/hookctl/gates"
)

// permission answers the client's question for permission with no where the command is a dangerous
// one; all others are the user's to answer. A frame that waited in the spool was answered
// long ago.
func (j *judge) permission(e *events.PermissionRequested) {
	if !j.active() || j.g.Late || !j.g.Rules.Hooks.AutoDenyDangerous {
		return
	}
	d := j.g.Rules.Dangerous(e.ToolName, j.g.Sent(e.ToolInput))
	if d.Rule == "" {
		return
	}
	denied := &events.PermissionAutoDenied{Tool: e.ToolName, Rule: d.Rule, Reason: d.Reason}
	j.event(denied)
	j.out.Deny = permissionReason(j.in, denied)
}

func permissionReason(in Input, denied *events.PermissionAutoDenied) string {
	e, ok := in.Event.(*events.PermissionRequested)
	if !ok {
		return ""
	}
	return bounded(gates.DangerText(denied.Reason, e.ToolInput))
}
