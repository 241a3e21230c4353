package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Calls that are under way, and the subagents they started.

// Call is a tool call that was requested and has not come back.
type Call struct {
	ToolUseID string `json:"tool_use_id" jsonschema_description:"the client's id of the call"`
	Event     string `json:"event" jsonschema_description:"id of the event that requested the call"`
	Tool      string `json:"tool,omitempty" jsonschema_description:"name of the tool"`
	AgentKind string `json:"agent_kind,omitempty" jsonschema_description:"kind of the subagent that the call starts; absent for other calls"`
}

// Agent is one subagent.
type Agent struct {
	Kind    string     `json:"kind,omitempty" jsonschema_description:"kind of the subagent"`
	Cause   string     `json:"cause,omitempty" jsonschema_description:"id of the event of the call that started the subagent"`
	Started time.Time  `json:"started" jsonschema_description:"when the subagent started"`
	Stopped *time.Time `json:"stopped,omitempty" jsonschema_description:"when the subagent stopped; absent while it runs"`
}

func (s *State) toolRequested(r events.Record, e *events.ToolRequested) {
	s.Course.requested(e)
	s.Start.carried(r)
	s.Tools = count(s.Tools, e.ToolName)
	if e.ToolUseID == "" {
		return
	}

	c := Call{
		ToolUseID: wording.Clip(e.ToolUseID, maxWord),
		Event:     r.ID,
		Tool:      wording.Clip(e.ToolName, maxWord),
	}
	if startsAgent(e.ToolName) {
		c.AgentKind = wording.Clip(events.InputOf(e.ToolInput).SubagentType.Text(), maxWord)
	}
	s.Open = copies.Push(s.Open, c, maxOpen)
}

func (s *State) permissionRequested(r events.Record, e *events.PermissionRequested) {
	s.Course.asked(Wait{
		Tool:  wording.Clip(e.ToolName, maxWord),
		Since: r.Time,
		Event: r.ID,
		Agent: wording.Clip(e.AgentID, maxWord),
		Call:  hashCall(e.AgentID, e.ToolName, e.ToolInput),
	})
}

func (s *State) permissionAutoDenied(r events.Record, _ *events.PermissionAutoDenied) {
	s.Course.answered(func(w Wait) bool { return w.Event == r.Causation })
}

func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	s.Course.succeeded(e)
	s.Start.carried(r)
	s.Attention.add(r, sizeOf(e.ToolInput)+sizeOf(e.ToolResponse))
	s.agentLaunched(r, e)
	if e.ToolName == "Skill" {
		s.Skills++
	}
	s.closeCall(e.ToolUseID)
}

func (s *State) toolFailed(r events.Record, e *events.ToolFailed) {
	s.Course.callFailed(e)
	s.Start.carried(r)
	s.Attention.add(r, sizeOf(e.ToolInput)+len(e.Error))
	s.Failures++
	s.closeCall(e.ToolUseID)
}

func (s *State) toolBatchFinished(_ events.Record, e *events.ToolBatchFinished) {
	agent := wording.Clip(e.AgentID, maxWord)
	s.Course.answered(func(w Wait) bool { return w.Agent == agent })
	for _, call := range e.ToolCalls {
		s.closeCall(call.ToolUseID)
	}
}

func (s *State) subagentStarted(r events.Record, e *events.SubagentStarted) {
	if e.AgentID == "" {
		return
	}
	s.setAgent(e.AgentID, Agent{Kind: wording.Clip(e.AgentType, maxWord), Started: r.Time, Cause: r.Causation})
}

func (s *State) subagentStopped(r events.Record, e *events.SubagentStopped) {
	id := wording.Clip(e.AgentID, maxWord)
	s.Course.answered(func(w Wait) bool { return w.Agent == id })

	a, known := s.Agents[id]
	if !known {
		return
	}
	a.Stopped = &r.Time
	s.setAgent(e.AgentID, a)
}

// closeCall takes the call that came back out of the open ones.
func (s *State) closeCall(id string) {
	id = wording.Clip(id, maxWord)
	i := slices.IndexFunc(s.Open, func(c Call) bool { return c.ToolUseID == id })
	if i < 0 {
		return
	}
	s.Open = append(s.Open[:i:i], s.Open[i+1:]...)
}

// startsAgent reports whether a call of the tool starts a subagent.
func startsAgent(tool string) bool { return tool == "Agent" || tool == "Task" }

// Request returns the id of the event that requested a call, "" where no such call is open.
func (s State) Request(toolUseID string) string {
	toolUseID = wording.Clip(toolUseID, maxWord)
	for _, c := range slices.Backward(s.Open) {
		if c.ToolUseID == toolUseID {
			return c.Event
		}
	}
	return ""
}

// AgentCause returns the event of the Agent call that started a subagent: the one it was matched to, else the oldest
// open one of its type that no other subagent has, else the oldest free one. Empty where there is none, as for the
// subagent that a compaction uses.
func (s State) AgentCause(id, kind string) string {
	if a, known := s.Agents[wording.Clip(id, maxWord)]; known {
		return a.Cause
	}

	matched := map[string]bool{} // calls that other subagents have
	for _, a := range s.Agents {
		matched[a.Cause] = true
	}

	oldestFree := ""
	for _, c := range s.Open {
		if matched[c.Event] || !startsAgent(c.Tool) {
			continue
		}
		if c.AgentKind == kind {
			return c.Event
		}
		if kind != "" {
			oldestFree = cmp.Or(oldestFree, c.Event)
		}
	}
	return oldestFree
}

// agentLaunched learns from an Agent call's answer which subagent it started; that is the truth,
// whatever was guessed when the subagent began.
func (s *State) agentLaunched(r events.Record, e *events.ToolSucceeded) {
	if !startsAgent(e.ToolName) || r.Causation == "" {
		return
	}
	id := events.MemberText(e.ToolResponse, "agentId")
	if id == "" {
		return
	}

	a, known := s.Agents[wording.Clip(id, maxWord)]
	if !known {
		a.Started = r.Time
	}
	a.Cause = r.Causation
	s.setAgent(id, a)
}

// setAgent keeps the newest subagents: when full, the one that started first goes.
func (s *State) setAgent(id string, a Agent) {
	id = wording.Clip(id, maxWord)
	if s.Agents == nil {
		s.Agents = map[string]Agent{}
	}
	if _, known := s.Agents[id]; !known && len(s.Agents) >= maxAgents {
		delete(s.Agents, s.firstAgent())
	}
	s.Agents[id] = a
}

// firstAgent returns the id of the subagent that started first; of two that of the smaller id.
func (s *State) firstAgent() string {
	ids := slices.Collect(maps.Keys(s.Agents))
	return slices.MinFunc(ids, func(a, b string) int {
		return cmp.Or(s.Agents[a].Started.Compare(s.Agents[b].Started), cmp.Compare(a, b))
	})
}
