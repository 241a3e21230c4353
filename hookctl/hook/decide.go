package hook

import (
	"encoding/json"
	"path"
	"strings"

	"hookline/events"
	"hookline/projector/session"
)

// Decide returns the events of one frame, the hook's own first, then what decoding brought up, then those of the
// capabilities. Their order is their order in the log.
func Decide(in Input, w World, r Reader) []events.Envelope {
	d := decider{in: in, w: w}
	d.session = sessionOf(r, in.Session)

	d.own()
	for _, e := range in.Found {
		d.derive(e)
	}
	for _, c := range capabilities {
		d.capability(c, r)
	}
	return d.out
}

// DecideAgain returns the events of the capabilities that decide on every hit, for a hook that another install sent
// first; cause is the event that counted.
func DecideAgain(in Input, w World, r Reader, cause string) []events.Envelope {
	d := decider{in: in, w: w}
	for _, c := range capabilities {
		if c.Every {
			d.capability(c, r)
		}
	}

	for i := range d.out {
		d.out[i].ID = events.DerivedID(in.Frame, i+1)
		d.out[i].Causation = cause
	}
	return d.out
}

// Refusable reports whether a capability can refuse what a hook announces.
func Refusable(e events.Event) bool {
	switch e.(type) {
	case *events.ToolRequested, *events.PermissionRequested, *events.TurnStopped:
		return true
	}
	return false
}

// decider gathers the events of one frame.
type decider struct {
	in      Input
	w       World
	session session.State
	out     []events.Envelope
}

// capability adds the events of one capability.
func (d *decider) capability(c Capability, r Reader) {
	if c.Decide == nil {
		return
	}

	first := len(d.out)
	for _, e := range c.Decide(d.in, d.w, r) {
		d.derive(e)
	}
	if c.Place == nil {
		return
	}

	project, worktree, branch := c.Place(d.w)
	for i := range d.out[first:] {
		env := &d.out[first+i]
		env.Project, env.Worktree, env.Branch = project, worktree, branch
	}
}

// own adds the event of the hook itself; its id is the frame's.
func (d *decider) own() {
	env := d.envelope()
	env.ID, env.Type, env.Version, env.Data, env.Redacted = d.in.Frame, d.in.Kind.Type, d.in.Kind.Version(), d.in.Data, d.in.Redacted
	env.Facts = d.facts()
	if d.in.Hook != nil {
		env.Hook = d.in.Name()
		env.ToolUseID, env.AgentID = ToolUseID(d.in.Event), d.in.Hook.Hook().AgentID
		env.Causation = d.causation()
	}
	d.out = append(d.out, env)
}

// derive adds an event that follows from the hook's own.
func (d *decider) derive(e events.Event) {
	k, ok := events.Lookup(e.Type())
	if !ok {
		return
	}
	data, err := json.Marshal(e)
	if err != nil {
		return // structs of finite numbers and strings; a NaN is refused where it comes in
	}

	env := d.envelope()
	env.ID, env.Type, env.Version, env.Data = events.DerivedID(d.in.Frame, len(d.out)), k.Type, k.Version(), data
	env.Causation = d.in.Frame
	d.out = append(d.out, env)
}

func (d *decider) envelope() events.Envelope {
	env := Around(d.in, d.w)
	if d.in.Session != "" {
		env.Client = clientOf(d.in, d.session)
	}
	env.Time, env.Correlation = d.in.Time, d.in.Session
	return env
}

// Around returns where and in which phase a frame's events belong.
func Around(in Input, w World) events.Envelope {
	return events.Envelope{Session: in.Session, Project: w.Project, Worktree: w.Worktree, Branch: w.Branch, Phase: PhaseOf(in.Event)}
}

// facts keeps of the world's answers what the session does not know yet, and what was odd.
func (d *decider) facts() *events.Facts {
	f, s := d.w.Facts, d.session
	if p := s.Process(); p.PID == f.PID && p.Start == f.PIDStart {
		f.PID, f.PIDStart = 0, 0
	}
	if f.Client == s.Client {
		f.Client = ""
	}
	if f.Entrypoint == s.Entrypoint {
		f.Entrypoint = ""
	}
	if f.LaunchDir == s.LaunchDir {
		f.LaunchDir = ""
	}

	f.Note = d.in.Note()
	if !d.in.Captured.IsZero() {
		f.Captured = d.in.Captured.UnixMilli()
	}
	if d.in.Call.Verb != VerbHook {
		f.Profile = d.in.Call.Verb
	}
	if f == (events.Facts{}) {
		return nil
	}
	return &f
}

// causation: an outcome points to its request, what a subagent does to the call that started it.
func (d *decider) causation() string {
	switch e := d.in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed, *events.PermissionDenied:
		if id := d.session.Request(ToolUseID(e)); id != "" {
			return id
		}
	}
	if c := d.in.Hook.Hook(); c.AgentID != "" {
		return d.session.AgentCause(c.AgentID, c.AgentType)
	}
	return ""
}

// clientOf returns the program whose hook this is: what the hook's command line says, else what its session's start said,
// else what the input looks like. Codex names its transcripts rollout-*.jsonl.
func clientOf(in Input, s session.State) string {
	switch {
	case in.Call.Client != "":
		return in.Call.Client
	case s.Program != "":
		return s.Program
	case in.Hook == nil:
	case strings.HasPrefix(path.Base(strings.ReplaceAll(in.Hook.Hook().TranscriptPath, `\`, "/")), "rollout-"):
		return events.Codex
	}
	return events.ClaudeCode
}

// ToolUseID returns the client's id of the tool call that an event is of, "" for one that is of none. It
// pairs a request with its outcome.
func ToolUseID(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return e.ToolUseID
	case *events.ToolSucceeded:
		return e.ToolUseID
	case *events.ToolFailed:
		return e.ToolUseID
	case *events.PermissionDenied:
		return e.ToolUseID
	}
	return ""
}
