package working

import (
	"regexp"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// Calls of tools that succeeded: which of the other parts of the state take them in.

// target is what a call is about, as far as it can be kept.
func target(c events.Call) string { return wording.Short(c.Target(), maxPath) }

// succeeded takes in a call that succeeded: its file or command, and that its target's failure is mended.
func (s *State) succeeded(r events.Record, e *events.ToolSucceeded) {
	call := events.CallOf(e.ToolName, e.ToolInput)
	s.called(r)
	if e.ToolName == "Bash" {
		s.succeededCommand(r, e, call)
	} else {
		s.mended(r, call, e, outcome.Result{})
	}
	if r.AgentID == "" {
		s.Tools = copies.Push(s.Tools, wording.Short(e.ToolName, maxLine), lastTools)
		s.served(r, e)
		s.sawAnswer(r, e, call)
	}

	switch e.ToolName {
	case "Read":
		if r.AgentID == "" { // else the session itself has not seen it
			s.touched(r, call.File, reads)
		}
	case "Edit", "MultiEdit", "NotebookEdit":
		s.touched(r, call.File, edits)
	case "Write":
		s.touched(r, call.File, changes[events.MemberText(e.ToolResponse, "type") == "create"])
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			s.touched(r, p.Path, changes[p.Kind == "add"])
		}
	case "TodoWrite", "update_plan":
		s.listed(r, e.ToolInput)
	case "ExitPlanMode":
		if plan := call.Input.Plan.Text(); plan != "" {
			s.Task = requestOf(r, plan)
		}
	}
}

// succeededCommand takes in a command that the client calls a success: its own output may say something else.
func (s *State) succeededCommand(r events.Record, e *events.ToolSucceeded, call events.Call) {
	result := outcome.OfSucceeded(call, e.ToolResponse)
	s.mended(r, call, e, result)
	output := events.OutputOf(e.ToolResponse).Text
	s.judged(r, e.Common, call, result, hiddenFailures(call, result, outcome.Shown(output)))
	s.found(call, output)
	s.lacks(r, call, output)
	s.landed(r, call, result, output)
	s.ran(r, e.Cwd, call, result, "")
	s.relocated(e.Cwd, call)
}

// keeping matches the tools of MCP servers, also of a plugin's, that keep something for the session beside its context (S2 tier 1).
var keeping = regexp.MustCompile(`^mcp__(?:plugin_[^_]+_)?(?:serena__activate_project$|(?:pal|zen)__)`)

// continuation is the id by which the MCP servers pal and zen go on with a conversation, also inside of JSON text.
var continuation = regexp.MustCompile(`continuation_id\\*"\s*:\s*\\*"([A-Za-z0-9-]{8,64})`)

// served takes in what MCP servers keep for the session itself.
func (s *State) served(r events.Record, e *events.ToolSucceeded) {
	if !keeping.MatchString(e.ToolName) {
		return
	}
	if m := continuation.FindSubmatch(e.ToolResponse); m != nil {
		s.Thread = noteOf(r, string(m[1]), maxLine)
	} else if project := events.InputOf(e.ToolInput).Project.Text(); project != "" {
		s.Serena = noteOf(r, project, maxLine)
	}
}
