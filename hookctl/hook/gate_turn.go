package hook

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"hookline/events"
	"hookline/hookctl/gates"
	"hookline/projector/gate"
)

// What satisfies and closes gates: outcomes of tools, the end of a turn, the begin and end of a session.

// succeeded: a skill satisfies what it is mapped to; an action that happened closes its single_use gates. An action that goes on in the background has used its
// satisfaction up by its start: no hook has its outcome, and one review would open any number of them.
func (j *judge) succeeded(e *events.ToolSucceeded) {
	if !j.g.Rules.Active() { // nearly always; reading the answer costs a hook as much as its redaction
		return
	}
	done, background := ending(e)
	if !done && !background {
		j.returned(e.ToolUseID, false, events.GateClearedSingleUse)
		return
	}
	reason := events.GateClearedSingleUse
	if background {
		reason = events.GateClearedBackground
	}
	if e.ToolName == "Skill" && done {
		j.skill(events.InputOf(e.ToolInput).Skill.Text())
		return
	}
	_, dry := gates.Acts(e.ToolName, j.g.Sent(e.ToolInput))
	j.returned(e.ToolUseID, !dry, reason)
	if !dry {
		j.unreserved(e, reason)
	}
	if e.ToolName == "ExitPlanMode" && done {
		j.planned()
	}
}

// ending distinguishes a call that is done from one that goes on in the background. A call that was interrupted, or that
// says itself that it failed, is neither.
func ending(e *events.ToolSucceeded) (done, background bool) {
	var out struct {
		Success     *bool  `json:"success"`
		Interrupted bool   `json:"interrupted"`
		Background  string `json:"backgroundTaskId"`
	}
	if json.Unmarshal(e.ToolResponse, &out) != nil {
		return true, false // a list or a text: the client calls it a success
	}
	if out.Interrupted || out.Success != nil && !*out.Success {
		return false, false
	}
	return out.Background == "", out.Background != ""
}

// skill satisfies the requirements that a skill is mapped to, each in its own scope.
func (j *judge) skill(name string) {
	for _, q := range j.g.Rules.SkillSatisfies(name) {
		meta, _ := json.Marshal(map[string]string{"skill": name}) // strings
		e := &events.GateSatisfied{Name: q.Name, Scope: q.Scope, Level: levelOf(q), By: "skill", Skill: name, Metadata: meta}
		if q.ReplanTTL > 0 && q.Scope != gates.PermanentScope {
			e.ExpiresAt = j.in.Time.Add(q.ReplanTTL).Format(time.RFC3339Nano)
		}
		j.event(e)
	}
}

// levelOf is where a satisfaction of the requirement is kept.
func levelOf(q gates.Requirement) string {
	if s := ScopeOf(q); s == events.GateScopeBranch || s == events.GateScopePermanent {
		return events.GateLevelBranch
	}
	return events.GateLevelSession
}

// planned adds to the context, once a plan is made, what it must pass before the first edit.
func (j *judge) planned() {
	if !j.active() {
		return
	}
	var open []gates.Failure
	for _, q := range j.g.Rules.Match("Edit", json.RawMessage(`{}`)) {
		if f, closed := j.check(q); closed && q.Type == gates.Blocking && !q.StopOnly {
			open = append(open, f)
		}
	}
	if len(open) > 0 {
		j.out.Context = append([]string{gates.PlanReview(j.in.Session, open)}, reminder(open)...)
	}
}

// stopped: the typed slash command whose prompt ends here has satisfied what it is mapped to; then the turn
// is held to what was triggered and is not met.
func (j *judge) stopped(e *events.TurnStopped) {
	if !j.g.Rules.Active() || gate.Working(e) {
		return // with background work the turn is not at its end
	}
	j.lapse(func(r *gate.Reservation) bool { return r.Agent == "" })
	typed := ""
	if p, ok := j.p.State.Ended(j.in.Session, e); ok {
		typed = p.Command
	}
	done := j.g.Rules.SkillSatisfies(typed)
	j.skill(typed)
	hooks := j.g.Rules.Hooks
	if e.StopHookActive || !hooks.VerifyRequirements || !j.active() || j.g.Late { // late: the turn has long ended
		return
	}
	var failures []gates.Failure
	for _, q := range j.g.Rules.InOrder() {
		settled := slices.ContainsFunc(done, func(d gates.Requirement) bool { return d.Name == q.Name })
		if settled || !hooks.Verifies(q) || !j.p.State.Triggered(q.Name, q.Scope, j.in.Session) {
			continue
		}
		if f, closed := j.check(q); closed {
			failures = append(failures, f)
		}
	}
	if len(failures) > 0 {
		text := gates.StopReason(j.in.Session, failures)
		j.event(&events.GateStopBlocked{Names: gates.Names(failures), Digest: digestOf(text, 8), Values: valuesOf(failures)})
		j.out.Block = bounded(text)
		return
	}

	uses := 0
	for _, n := range j.p.Session.Tools {
		uses += n
	}
	if hooks.Learning && hooks.PromptOnStop && uses >= hooks.MinToolUses { // a review of a session that had some work in it
		j.out.Message = fmt.Sprintf("**Session Learning Available**\n\nThis session had %d tool uses (%d blocked), %d skills.",
			uses, j.p.State.Blocks[j.in.Session].Count, max(j.p.Session.Skills, j.p.Session.Tools["Skill"]))
	}
}

// started adds to the context how the gates stand, with what it takes over from the one before.
func (j *judge) started(e *events.SessionStarted) {
	rules := j.g.Rules
	if rules.ProjectFile == "" {
		if e.Source == "startup" && j.g.Adopted && !j.g.Skip {
			j.out.Context = []string{"💡 **No requirements config found for this project**\n\nRun `hookctl req init` to write a commented starter file."}
		}
		return
	}
	if !j.active() || !rules.Hooks.InjectContext {
		return
	}
	s := gates.Status{Project: j.g.Dir, Branch: j.g.Branch, Session: j.in.Session,
		Header: rules.Hooks.CustomHeader, Others: j.g.Others, Invalid: len(rules.Invalid())}
	if e.Source == "startup" || e.Source == "clear" {
		s.Carried = j.carry()
	}
	s.Gates = j.board(s.Carried)
	if !rules.Hooks.Compact(e.Source) {
		j.out.Context = append(j.out.Context, s.Text(false))
	}
	j.out.Context = append(j.out.Context, s.Text(true))
}

// gate is a requirement as it stands for the session. A dynamic one counts as open until it is approved:
// it is not measured here. A guard whose condition does not hold is open.
func (j *judge) gate(q gates.Requirement, carried bool) gates.Gate {
	g := gates.Gate{Requirement: q}
	g.Satisfied = carried || j.satisfied(q)
	if g.Satisfied || q.Type != gates.Guard {
		return g
	}
	f, closed := j.check(q)
	if closed {
		g.Note = f.Values["summary"]
		return g
	}
	g.Satisfied = true
	g.Note = map[string]string{gates.GuardProtectedBranch: "not on protected branch", gates.GuardSingleSession: "no other sessions",
		gates.GuardDirtyTree: "no uncommitted changes"}[q.GuardType]
	return g
}

// Board is how the enabled requirements stand for a session at a time, in the order of the files.
func Board(session string, now time.Time, g *Gates, p GatesPast) []gates.Gate {
	j := &judge{in: Input{Session: session, Time: now}, g: g, p: p}
	return j.board(nil)
}

func (j *judge) board(carried []string) []gates.Gate {
	var list []gates.Gate
	for _, q := range j.g.Rules.InOrder() {
		list = append(list, j.gate(q, slices.Contains(carried, q.Name)))
	}
	return list
}

// carry takes over what another session satisfied a moment ago: who cleared the context or started again
// has not lost the review. Guards are never carried, and what has expired is not.
func (j *judge) carry() []string {
	hooks := j.g.Rules.Hooks
	if !hooks.CarryOver {
		return nil
	}
	var names []string
	for _, q := range j.g.Rules.InOrder() {
		if q.Type == gates.Guard || levelOf(q) == events.GateLevelBranch || !slices.Contains(hooks.CarryScopes, q.Scope) || j.satisfied(q) {
			continue
		}
		from, m, ok := j.p.State.Carried(q.Name, j.in.Session, j.in.Time, hooks.CarryWindow)
		if !ok {
			continue
		}
		names = append(names, q.Name)

		meta, _ := json.Marshal(map[string]any{"carried_from": from, "original_satisfied_at": m.At.Unix(), "original_satisfied_by": m.By,
			"carry_over_window": int(hooks.CarryWindow.Seconds())}) // strings and numbers
		e := &events.GateSatisfied{Name: q.Name, Scope: q.Scope, Level: events.GateLevelSession, By: "carry_over", Metadata: meta,
			Since: m.First().Format(time.RFC3339Nano)}
		if !m.Expires.IsZero() {
			e.ExpiresAt = m.Expires.Format(time.RFC3339Nano)
		}
		j.event(e)
	}
	return names
}

// ended forgets, where the configuration asks for it, what this session alone satisfied.
func (j *judge) ended() {
	j.lapse(func(*gate.Reservation) bool { return true })
	if !j.active() || !j.g.Rules.Hooks.ClearSessionState {
		return
	}
	for _, q := range j.g.Rules.InOrder() {
		if q.Scope == gates.SessionScope && j.p.State.Holds(q.Name, j.in.Session) {
			j.event(&events.GateCleared{Name: q.Name, Reason: events.GateClearedSessionEnd})
		}
	}
}
