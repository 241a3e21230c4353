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
)

// Bounds from which on a session counts as stuck. The recorded healthy sessions stay below half of each.
const (
	sameCalls     = 5  // equal calls in a row, polling left out
	failedCalls   = 8  // in a row
	repeatedCalls = 16 // in a row that were all made before, without an edit or a prompt
	loopedTimes   = 3  // automatic compactions in a row with fewer than loopedCalls between
	loopedCalls   = 3
	maxSeen       = 32
	maxWaits      = 8
)

// Course is how a session goes: what its newest turn came to, and what repeats in it.
type Course struct {
	Turn        bool     `json:"turn,omitempty" jsonschema_description:"a turn is under way"`
	Idle        bool     `json:"idle,omitempty" jsonschema_description:"the model has stopped, and no agent but something else runs in the background"`
	Cut         bool     `json:"cut,omitempty" jsonschema_description:"it ended with calls under way"`
	Waits       []Wait   `json:"waits,omitempty" jsonschema_description:"questions for permission that are not answered, at most 8"`
	Said        string   `json:"said,omitempty" jsonschema_description:"reason of an end that the client told, also when later hooks came"`
	Error       string   `json:"error,omitempty" jsonschema_description:"API error that the newest turn ended with"`
	Details     string   `json:"details,omitempty" jsonschema_description:"words of that error"`
	Tool        string   `json:"tool,omitempty" jsonschema_description:"of the newest call"`
	Same        int      `json:"same,omitempty" jsonschema_description:"how often in a row the newest call was made"`
	Failed      int      `json:"failed,omitempty" jsonschema_description:"calls in a row that failed"`
	Repeated    int      `json:"repeated,omitempty" jsonschema_description:"calls in a row that were all made before, without an edit or a prompt"`
	Compactions int      `json:"compactions,omitempty" jsonschema_description:"automatic ones in a row with fewer than 3 calls between"`
	Calls       int      `json:"calls,omitempty" jsonschema_description:"since the newest compaction"`
	Seen        []uint32 `json:"seen,omitempty" jsonschema_description:"hashes of calls since the newest edit or prompt, at most 32"`
}

// Wait is a question for permission.
type Wait struct {
	Tool  string    `json:"tool" jsonschema_description:"name"`
	Since time.Time `json:"since" jsonschema_description:"when it was asked"`
	Event string    `json:"event" jsonschema_description:"id of the question's event"`
	Agent string    `json:"agent_id,omitempty" jsonschema_description:"of the subagent that wants it"`
	Call  uint32    `json:"call" jsonschema_description:"hash of the call"`
}

// what is what the user is asked for: one tool is a question itself.
func (w Wait) what() string {
	if w.Tool == "AskUserQuestion" {
		return "an answer to its question"
	}
	return "permission to call " + w.Tool
}

// Kinds of [Standing].
const (
	Working        = "working"
	WaitsForPrompt = "waiting_for_prompt"
	WaitsForLeave  = "waiting_for_permission"
	SameCall       = "same_call"
	ErrorStreak    = "error_streak"
	NoProgress     = "no_progress"
	CompactionLoop = "compaction_loop"
	APIError       = "api_error"
	Limit          = "limit"
	Clean          = "clean"
	Killed         = "killed"
	Silent         = "silent"
	Unknown        = "unknown"
)

// Standing says how a live session stands, or why another ended.
type Standing struct {
	Kind  string     `json:"kind" jsonschema_description:"live: working, waiting_for_prompt, waiting_for_permission, same_call, error_streak, no_progress, compaction_loop, api_error, limit; ended: clean, api_error, limit, killed, silent, waiting_for_permission, compaction_loop, unknown"`
	Words string     `json:"words" jsonschema_description:"the same for people"`
	Stuck bool       `json:"stuck,omitempty" jsonschema_description:"it goes on and gets nowhere"`
	Needs bool       `json:"needs_you,omitempty" jsonschema_description:"it waits for the user"`
	Since *time.Time `json:"since,omitempty" jsonschema_description:"when permission was asked for"`
}

// Standing gives how a session stands or why it ended.
func (s State) Standing() Standing {
	if s.Status != Live {
		return s.ending()
	}
	c := s.Course
	switch {
	case len(c.Waits) > 0:
		w := c.Waits[0]
		return Standing{WaitsForLeave, "waiting for " + w.what(), false, true, &w.Since}
	case c.Error != "":
		return c.failed(true)
	case !c.Turn || c.Idle: // a server may run in the background
		return Standing{WaitsForPrompt, "waiting for a prompt", false, true, nil}
	case c.Compactions >= loopedTimes:
		return Standing{CompactionLoop, fmt.Sprintf("compacted %d times in a row", c.Compactions), true, false, nil}
	case c.Same >= sameCalls:
		return Standing{SameCall, fmt.Sprintf("the same call of %s %d times in a row", c.Tool, c.Same), true, false, nil}
	case c.Failed >= failedCalls:
		return Standing{ErrorStreak, fmt.Sprintf("%d calls in a row failed", c.Failed), true, false, nil}
	case c.Repeated >= repeatedCalls:
		return Standing{NoProgress, fmt.Sprintf("%d calls in a row were made before, and nothing was changed", c.Repeated), true, false, nil}
	}
	return Standing{Working, "working", false, false, nil}
}

// ending is why a session ended. The client gives the reason "other" for the end of a print run and for a signal.
func (s State) ending() Standing {
	c := s.Course
	reason := s.EndReason
	if c.Said != "" {
		reason = c.Said // hooks that the client does not wait for came later, and the process went
	}
	clean := Standing{Clean, "ended cleanly: " + strings.ReplaceAll(reason, "_", " "), false, false, nil}
	gone := s.Status == Reaped && c.Said == ""
	switch {
	case !gone && (reason == "clear" || reason == "resume" || reason == "logout"):
		return clean
	case c.Error != "":
		return c.failed(false)
	case c.Compactions >= loopedTimes && c.Turn:
		return Standing{CompactionLoop, fmt.Sprintf("ended after %d compactions in a row", c.Compactions), false, false, nil}
	case !gone && reason == "prompt_input_exit":
		return clean
	case len(c.Waits) > 0:
		w := c.Waits[0]
		return Standing{WaitsForLeave, "ended after it asked for " + w.what() + ", and before that came back", false, false, &w.Since}
	case gone && s.EndReason == "process_gone":
		return Standing{Killed, "killed: its process is gone", false, false, nil}
	case gone:
		return Standing{Silent, "nothing was heard of it any more", false, false, nil}
	case !c.Turn || c.Idle:
		return clean
	case c.Cut:
		return Standing{Killed, "killed while a tool ran", false, false, nil}
	}
	return Standing{Unknown, "ended in the middle of a turn, it is not known why", false, false, nil}
}

func (c Course) failed(live bool) Standing {
	s := Standing{Kind: APIError, Words: "its last turn failed: API error " + c.Error, Needs: live}
	words := strings.ToLower(c.Details)
	limit := c.Error == "rate_limit" || c.Error == "billing_error"
	if c.Error == "unknown" {
		limit = strings.Contains(words, "usage limit") || strings.Contains(words, "hit your") && strings.Contains(words, "limit")
	}
	if limit {
		s.Kind = Limit
		s.Words = "its last turn failed at a limit: " + c.Error
	}
	if c.Details != "" {
		s.Words += ": " + c.Details
	}
	return s
}

// course takes in what one record says of how the session goes.
func (s *State) course(r events.Record) {
	c := &s.Course
	switch e := r.Event.(type) {
	case *events.SessionStarted:
		if e.Source != "compact" {
			*c = Course{}
		}
	case *events.PromptSubmitted:
		*c = Course{Turn: true, Waits: c.ofAgents()}
	case *events.TurnStopped:
		running := len(e.BackgroundTasks) > 0
		agents := slices.ContainsFunc(e.BackgroundTasks, func(t events.BackgroundTask) bool { return t.Kind != "shell" })
		*c = Course{Turn: running, Idle: running && !agents, Waits: c.ofAgents()}
	case *events.SubagentStopped:
		c.answered(func(w Wait) bool { return w.Agent == events.Clip(e.AgentID, maxWord) })
	case *events.TurnInterrupted:
		*c = Course{Waits: c.ofAgents()}
	case *events.SessionEnded:
		c.Said = events.Clip(e.Reason, maxWord)
	case *events.TurnFailed:
		details := cmp.Or(events.Short(e.ErrorDetails, maxWord), events.Short(e.LastAssistantMessage, maxWord)) // where the client's own words for the error stand
		*c = Course{Error: cmp.Or(events.Clip(e.Error, maxWord), "unknown"), Details: details, Said: c.Said}
	case *events.CompactionFinished:
		if e.Trigger != "auto" || c.Calls >= loopedCalls {
			c.Compactions = 0
		}
		if e.Trigger == "auto" {
			c.Compactions++
			c.Calls = 0
		}
	case *events.ToolRequested:
		c.requested(e)
	case *events.PermissionRequested:
		w := Wait{Tool: events.Clip(e.ToolName, maxWord), Since: r.Time, Event: r.ID, Agent: events.Clip(e.AgentID, maxWord), Call: hashCall(e.AgentID, e.ToolName, e.ToolInput)}
		c.Waits = events.Push(slices.Clone(c.Waits), w, maxWaits)
	case *events.PermissionAutoDenied:
		c.answered(func(w Wait) bool { return w.Event == r.Causation })
	case *events.ToolSucceeded:
		c.answered(func(w Wait) bool { return w.Call == hashCall(e.AgentID, e.ToolName, e.ToolInput) })
		c.Failed = 0
		switch e.ToolName {
		case "Edit", "MultiEdit", "Write", "NotebookEdit", events.ToolPatch:
			c.Seen, c.Repeated = nil, 0
		}
	case *events.ToolFailed:
		c.answered(func(w Wait) bool { return w.Call == hashCall(e.AgentID, e.ToolName, e.ToolInput) })
		if !e.IsInterrupt {
			c.Failed++
		}
	case *events.ToolBatchFinished:
		c.answered(func(w Wait) bool { return w.Agent == events.Clip(e.AgentID, maxWord) })
		for _, t := range e.ToolCalls {
			s.closeCall(t.ToolUseID)
		}
	}
}

// ofAgents are the questions of subagents, which go on in the background.
func (c *Course) ofAgents() []Wait {
	return slices.DeleteFunc(slices.Clone(c.Waits), func(w Wait) bool { return w.Agent == "" })
}

// answered drops the questions that were answered.
func (c *Course) answered(which func(Wait) bool) {
	c.Waits = slices.DeleteFunc(slices.Clone(c.Waits), which)
}

func (c *Course) requested(e *events.ToolRequested) {
	if e.AgentID == "" {
		c.Turn = true
		c.Idle = false
		c.Error, c.Details, c.Said = "", "", ""
	}
	c.Calls++
	if polls(e) {
		return
	}

	hash := hashCall(e.AgentID, e.ToolName, e.ToolInput)
	switch {
	case len(c.Seen) > 0 && c.Seen[len(c.Seen)-1] == hash:
		c.Same++
		c.Repeated++
		return
	case slices.Contains(c.Seen, hash):
		c.Repeated++
	default:
		c.Repeated = 0
	}
	c.Same, c.Tool = 1, events.Clip(e.ToolName, maxWord)
	seen := slices.DeleteFunc(slices.Clone(c.Seen), func(h uint32) bool { return h == hash })
	c.Seen = events.Push(seen, hash, maxSeen)
}

// polls reports whether a call waits for something: it is made again on purpose.
func polls(e *events.ToolRequested) bool {
	if e.ToolName == "Bash" {
		return slices.Contains(strings.Fields(events.MemberText(e.ToolInput, "command")), "sleep")
	}
	return strings.HasSuffix(e.ToolName, "Output") || e.ToolName == "Monitor"
}

func hashCall(agent, tool string, input json.RawMessage) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s\x00%s", agent, tool, input)
	return h.Sum32()
}
