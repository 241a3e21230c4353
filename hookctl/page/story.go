package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/projector/session"
)

// Step is one event of a session as the daemon gives it: [past.Step] with entries that are passed on as they are.
type Step struct {
	Record events.Record              `json:"record"`
	Set    map[string]json.RawMessage `json:"set"`
	Gone   []string                   `json:"gone"`
}

// story is one session for the template: its turns, and for the script which row each event belongs to.
type story struct {
	Session session.State
	Turns   []*turn
	Moves   []move
	Tracks  tracks
	Rows    int

	rows    map[string]*row // by id
	calls   map[string]*row // by the client's id of the call
	causes  map[string]*row // by event id
	agents  map[string]*row // by the id of the subagent
	who     insight.Permissions
	compact *row // the compaction that is under way, or whose recovery is
	zone    *time.Location
	by      reader // that the events came by: it remembers their secrets
}

// turn is a prompt with what followed it.
type turn struct {
	Prompt *row
	Rows   []*row
	Tools  string
	Failed int
	Took   string
	Open   bool // shown unfolded
	More   bool // there is more of the prompt than its line
	Told   bool // the agent was told something with it

	tools       map[string]int
	begun, last time.Time
}

// row is one line of the timeline: a call with its permission and outcome, or another event.
type row struct {
	ID    string
	Seq   uint64
	At    string
	Tone  string // good, bad, warn, faint or ""
	Mark  string // one sign for the tone, so that colour is not needed
	State string // the same as a word, where it is not simply done
	Name  string
	What  string
	Note  string
	Rows  []*row // of the subagent that the call started

	records []events.Record
}

// move is what the script needs of a step. The names are short: there are many.
type move struct {
	Seq  uint64                     `json:"q"`
	Time int64                      `json:"t"` // milliseconds since 1970
	Type string                     `json:"y"`
	Row  string                     `json:"r"`
	Set  map[string]json.RawMessage `json:"s,omitempty"`
	Gone []string                   `json:"g,omitempty"`
}

// take adds one event with what it changed of the state.
func (s *story) take(step Step) {
	r := step.Record
	s.who.Take(r)
	to := s.place(r)
	to.records = append(to.records, r)
	s.causes[r.ID] = to
	s.turn(r).last = r.Time

	s.Tracks.take(len(s.Moves), step)
	s.Moves = append(s.Moves, move{Seq: r.Seq, Time: r.Time.UnixMilli(), Type: r.Type, Row: to.ID, Set: step.Set, Gone: step.Gone})
}

// end computes what of the timeline needs the whole session.
func (s *story) end() {
	s.Tracks.end(len(s.Moves))
	for _, c := range s.who.Calls() {
		if n := s.calls[c.ToolUseID]; n != nil {
			n.verdict(c)
		}
	}
	for i, t := range s.Turns {
		t.Tools = cmdline.Counts(t.tools)
		t.Told = len(t.Prompt.records) > 1
		t.Took = wording.Took(t.last.Sub(t.begun))
		t.Open = s.Rows <= 300 || i == len(s.Turns)-1
	}
}

// turn is the newest one; the recorder may have come when the session ran already.
func (s *story) turn(r events.Record) *turn {
	if len(s.Turns) == 0 {
		s.begin(r, "before the first prompt")
	}
	return s.Turns[len(s.Turns)-1]
}

func (s *story) begin(r events.Record, words string) *row {
	p := s.newRow(r)
	p.What = words
	s.Turns = append(s.Turns, &turn{Prompt: p, tools: map[string]int{}, begun: r.Time, last: r.Time})
	return p
}

func (s *story) newRow(r events.Record) *row {
	n := &row{ID: fmt.Sprintf("r%d", r.Seq), Seq: r.Seq, At: r.Time.In(s.zone).Format(time.TimeOnly)}
	if s.rows[n.ID] != nil { // the first event begins a turn, and has a row of its own in it
		n.ID += "a"
	}
	s.rows[n.ID] = n
	return n
}

// add makes a row where the event belongs: below the call that started its subagent, else in the turn.
func (s *story) add(r events.Record, tone, name, what string) *row {
	n := s.newRow(r)
	n.tone(tone, "")
	n.Name, n.What = line(name), line(what)
	s.Rows++
	t := s.turn(r)
	if parent := s.agents[r.AgentID]; r.AgentID != "" && parent != nil {
		parent.Rows = append(parent.Rows, n)
		return n
	}
	t.Rows = append(t.Rows, n)
	return n
}

// marks are the signs of the tones.
var marks = map[string]string{"good": "✓", "bad": "✗", "warn": "!", "faint": "·", "": "›"}

func (n *row) tone(tone, state string) {
	n.Tone, n.Mark, n.State = tone, marks[tone], state
}

// place finds the row that an event belongs to, or makes it.
func (s *story) place(r events.Record) *row {
	if _, told := r.Event.(*events.ContextInjected); told && s.causes[r.Causation] != nil {
		return s.causes[r.Causation]
	}
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		s.compact = nil
		n := s.begin(r, line(e.Headline()))
		s.turn(r).More = strings.TrimSpace(e.Prompt) != n.What
		return n
	case *events.ToolRequested, *events.ToolSucceeded, *events.ToolFailed, *events.ToolBatchFinished, *events.PermissionRequested, *events.PermissionDenied:
		s.compact = nil
		return s.call(r)
	case *events.GateBlocked, *events.GateTriggered, *events.GateReserved, *events.GateReleased, *events.PermissionAutoDenied:
		if n := s.causes[r.Causation]; n != nil { // the call
			return n
		}
	case *events.SubagentStarted, *events.SubagentStopped:
		return s.agent(r)
	case *events.RecordRetracted:
		if n := s.causes[e.Target]; n != nil {
			n.tone("faint", "taken back")
		}
	case *events.CompactionStarted, *events.CompactionFinished, *events.CheckpointCreated, *events.SessionStarted:
		return s.compaction(r)
	}
	return s.other(r)
}

// call finds the row of a tool call.
func (s *story) call(r events.Record) *row {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		n := s.known(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.tone("", "running")
		return n
	case *events.ToolSucceeded:
		n := s.known(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.tone("good", "")
		n.note(insight.Took(e.DurationMS))
		return n
	case *events.ToolFailed:
		n := s.known(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.tone("bad", "failed")
		if e.IsInterrupt {
			n.tone("warn", "interrupted")
		}
		s.turn(r).Failed++
		n.note(insight.Took(e.DurationMS))
		return n
	case *events.PermissionRequested:
		if n := s.calls[s.who.About(r.ID)]; n != nil {
			return n
		}
		return s.other(r)
	case *events.PermissionDenied:
		return s.known(r, e.ToolUseID, e.ToolName, e.ToolInput)
	case *events.ToolBatchFinished:
		for _, c := range e.ToolCalls {
			if n := s.calls[c.ToolUseID]; n != nil {
				return n
			}
		}
	}
	return s.other(r)
}

// known is the row of a call, made with its first event.
func (s *story) known(r events.Record, id, tool string, input json.RawMessage) *row {
	if n := s.calls[id]; n != nil {
		return n
	}
	n := s.add(r, "", tool, insight.Subject(r, input))
	s.calls[id] = n
	s.turn(r).tools[line(tool)]++
	return n
}

func (n *row) note(words string) {
	if words = line(words); words != "" {
		n.Note = strings.TrimPrefix(n.Note+" · "+words, " · ")
	}
}

// verdict notes who allowed or refused a call. A call that needed no question has no note: most need none.
func (n *row) verdict(c insight.Call) {
	switch c.Verdict {
	case insight.Allowed, insight.Unknown:
		return
	case insight.Running:
		n.tone("", "running")
	case insight.Waiting:
		n.tone("warn", c.Verdict.Words())
	case insight.Approved, insight.Bypassed:
		n.note(c.Verdict.Words())
	default:
		n.tone("bad", c.Verdict.Words())
		n.note(c.Words)
	}
	if c.WaitedMS > 0 {
		n.note("after " + wording.Took(time.Duration(c.WaitedMS)*time.Millisecond))
	}
}

// agent puts a subagent below the call that started it.
func (s *story) agent(r events.Record) *row {
	c := r.Event.(events.HookEvent).Hook()
	n := s.agents[c.AgentID]
	if _, ok := r.Event.(*events.SubagentStopped); ok {
		switch {
		case n != nil:
			return n
		case c.AgentType == "" && s.compact != nil: // it wrote the summary
			return s.compact
		}
		return s.other(r)
	}
	if n = s.causes[r.Causation]; n == nil {
		id := r.AgentID
		r.AgentID = "" // it is in its session, not in itself
		n = s.add(r, "", "subagent", c.AgentType)
		r.AgentID = id
	}
	s.agents[c.AgentID] = n
	return n
}

// compaction gathers what belongs to one: its two hooks, the checkpoint before it, and the start after it.
func (s *story) compaction(r events.Record) *row {
	switch e := r.Event.(type) {
	case *events.CheckpointCreated:
		if s.compact == nil || e.Trigger == "command" {
			return s.other(r)
		}
	case *events.SessionStarted:
		if e.Source != "compact" || s.compact == nil {
			return s.other(r)
		}
	case *events.CompactionStarted:
		s.compact = s.add(r, "warn", "context compacted", e.Trigger)
	case *events.CompactionFinished:
		if s.compact == nil {
			s.compact = s.add(r, "warn", "context compacted", e.Trigger)
		}
	}
	return s.compact
}

// other is a row of its own for an event that belongs to no other.
func (s *story) other(r events.Record) *row {
	tone := insight.Tone(r.Type)
	if _, answer := r.Event.(*events.TurnStopped); !answer && (tone == "plain" || tone == "") {
		tone = "faint"
	}
	return s.add(r, strings.TrimPrefix(tone, "plain"), r.Type, insight.Fact(r))
}
