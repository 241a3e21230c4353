package insight

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"time"

	"hookline/events"
)

// Verdict says who let a tool call run, or who did not.
type Verdict string

// All verdicts.
const (
	Approved     Verdict = "approved"              // the user was asked, and it ran
	Allowed      Verdict = "allowed"               // it ran without a question: by a rule or the mode
	Bypassed     Verdict = "bypassed"              // it ran in the mode that asks for nothing
	ByUser       Verdict = "refused_by_user"       // at the question
	ByClassifier Verdict = "refused_by_classifier" // of the mode auto
	ByHook       Verdict = "refused_by_hook"       // somebody else's
	ByGate       Verdict = "refused_by_gate"       // of this product
	ByClient     Verdict = "refused_by_client"     // a rule or the mode, or no user could be asked
	Waiting      Verdict = "waiting"               // the user was asked and has not answered
	Running      Verdict = "running"               // nothing has come back
	Unknown      Verdict = "unknown"
)

// verdictWords are the verdicts for people.
var verdictWords = map[Verdict]string{
	Approved: "asked and approved", Allowed: "allowed by rule or mode", Bypassed: "bypassed", ByUser: "refused by the user",
	ByClassifier: "refused by the classifier", ByHook: "refused by a hook", ByGate: "refused by a gate",
	ByClient: "refused by the client", Waiting: "waiting for permission", Running: "running", Unknown: "unknown",
}

// Verdicts are all verdicts, in the order in which they are shown.
var Verdicts = []Verdict{Approved, Allowed, Bypassed, ByUser, ByClassifier, ByHook, ByGate, ByClient, Waiting, Running, Unknown}

// Words are a verdict for people.
func (v Verdict) Words() string { return verdictWords[v] }

// Call is one tool call of a session with its verdict.
type Call struct {
	ToolUseID string          `json:"tool_use_id" jsonschema_description:"the client's id of the call"`
	Event     string          `json:"event" jsonschema_description:"id of the event that requested it"`
	Seq       uint64          `json:"seq" jsonschema_description:"its sequence"`
	Time      time.Time       `json:"time" jsonschema_description:"when it was requested"`
	Agent     string          `json:"agent_id,omitempty" jsonschema_description:"of the subagent that made it"`
	Prompt    string          `json:"prompt_id,omitempty" jsonschema_description:"the client's id of the prompt"`
	Tool      string          `json:"tool" jsonschema_description:"name"`
	Input     json.RawMessage `json:"-"`
	Mode      string          `json:"mode,omitempty" jsonschema_description:"permission mode at the request"`
	Verdict   Verdict         `json:"verdict" jsonschema_description:"approved, allowed, bypassed, refused_by_user, refused_by_classifier, refused_by_hook, refused_by_gate, refused_by_client, waiting, running or unknown"`
	Words     string          `json:"words,omitempty" jsonschema_description:"why it was refused, as it was said"`
	Asked     bool            `json:"asked,omitempty" jsonschema_description:"the user was asked"`
	WaitedMS  int64           `json:"waited_ms,omitempty" jsonschema_description:"from the question to the answer, where that is known"`

	question time.Time
	doubt    bool // whether it was asked about is not known
	ran      bool
	closed   bool
}

// Permissions finds who allowed each call of one session. The zero value is ready; take all events of the session, in
// the order of the log. Used by one goroutine.
type Permissions struct {
	calls []*Call
	by    map[string]*Call // by the client's id, and by those of the events that requested it and asked for it
	ended bool
}

// Take adds one event.
func (p *Permissions) Take(r events.Record) {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		p.ended = false
		p.add(&Call{ToolUseID: e.ToolUseID, Event: r.ID, Seq: r.Seq, Time: r.Time, Agent: e.AgentID, Prompt: e.PromptID,
			Tool: e.ToolName, Input: e.ToolInput, Mode: e.PermissionMode})
	case *events.PermissionRequested:
		p.question(r, e)
	case *events.ToolSucceeded:
		p.outcome(r, e.ToolUseID, e.ToolName, e.ToolInput, e.DurationMS)
	case *events.ToolFailed:
		p.outcome(r, e.ToolUseID, e.ToolName, e.ToolInput, e.DurationMS)
	case *events.PermissionDenied:
		p.refuse(p.by[e.ToolUseID], ByClassifier, e.Reason)
	case *events.GateBlocked:
		p.refuse(cmp.Or(p.by[r.ToolUseID], p.by[r.Causation]), ByGate, strings.Join(e.Names, ", "))
	case *events.PermissionAutoDenied:
		p.refuse(cmp.Or(p.by[r.ToolUseID], p.by[r.Causation]), ByGate, e.Reason)
	case *events.ToolBatchFinished:
		for _, c := range e.ToolCalls {
			p.answered(r, c, len(e.ToolCalls) == 1)
		}
	case *events.SessionEnded, *events.SessionReaped:
		p.ended = true
	case *events.PromptSubmitted:
		for _, c := range p.calls { // of the session itself, left open by an earlier prompt: an interrupt has no event
			if !c.closed && c.Agent == "" && c.Prompt != "" && c.Prompt != e.PromptID && e.PromptID != "" {
				c.closed, c.doubt = true, true
			}
		}
	}
}

func (p *Permissions) add(c *Call) {
	if p.by == nil {
		p.by = map[string]*Call{}
	}
	if c.ToolUseID == "" || p.by[c.ToolUseID] != nil {
		return // another installation, or a client that sends no id
	}
	p.calls = append(p.calls, c)
	p.by[c.ToolUseID] = c
	p.by[c.Event] = c
}

// question joins a question with the call that it is about. It has no id: it is of the same agent, prompt, tool and
// input. Where several open calls are so, or only some with another input, which a hook may have changed, all of them are
// in doubt.
func (p *Permissions) question(r events.Record, e *events.PermissionRequested) {
	var same, alike []*Call
	for _, c := range p.calls {
		if c.closed || c.Tool != e.ToolName || c.Agent != e.AgentID || c.Prompt != e.PromptID {
			continue
		}
		alike = append(alike, c)
		if sameJSON(c.Input, e.ToolInput) {
			same = append(same, c)
		}
	}

	if len(same) == 1 {
		c := same[0]
		c.Asked, c.question = true, r.Time
		p.by[r.ID] = c
		return
	}
	if len(same) > 1 {
		alike = same
	}
	for _, c := range alike {
		c.doubt = true
	}
}

// outcome takes in that a call ran, or that one was asked for before recording began.
func (p *Permissions) outcome(r events.Record, id, tool string, input json.RawMessage, tookMS float64) {
	c := p.by[id]
	if c == nil {
		c = &Call{ToolUseID: id, Event: r.ID, Seq: r.Seq, Time: r.Time, Agent: r.AgentID, Tool: tool, Input: input, doubt: true}
		p.add(c)
	}
	if c.closed {
		return
	}
	c.ran, c.closed = true, true
	if !c.question.IsZero() {
		c.waited(r.Time.Add(-time.Duration(tookMS) * time.Millisecond))
	}
}

func (c *Call) waited(until time.Time) { c.WaitedMS = max(0, until.Sub(c.question).Milliseconds()) }

// About is the client's id of the call that the event of a question is about, "" where that is not known.
func (p *Permissions) About(event string) string {
	if c := p.by[event]; c != nil {
		return c.ToolUseID
	}
	return ""
}

// refuse takes in who refused a call. The first refusal is the one that counts.
func (p *Permissions) refuse(c *Call, by Verdict, words string) {
	if c == nil || c.Verdict != "" || c.ran {
		return
	}
	c.Verdict, c.Words, c.closed = by, words, true
	c.Asked = false
}

// refusals are the client's words of a call that did not run (2.1.330).
var refusals = []struct {
	by   Verdict
	text string
}{
	{ByUser, "The user doesn't want to proceed with this tool use."},
	{ByUser, "The user doesn't want to take this action right now."},
	{ByClassifier, "Permission for this action was denied by the Claude Code auto mode classifier."},
	{ByClient, "Claude requested permissions to "},
	{ByClient, "Permission to use "},
	{ByClient, "Permission for this tool use was denied."},
}

// approval is what the client says of a call that it had to ask about (2.1.330).
var approval = regexp.MustCompile(`\b(needs|need|requires|require) approval\b`)

// answered takes in what the model was given for a call, which says why one did not run.
func (p *Permissions) answered(r events.Record, t events.ToolCall, alone bool) {
	c := p.by[t.ToolUseID]
	if c == nil || c.closed {
		return
	}

	text := Text(t.ToolResponse)
	c.closed = true
	if strings.HasPrefix(text, "PreToolUse:") && strings.Contains(text, " hook error: ") {
		_, c.Words, _ = strings.Cut(text, " hook error: ")
		c.Verdict = ByHook
		return
	}
	for _, k := range refusals {
		if !strings.HasPrefix(text, k.text) {
			continue
		}
		c.Verdict = k.by
		_, words, said := strings.Cut(text, "user said:")
		switch {
		case said:
			c.Verdict = ByUser
			c.Words = strings.TrimSpace(words)
		case k.by != ByUser:
			c.Words = text
		}
		c.Asked = c.Verdict == ByUser
		if c.Verdict == ByUser && alone && !c.question.IsZero() {
			c.waited(r.Time)
		}
		return
	}
	if c.Asked && approval.MatchString(text) { // in a print run no user can be asked
		c.Verdict, c.Words, c.Asked = ByClient, text, false
		return
	}
	c.doubt = true // its outcome was lost, or the client has new words
}

// Calls are the calls with their verdicts, in the order of their requests.
func (p *Permissions) Calls() []Call {
	out := make([]Call, 0, len(p.calls))
	for _, c := range p.calls {
		done := *c
		if done.Verdict == "" {
			done.Verdict = p.verdict(c)
		}
		out = append(out, done)
	}
	return out
}

func (p *Permissions) verdict(c *Call) Verdict {
	switch {
	case c.ran && c.doubt:
		return Unknown
	case c.ran && c.Asked:
		return Approved
	case c.ran && c.Mode == "bypassPermissions":
		return Bypassed
	case c.ran && c.Mode != "":
		return Allowed
	case c.ran, c.closed, c.doubt, p.ended:
		return Unknown
	case c.Asked:
		return Waiting
	}
	return Running
}

// Count is how often each verdict stands in a list, those that do not stand there left out.
func Count(calls []Call) map[Verdict]int {
	out := map[Verdict]int{}
	for _, c := range calls {
		out[c.Verdict]++
	}
	return out
}

// Text is a JSON string, the texts of content blocks, or the beginning of a text that is kept outside of the event.
func Text(raw json.RawMessage) string {
	if text := events.Text(raw); text != "" {
		return text
	}
	if events.Member(raw, "$blob") != nil {
		return events.MemberText(raw, "head") + "\n… (" + string(events.Member(raw, "size")) + " bytes in all)"
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &blocks) // what has another form has no text
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return Join("\n", parts...)
}

// sameJSON says whether two values are equal, whatever the order of their members.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
