package hook

import (
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/gates"
	"hookline/projector/gate"
)

// Satisfactions of scope single_use: one is reserved when a call is let through, and used up when its action happened.

// reservedFor is how long a reservation holds whose call's end was not told.
const reservedFor = 10 * time.Minute

// Why a reservation was given back.
const (
	releasedUnused  = "unused"
	releasedLapsed  = "lapsed"
	releasedRenewed = "renewed"
)

// once reports the requirements whose satisfaction counts for one action.
func once(q gates.Requirement) bool {
	return q.Scope == gates.SingleUse && q.Type == gates.Blocking && !q.StopOnly
}

// inUse reports whether another call has reserved the session's satisfaction of a requirement. A reservation that is too
// old ends here; where its action happened nothing is left of the satisfaction, and the requirement is closed.
func (j *judge) inUse(q gates.Requirement, call string) (busy, closed bool) {
	e := j.p.State.Own(q.Name, j.in.Session)
	if !once(q) || e.Reserved == nil || e.Reserved.Call == call {
		return false, false
	}
	if j.in.Time.Sub(e.Reserved.At) <= reservedFor {
		return true, true
	}
	moved := j.moved(e.Reserved)
	j.settle(q.Name, e, moved, releasedLapsed, events.GateClearedSingleUse)
	return false, moved
}

// reserve keeps the session's satisfactions that a call is let through by from the next one.
func (j *judge) reserve(e *events.ToolRequested, hits []gates.Requirement) {
	commits, _ := gates.Acts(e.ToolName, j.g.Sent(e.ToolInput))
	for _, q := range hits {
		own := j.p.State.Own(q.Name, j.in.Session)
		if !once(q) || own.Satisfied == nil || own.Reserved != nil && own.Reserved.Call == e.ToolUseID {
			continue
		}
		r := &events.GateReserved{Name: q.Name, ToolUseID: e.ToolUseID, AgentID: j.in.Hook.Hook().AgentID}
		if commits {
			r.Head = j.g.Head
		}
		j.event(r)
	}
}

// returned settles what a call has reserved when that comes back: used up where HEAD moved or, of a call that commits
// nothing, where it succeeded and was no dry run.
func (j *judge) returned(call string, succeeded bool, reason string) {
	for _, name := range j.p.State.InUse(j.in.Session) {
		e := j.p.State.Own(name, j.in.Session)
		if e.Reserved.Call != call {
			continue
		}
		happened := succeeded
		if e.Reserved.Head != "" && reason != events.GateClearedBackground {
			happened = j.moved(e.Reserved)
		}
		j.settle(name, e, happened, releasedUnused, reason)
	}
}

// lapse ends the reservations of calls that can run no more; HEAD reports whether they did anything.
func (j *judge) lapse(ended func(r *gate.Reservation) bool) {
	for _, name := range j.p.State.InUse(j.in.Session) {
		if e := j.p.State.Own(name, j.in.Session); ended(e.Reserved) {
			j.settle(name, e, j.moved(e.Reserved), releasedLapsed, events.GateClearedSingleUse)
		}
	}
}

func (j *judge) moved(r *gate.Reservation) bool {
	return r.Head != "" && j.g.Head != "" && r.Head != j.g.Head
}

// settle ends a reservation. A satisfaction that came after it is not used up by its call.
func (j *judge) settle(name string, e gate.Entry, happened bool, unused, used string) {
	if happened && e.Satisfied != nil && e.Satisfied.At.After(e.Reserved.At) {
		happened, unused = false, releasedRenewed
	}
	if happened {
		j.event(&events.GateCleared{Name: name, Reason: used})
		return
	}
	j.event(&events.GateReleased{Name: name, Reason: unused})
}

// unreserved closes the single_use gates of a call that came back and has reserved nothing: its request was not seen, or
// waited in the spool.
func (j *judge) unreserved(e *events.ToolSucceeded, reason string) {
	reserved := j.p.State.InUse(j.in.Session)
	for _, q := range j.g.Rules.Match(e.ToolName, j.g.Sent(e.ToolInput)) {
		if once(q) && !slices.Contains(reserved, q.Name) && j.p.State.Holds(q.Name, j.in.Session) {
			j.event(&events.GateCleared{Name: q.Name, Reason: reason})
		}
	}
}
