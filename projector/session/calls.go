package session

import (
	"encoding/json"

	"hookline/events"
)

// Calls that are under way, and the subagents they started.

func open(calls []Call, c Call) []Call {
	if c.ToolUseID == "" {
		return calls
	}
	calls = append(calls, c)
	if len(calls) > maxOpen {
		calls = calls[len(calls)-maxOpen:]
	}
	return calls
}

func closeCall(calls []Call, id string) []Call {
	id = events.Clip(id, maxWord)
	for i, c := range calls {
		if c.ToolUseID == id {
			return append(calls[:i:i], calls[i+1:]...)
		}
	}
	return calls
}

// Request finds the event that requested a call that is still open.
func (s State) Request(toolUseID string) string {
	toolUseID = events.Clip(toolUseID, maxWord)
	for i := len(s.Open) - 1; i >= 0; i-- {
		if s.Open[i].ToolUseID == toolUseID {
			return s.Open[i].Event
		}
	}
	return ""
}

// AgentCause finds the Agent call behind a subagent: the one it was matched to, else the oldest open
// one of its type that no other subagent has, else the oldest free one. Empty where there is none,
// as for the subagent that a compaction uses.
func (s State) AgentCause(id, kind string) string {
	if a, ok := s.Agents[events.Clip(id, maxWord)]; ok {
		return a.Cause
	}
	if i := s.freeAgentCall(kind); i >= 0 {
		return s.Open[i].Event
	}
	return ""
}

func (s State) freeAgentCall(kind string) int {
	any := -1
	for i, c := range s.Open {
		if c.Claimed || (c.Tool != "Agent" && c.Tool != "Task") {
			continue
		}
		if c.AgentKind == kind {
			return i
		}
		if any < 0 && kind != "" {
			any = i
		}
	}
	return any
}

func (s State) agentStarted(r events.Record, c *events.Common) State {
	if c.AgentID == "" {
		return s
	}
	a := Agent{Kind: events.Clip(c.AgentType, maxWord), Started: r.Time, Cause: r.Causation}
	if i := s.freeAgentCall(c.AgentType); i >= 0 && s.Open[i].Event == r.Causation {
		s.Open[i].Claimed = true
	}
	return s.agent(c.AgentID, a)
}

func (s State) agentStopped(r events.Record, c *events.Common) State {
	a, ok := s.Agents[events.Clip(c.AgentID, maxWord)]
	if !ok || c.AgentID == "" {
		return s
	}
	at := r.Time
	a.Stopped = &at
	return s.agent(c.AgentID, a)
}

// agentLaunched learns from an Agent call's answer which subagent it started; that is the truth,
// whatever was guessed when the subagent began.
func (s State) agentLaunched(r events.Record, e *events.ToolSucceeded) State {
	if e.ToolName != "Agent" && e.ToolName != "Task" {
		return s
	}
	var out struct {
		ID string `json:"agentId"`
	}
	if json.Unmarshal(e.ToolResponse, &out) != nil || out.ID == "" || r.Causation == "" {
		return s
	}
	a, ok := s.Agents[events.Clip(out.ID, maxWord)]
	if !ok {
		a.Started = r.Time
	}
	a.Cause = r.Causation
	return s.agent(out.ID, a)
}

// agent keeps the newest subagents: when full, the one that stopped first goes.
func (s State) agent(id string, a Agent) State {
	id = events.Clip(id, maxWord)
	if s.Agents == nil {
		s.Agents = map[string]Agent{}
	}
	if _, ok := s.Agents[id]; !ok && len(s.Agents) >= maxAgents {
		delete(s.Agents, oldestAgent(s.Agents))
	}
	s.Agents[id] = a
	return s
}

func oldestAgent(m map[string]Agent) string {
	oldest := ""
	for id, a := range m {
		o, ok := m[oldest]
		if !ok || a.Started.Before(o.Started) || (a.Started.Equal(o.Started) && id < oldest) {
			oldest = id
		}
	}
	return oldest
}

func agentKind(e *events.ToolRequested) string {
	if e.ToolName != "Agent" && e.ToolName != "Task" {
		return ""
	}
	var in struct {
		Kind string `json:"subagent_type"`
	}
	if json.Unmarshal(e.ToolInput, &in) != nil {
		return ""
	}
	return events.Clip(in.Kind, maxWord)
}
