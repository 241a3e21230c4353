package session

import (
	"cmp"
	"maps"
	"slices"

	"hookline/events"
)

// Calls that are under way, and the subagents they started.

// closeCall takes the call that came back out of the open ones.
func (s *State) closeCall(id string) {
	id = events.Clip(id, maxWord)
	if i := slices.IndexFunc(s.Open, func(c Call) bool { return c.ToolUseID == id }); i >= 0 {
		s.Open = append(s.Open[:i:i], s.Open[i+1:]...)
	}
}

// startsAgent reports whether a call of the tool starts a subagent.
func startsAgent(tool string) bool { return tool == "Agent" || tool == "Task" }

// Request finds the event that requested a call that is still open.
func (s State) Request(toolUseID string) string {
	toolUseID = events.Clip(toolUseID, maxWord)
	for _, c := range slices.Backward(s.Open) {
		if c.ToolUseID == toolUseID {
			return c.Event
		}
	}
	return ""
}

// AgentCause returns the event of the Agent call that started a subagent: the one it was matched to, else the oldest open
// one of its type that no other subagent has, else the oldest free one. Empty where there is none,
// as for the subagent that a compaction uses.
func (s State) AgentCause(id, kind string) string {
	if a, ok := s.Agents[events.Clip(id, maxWord)]; ok {
		return a.Cause
	}
	taken := map[string]bool{}
	for _, a := range s.Agents {
		taken[a.Cause] = true
	}
	other := ""
	for _, c := range s.Open {
		switch {
		case taken[c.Event] || !startsAgent(c.Tool):
		case c.AgentKind == kind:
			return c.Event
		case kind != "":
			other = cmp.Or(other, c.Event)
		}
	}
	return other
}

// agentLaunched learns from an Agent call's answer which subagent it started; that is the truth,
// whatever was guessed when the subagent began.
func (s *State) agentLaunched(r events.Record, e *events.ToolSucceeded) {
	id := events.MemberText(e.ToolResponse, "agentId")
	if !startsAgent(e.ToolName) || id == "" || r.Causation == "" {
		return
	}
	a, ok := s.Agents[events.Clip(id, maxWord)]
	if !ok {
		a.Started = r.Time
	}
	a.Cause = r.Causation
	s.agent(id, a)
}

// agent keeps the newest subagents: when full, the one that started first goes.
func (s *State) agent(id string, a Agent) {
	id = events.Clip(id, maxWord)
	if s.Agents == nil {
		s.Agents = map[string]Agent{}
	}
	if _, ok := s.Agents[id]; !ok && len(s.Agents) >= maxAgents {
		delete(s.Agents, slices.MinFunc(slices.Collect(maps.Keys(s.Agents)), func(a, b string) int {
			return cmp.Or(s.Agents[a].Started.Compare(s.Agents[b].Started), cmp.Compare(a, b))
		}))
	}
	s.Agents[id] = a
}
