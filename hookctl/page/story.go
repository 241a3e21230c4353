package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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

// story is the timeline of one session. The template shows its turns; the script gets its moves, which say the row that
// each event belongs to.
type story struct {
	Session session.State
	Turns   []*turn
	Moves   []move
	Tracks  tracks
	Rows    int

	reader      reader // that read the events: it remembers their secrets
	permissions insight.Permissions

	rows       map[string]*row // by id
	calls      map[string]*row // by the client's id of the call
	byEvent    map[string]*row // by event id
	subagents  map[string]*row // by the id of the subagent
	compaction *row            // the newest one, until the next prompt or call; nil if there is none
}

// turn is a prompt with everything that followed it.
type turn struct {
	Prompt   *row
	Rows     []*row
	Tools    string
	Failed   int
	Took     string
	Open     bool // shown unfolded
	More     bool // the prompt is longer than the line that is shown of it
	Injected bool // context was injected at the prompt

	tools       map[string]int // calls by tool
	begun, last time.Time
}

// maxOpenRows is the number of rows up to which all turns are shown unfolded. Of a longer session only the last one is.
const maxOpenRows = 300

// row is one line of the timeline: a call with its permission and outcome, or another event.
type row struct {
	ID    string
	Seq   uint64
	At    string
	Tone  tone
	Mark  string // one sign for the tone, so that colour is not needed
	State string // the tone in a word; "" where a call is simply done
	Name  string
	What  string
	Note  string
	Rows  []*row // of the subagent that the call started

	records []events.Record
}

// tone says how a row or a session is shown. The style sheet has a class of the same name.
type tone string

const (
	tonePlain tone = ""
	toneGood  tone = "good"
	toneBad   tone = "bad"
	toneWarn  tone = "warn"
	toneFaint tone = "faint"
)

// marks holds the sign of each tone.
var marks = map[tone]string{toneGood: "✓", toneBad: "✗", toneWarn: "!", toneFaint: "·", tonePlain: "›"}

// move is one step for the script. The names are short because a session has many.
type move struct {
	Seq  uint64                     `json:"q"`
	Time int64                      `json:"t"` // milliseconds since 1970
	Type string                     `json:"y"`
	Row  string                     `json:"r"`
	Set  map[string]json.RawMessage `json:"s,omitempty"`
	Gone []string                   `json:"g,omitempty"`
}

func newStory(st session.State, rd reader) *story {
	return &story{
		Session:   st,
		reader:    rd,
		rows:      map[string]*row{},
		calls:     map[string]*row{},
		byEvent:   map[string]*row{},
		subagents: map[string]*row{},
	}
}

// add adds one event with its changes of the state.
func (s *story) add(step Step) {
	r := step.Record
	s.permissions.Take(r)

	n := s.rowFor(r)
	n.records = append(n.records, r)
	s.byEvent[r.ID] = n
	s.currentTurn(r).last = r.Time

	s.Tracks.add(len(s.Moves), step)
	s.Moves = append(s.Moves, move{
		Seq:  r.Seq,
		Time: r.Time.UnixMilli(),
		Type: r.Type,
		Row:  n.ID,
		Set:  step.Set,
		Gone: step.Gone,
	})
}

// finish computes everything that needs the whole session.
func (s *story) finish() {
	s.Tracks.draw(len(s.Moves))

	for _, c := range s.permissions.Calls() {
		if n := s.calls[c.ToolUseID]; n != nil {
			n.addVerdict(c)
		}
	}

	last := len(s.Turns) - 1
	for i, t := range s.Turns {
		t.Tools = cmdline.Counts(t.tools)
		t.Injected = len(t.Prompt.records) > 1
		t.Took = wording.Took(t.last.Sub(t.begun))
		t.Open = s.Rows <= maxOpenRows || i == last
	}
}

// Count returns the size of the timeline in words.
func (s *story) Count() string {
	return cmdline.Plural(len(s.Moves), "event") + ", " + cmdline.Plural(s.Rows, "row")
}

// grep returns the sorted ids of the rows that have an event with the words, in any case of letters.
func (s *story) grep(words string) []string {
	lower := bytes.ToLower([]byte(words))
	matches := func(r events.Record) bool { return bytes.Contains(bytes.ToLower(r.Data), lower) }

	ids := []string{}
	for id, n := range s.rows {
		if slices.ContainsFunc(n.records, matches) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)

	return ids
}

// currentTurn returns the newest turn. If the recording began in the middle of a session, the first event begins one.
func (s *story) currentTurn(r events.Record) *turn {
	if len(s.Turns) == 0 {
		s.beginTurn(r, "before the first prompt")
	}
	return s.Turns[len(s.Turns)-1]
}

// beginTurn adds a turn and returns the row of its prompt.
func (s *story) beginTurn(r events.Record, words string) *row {
	prompt := s.newRow(r)
	prompt.What = words
	s.Turns = append(s.Turns, &turn{Prompt: prompt, tools: map[string]int{}, begun: r.Time, last: r.Time})

	return prompt
}

// newRow returns a row with an id of its own, which is not in a turn yet.
func (s *story) newRow(r events.Record) *row {
	n := &row{
		ID:  fmt.Sprintf("r%d", r.Seq),
		Seq: r.Seq,
		At:  r.Time.In(s.reader.zone).Format(time.TimeOnly),
	}
	if s.rows[n.ID] != nil { // the first event begins a turn, and has a row of its own in it
		n.ID += "a"
	}
	s.rows[n.ID] = n

	return n
}

// addRow adds a row where the event belongs: below the call that started its subagent, else in the turn.
func (s *story) addRow(r events.Record, tone tone, name, what string) *row {
	n := s.newRow(r)
	n.set(tone, "")
	n.Name = line(name)
	n.What = line(what)
	s.Rows++

	t := s.currentTurn(r)
	if parent := s.subagents[r.AgentID]; r.AgentID != "" && parent != nil {
		parent.Rows = append(parent.Rows, n)
		return n
	}
	t.Rows = append(t.Rows, n)

	return n
}

// rowFor returns the row that an event belongs to, and adds it if there is none.
func (s *story) rowFor(r events.Record) *row {
	cause := s.byEvent[r.Causation]

	switch e := r.Event.(type) {
	case *events.ContextInjected:
		if cause != nil {
			return cause
		}
	case *events.PromptSubmitted:
		s.compaction = nil
		n := s.beginTurn(r, line(e.Headline()))
		s.currentTurn(r).More = strings.TrimSpace(e.Prompt) != n.What
		return n
	case *events.ToolRequested, *events.ToolSucceeded, *events.ToolFailed, *events.ToolBatchFinished,
		*events.PermissionRequested, *events.PermissionDenied:
		s.compaction = nil
		return s.rowForCall(r)
	case *events.GateBlocked, *events.GateTriggered, *events.GateReserved, *events.GateReleased,
		*events.PermissionAutoDenied:
		if cause != nil { // the call
			return cause
		}
	case *events.SubagentStarted:
		return s.rowForSubagentStart(r)
	case *events.SubagentStopped:
		return s.rowForSubagentStop(r, e)
	case *events.RecordRetracted:
		if n := s.byEvent[e.Target]; n != nil {
			n.set(toneFaint, "taken back")
		}
	case *events.CompactionStarted, *events.CompactionFinished, *events.CheckpointCreated, *events.SessionStarted:
		return s.rowForCompaction(r)
	}
	return s.addPlainRow(r)
}

// rowForCall returns the row of the tool call that an event is about.
func (s *story) rowForCall(r events.Record) *row {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		n := s.callRow(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.set(tonePlain, "running")
		return n

	case *events.ToolSucceeded:
		n := s.callRow(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.set(toneGood, "")
		n.addNote(insight.Took(e.DurationMS))
		return n

	case *events.ToolFailed:
		n := s.callRow(r, e.ToolUseID, e.ToolName, e.ToolInput)
		n.set(toneBad, "failed")
		if e.IsInterrupt {
			n.set(toneWarn, "interrupted")
		}
		n.addNote(insight.Took(e.DurationMS))
		s.currentTurn(r).Failed++
		return n

	case *events.PermissionRequested:
		if n := s.calls[s.permissions.About(r.ID)]; n != nil {
			return n
		}

	case *events.PermissionDenied:
		return s.callRow(r, e.ToolUseID, e.ToolName, e.ToolInput)

	case *events.ToolBatchFinished:
		for _, c := range e.ToolCalls {
			if n := s.calls[c.ToolUseID]; n != nil {
				return n
			}
		}
	}
	return s.addPlainRow(r)
}

// callRow returns the row of a call by the client's id of the call. The first event of a call adds it.
func (s *story) callRow(r events.Record, id, tool string, input json.RawMessage) *row {
	if n := s.calls[id]; n != nil {
		return n
	}

	n := s.addRow(r, tonePlain, tool, insight.Subject(r, input))
	s.calls[id] = n
	s.currentTurn(r).tools[line(tool)]++

	return n
}

// rowForSubagentStart returns the row of the call that started a subagent, or adds one.
func (s *story) rowForSubagentStart(r events.Record) *row {
	hook := r.Event.(events.HookEvent).Hook()
	n := s.byEvent[r.Causation]
	if n == nil {
		start := r
		start.AgentID = "" // the start belongs to the session, not to the subagent itself
		n = s.addRow(start, tonePlain, "subagent", hook.AgentType)
	}
	s.subagents[hook.AgentID] = n

	return n
}

// rowForSubagentStop returns the row of the subagent that stopped, or adds one.
func (s *story) rowForSubagentStop(r events.Record, e *events.SubagentStopped) *row {
	hook := e.Hook()
	if n := s.subagents[hook.AgentID]; n != nil {
		return n
	}
	if hook.AgentType == "" && s.compaction != nil { // the subagent that wrote the summary
		return s.compaction
	}
	return s.addPlainRow(r)
}

// rowForCompaction returns the row of a compaction, which gathers its two hooks, the checkpoint before it and the start
// after it. Checkpoints and starts that belong to no compaction have rows of their own.
func (s *story) rowForCompaction(r events.Record) *row {
	switch e := r.Event.(type) {
	case *events.CheckpointCreated:
		if s.compaction == nil || e.Trigger == "command" {
			return s.addPlainRow(r)
		}
	case *events.SessionStarted:
		if s.compaction == nil || e.Source != "compact" {
			return s.addPlainRow(r)
		}
	case *events.CompactionStarted:
		s.compaction = s.addRow(r, toneWarn, "context compacted", e.Trigger)
	case *events.CompactionFinished:
		if s.compaction == nil {
			s.compaction = s.addRow(r, toneWarn, "context compacted", e.Trigger)
		}
	}
	return s.compaction
}

// addPlainRow adds a row for an event that belongs to no other row.
func (s *story) addPlainRow(r events.Record) *row {
	return s.addRow(r, toneOf(r), r.Type, insight.Fact(r))
}

// toneOf returns the tone of an event with a row of its own. All are faint that have no tone in lists, but for the
// agent's answers.
func toneOf(r events.Record) tone {
	listed := insight.Tone(r.Type)
	if listed != "plain" && listed != "" {
		return tone(listed)
	}
	if _, answer := r.Event.(*events.TurnStopped); answer {
		return tonePlain
	}
	return toneFaint
}

func (n *row) set(tone tone, state string) {
	n.Tone = tone
	n.Mark = marks[tone]
	n.State = state
}

func (n *row) addNote(words string) {
	n.Note = insight.Join(" · ", n.Note, line(words))
}

// addVerdict notes who allowed or refused a call. A call that needed no question gets no note: most need none.
func (n *row) addVerdict(c insight.Call) {
	switch c.Verdict {
	case insight.Allowed, insight.Unknown:
		return
	case insight.Running:
		n.set(tonePlain, "running")
	case insight.Waiting:
		n.set(toneWarn, c.Verdict.Words())
	case insight.Approved, insight.Bypassed:
		n.addNote(c.Verdict.Words())
	default:
		n.set(toneBad, c.Verdict.Words())
		n.addNote(c.Words)
	}

	if c.WaitedMS > 0 {
		waited := time.Duration(c.WaitedMS) * time.Millisecond
		n.addNote("after " + wording.Took(waited))
	}
}
