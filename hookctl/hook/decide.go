package hook

import (
	"encoding/json"

	"hookline/events"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// World is what was asked of the machine for this frame.
type World struct {
	Project  string // id
	Worktree string
	Branch   string
	Gates    *Gates // nil: none apply
	Verdict  Verdict
	Facts    events.Facts
	Found    []events.Event // project.seen, project.moved: what the look at the machine brought up
}

// Past is what the projections say before the frame.
type Past struct {
	Session  session.State
	Identity identity.State
	Born     bool      // the session has an identity already
	Latest   *Snapshot // newest persisted identity of the project in another session, nil when there is none
}

// Snapshot is a persisted identity.
type Snapshot struct {
	Session string
	State   identity.State
}

// Decide gives the events of one frame, the hook's own first. Their order is their order in the log.
func Decide(in Input, past Past, w World) []events.Envelope {
	d := decider{in: in, past: past, w: w}
	d.own()
	for _, e := range append(in.Found, w.Found...) {
		d.derive(e)
	}
	switch e := in.Event.(type) {
	case *events.SessionStarted:
		d.identity(restored(in, e, past))
	case *events.SessionEnded:
		d.identity(&events.IdentityPersisted{Reason: "session_end"})
	}
	d.verdict()
	return d.out
}

// verdict adds the events of the gates, which belong to the repository of the hook's working directory.
func (d *decider) verdict() {
	if g := d.w.Gates; g != nil {
		d.w.Project, d.w.Worktree, d.w.Branch = g.Project, g.Dir, g.Branch
	}
	for _, e := range d.w.Verdict.Events {
		d.derive(e)
	}
}

// Derived gives the events of a verdict on a hook that is in the log already, under the id of cause.
func Derived(in Input, w World, cause string) []events.Envelope {
	d := decider{in: in, w: w}
	d.verdict()
	for i := range d.out {
		d.out[i].ID = events.DerivedID(in.Frame, i+1)
		d.out[i].Causation = cause
	}
	return d.out
}

type decider struct {
	in   Input
	past Past
	w    World
	out  []events.Envelope
}

// own is the event of the hook itself; its id is the frame's.
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

// identity adds an event of the session's identity; nobody has none.
func (d *decider) identity(e events.Event) {
	if d.in.Session != "" {
		d.derive(e)
	}
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
	return events.Envelope{Time: d.in.Time, Session: d.in.Session, Project: d.w.Project, Worktree: d.w.Worktree, Branch: d.w.Branch,
		Phase: PhaseOf(d.in.Event), Correlation: d.in.Session}
}

// facts keeps of the world's answers what the session does not know yet, and what was odd.
func (d *decider) facts() *events.Facts {
	f, s := d.w.Facts, d.past.Session
	if p := s.Process(); p.PID == f.PID && p.Start == f.PIDStart {
		f.PID, f.PIDStart = 0, 0
	}
	forget := func(v *string, known string) {
		if *v == known {
			*v = ""
		}
	}
	forget(&f.Client, s.Client)
	forget(&f.Entrypoint, s.Entrypoint)
	forget(&f.LaunchDir, s.LaunchDir)
	f.Note = d.in.Note()
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
	s := d.past.Session
	switch e := d.in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed, *events.PermissionDenied:
		if id := s.Request(ToolUseID(e)); id != "" {
			return id
		}
	}
	if c := d.in.Hook.Hook(); c.AgentID != "" {
		return s.AgentCause(c.AgentID, c.AgentType)
	}
	return ""
}

// Unnamed is from what a session starts that nobody knows the id of, and its identity then: the answer
// says it, no event does.
func Unnamed(in Input, past Past) (*events.IdentityRestored, identity.State) {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok {
		e = &events.SessionStarted{Source: "startup"}
	}
	past.Born = false
	out := restored(in, e, past)
	env := events.Envelope{Type: out.Type(), Time: in.Time, Session: "-"}
	return out, identity.Fold(identity.State{}, events.Record{Envelope: env, Event: out})
}

// restored decides from what the session's identity starts (S0 REQ-12, DECISIONS "source").
func restored(in Input, e *events.SessionStarted, past Past) *events.IdentityRestored {
	out := &events.IdentityRestored{Source: e.Source}
	if in.instead != nil && past.Born { // what could not be read may have been a resume: a live identity is not replaced for that
		out.Outcome, out.Previous = "continued", in.Session
		return out
	}
	switch e.Source {
	case "clear":
		out.Outcome = "fresh"
		return out
	case "compact":
		if !past.Born {
			out.Outcome = "new" // the recorder came in the middle of the session
			return out
		}
		out.Outcome, out.Previous = "continued", in.Session
		return out
	case "resume":
		out.Outcome, out.Previous = "resumed", in.Session
		if !past.Born {
			out.Outcome = "not_found"
		}
		return out
	}
	if past.Latest == nil {
		out.Outcome = "new"
		return out
	}
	prev := past.Latest
	out.Outcome, out.Previous, out.Snapshot = "restored", prev.Session, prev.State.TimestampMS
	out.GapMS = max(0, in.Time.UnixMilli()-out.Snapshot)
	out.Carry = identity.CarryOf(prev.State, out.GapMS)
	return out
}

// PhaseOf is the lifecycle phase (S2) that a hook belongs to.
func PhaseOf(e events.Event) string {
	switch e := e.(type) {
	case *events.SessionStarted:
		switch e.Source {
		case "compact":
			return "POST_COMPACT"
		case "resume":
			return "SESSION_REVIVAL"
		}
		return "SESSION_START"
	case *events.CompactionStarted:
		return "PRE_COMPACT"
	case *events.CompactionFinished:
		return "POST_COMPACT"
	case *events.TurnStopped:
		return "SESSION_STOP"
	case *events.SessionEnded:
		return "SESSION_CLEANUP"
	}
	return "SESSION_RUNNING"
}
