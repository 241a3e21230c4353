package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Bounds of a [Course].
const (
	maxRecent = 32
	maxWaits  = 8
)

// Course is how a session goes: what its newest turn came to, and what repeats in it.
type Course struct {
	Turn         bool     `json:"turn,omitempty" jsonschema_description:"a turn is under way"`
	Idle         bool     `json:"idle,omitempty" jsonschema_description:"the model has stopped, and no agent but something else runs in the background"`
	Cut          bool     `json:"cut,omitempty" jsonschema_description:"the session ended with calls under way"`
	Waits        []Wait   `json:"waits,omitempty" jsonschema_description:"questions for permission that are not answered, at most 8"`
	ClientReason string   `json:"said,omitempty" jsonschema_description:"reason that the client gave for an end of the session, also when later hooks came"`
	Error        string   `json:"error,omitempty" jsonschema_description:"the API error that the newest turn ended with"`
	Details      string   `json:"details,omitempty" jsonschema_description:"the words of that error"`
	Tool         string   `json:"tool,omitempty" jsonschema_description:"name of the tool that was called last"`
	Same         int      `json:"same,omitempty" jsonschema_description:"number of times in a row that the newest call was made"`
	Failed       int      `json:"failed,omitempty" jsonschema_description:"number of calls in a row that failed"`
	Repeated     int      `json:"repeated,omitempty" jsonschema_description:"number of calls in a row that were all made before, without an edit or a prompt"`
	Compactions  int      `json:"compactions,omitempty" jsonschema_description:"number of automatic compactions in a row with fewer than 3 calls between"`
	Calls        int      `json:"calls,omitempty" jsonschema_description:"number of calls since the newest compaction"`
	Recent       []uint32 `json:"seen,omitempty" jsonschema_description:"hashes of calls since the newest edit or prompt, at most 32"`
}

// Wait is a question for permission.
type Wait struct {
	Tool  string    `json:"tool" jsonschema_description:"name of the tool that permission is wanted for"`
	Since time.Time `json:"since" jsonschema_description:"when the question was asked"`
	Event string    `json:"event" jsonschema_description:"id of the question's event"`
	Agent string    `json:"agent_id,omitempty" jsonschema_description:"id of the subagent that asks; absent for the session itself"`
	Call  uint32    `json:"call" jsonschema_description:"hash of the call that permission is wanted for"`
}

// wanted returns what the user is asked for: one tool is a question itself.
func (w Wait) wanted() string {
	if w.Tool == "AskUserQuestion" {
		return "an answer to its question"
	}
	return "permission to call " + w.Tool
}

// prompted begins a turn. Questions of subagents go on in the background.
func (c *Course) prompted() { *c = Course{Turn: true, Waits: c.agentWaits()} }

// stopped ends a turn, unless work goes on in the background.
func (c *Course) stopped(e *events.TurnStopped) {
	running := len(e.BackgroundTasks) > 0
	agents := slices.ContainsFunc(e.BackgroundTasks, func(t events.BackgroundTask) bool { return t.Kind != "shell" })
	*c = Course{Turn: running, Idle: running && !agents, Waits: c.agentWaits()}
}

func (c *Course) interrupted() { *c = Course{Waits: c.agentWaits()} }

// turnFailed ends a turn with an error of the API. The client's own words for the error stand in the details or in the
// last message.
func (c *Course) turnFailed(e *events.TurnFailed) {
	*c = Course{
		Error:        cmp.Or(wording.Clip(e.Error, maxWord), "unknown"),
		Details:      cmp.Or(wording.Short(e.ErrorDetails, maxWord), wording.Short(e.LastAssistantMessage, maxWord)),
		ClientReason: c.ClientReason,
	}
}

// compacted counts automatic compactions that follow each other with hardly a call between.
func (c *Course) compacted(e *events.CompactionFinished) {
	automatic := e.Trigger == "auto"
	if !automatic || c.Calls >= loopedCalls {
		c.Compactions = 0
	}
	if automatic {
		c.Compactions++
		c.Calls = 0
	}
}

// asked takes in a question for permission.
func (c *Course) asked(w Wait) { c.Waits = copies.Push(slices.Clone(c.Waits), w, maxWaits) }

// answered drops the questions that were answered.
func (c *Course) answered(which func(Wait) bool) {
	c.Waits = slices.DeleteFunc(slices.Clone(c.Waits), which)
}

// agentWaits returns the questions of subagents.
func (c *Course) agentWaits() []Wait {
	return slices.DeleteFunc(slices.Clone(c.Waits), func(w Wait) bool { return w.Agent == "" })
}

func (c *Course) succeeded(e *events.ToolSucceeded) {
	c.callAnswered(e.AgentID, e.ToolName, e.ToolInput)
	c.Failed = 0
	switch e.ToolName {
	case "Edit", "MultiEdit", "Write", "NotebookEdit", events.ToolPatch:
		c.Recent, c.Repeated = nil, 0
	}
}

func (c *Course) callFailed(e *events.ToolFailed) {
	c.callAnswered(e.AgentID, e.ToolName, e.ToolInput)
	if !e.IsInterrupt {
		c.Failed++
	}
}

// callAnswered drops the questions about a call that came back.
func (c *Course) callAnswered(agent, tool string, input json.RawMessage) {
	if len(c.Waits) == 0 {
		return
	}
	call := hashCall(agent, tool, input)
	c.answered(func(w Wait) bool { return w.Call == call })
}

// requested counts a call, and compares it with those before.
func (c *Course) requested(e *events.ToolRequested) {
	if e.AgentID == "" {
		c.Turn = true
		c.Idle = false
		c.Error, c.Details, c.ClientReason = "", "", ""
	}
	c.Calls++
	if polls(e) {
		return
	}

	call := hashCall(e.AgentID, e.ToolName, e.ToolInput)
	if n := len(c.Recent); n > 0 && c.Recent[n-1] == call {
		c.Same++
		c.Repeated++
		return
	}

	if slices.Contains(c.Recent, call) {
		c.Repeated++
	} else {
		c.Repeated = 0
	}
	c.Same = 1
	c.Tool = wording.Clip(e.ToolName, maxWord)
	others, _ := copies.Take(c.Recent, func(other uint32) bool { return other == call })
	c.Recent = copies.Push(others, call, maxRecent)
}

// polls reports whether a call waits for something: it is made again on purpose.
func polls(e *events.ToolRequested) bool {
	if e.ToolName == "Bash" {
		return slices.Contains(strings.Fields(events.InputOf(e.ToolInput).Command.Text()), "sleep")
	}
	return strings.HasSuffix(e.ToolName, "Output") || e.ToolName == "Monitor"
}

func hashCall(agent, tool string, input json.RawMessage) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s\x00%s", agent, tool, input)
	return h.Sum32()
}
