package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/gates"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// Requirement gates. [Judge] decides from configuration, state and facts; its events are appended with
// the hook's own, its words are rendered after that. It fails open: what is not known closes no gate.

// repeatWithin is how long the same denial is not given in full again: parallel calls of one turn are
// denied one by one.
const repeatWithin = 5 * time.Second

// Gates is what was read and measured for the gates of one frame: those of the repository around the hook's working
// directory, wherever the session was started. Nil means that none apply: no configuration, no git, a detached HEAD, an
// identity verb.
type Gates struct {
	Rules    gates.Rules
	Project  string                     // id of the project that the hook's working directory belongs to
	Branch   string                     // that is checked out there
	Root     string                     // top of the work tree, as the disk has it: nothing that goes into an event
	Dir      string                     // top of the work tree, as texts and events name it
	Seen     *Sighting                  // how that project looks, where it is not the session's; nil where that is known
	Input    json.RawMessage            // of the tool call, before redaction: what decides, and goes into no event
	WasOn    bool                       // the gates of the work tree held before, as far as the daemon saw
	Adopted  bool                       // the user has a configuration of his own, whether or not this project has one
	Skip     bool                       // CLAUDE_SKIP_REQUIREMENTS: nothing is asked, what happens still counts
	Late     bool                       // the frame waited in the spool: its call has long been made
	Sizes    map[string]gates.Size      // of dynamic requirements, by name; absent: not known
	Head     string                     // commit that HEAD is at; "" where it was not asked for
	Dirty    int                        // tracked files with changes that are not committed
	Problems []events.GateConfigInvalid // not recorded yet
	Others   []gates.Other              // live sessions of the same work tree, where a requirement asks for them

	judged *Judgement // by decideGates
}

// Sent returns a tool call's input as the client sent it, where it is known; else as the event has it.
func (g *Gates) Sent(redacted json.RawMessage) json.RawMessage {
	if len(g.Input) > 0 {
		return g.Input
	}
	return redacted
}

// GatesPast is what the projections say about the gates.
type GatesPast struct {
	State   gate.State // as [gate.At] joins it
	Session session.State
}

// Judgement is what the gates make of a frame.
type Judgement struct {
	Verdict
	Events  []events.Event
	Context []string // for the model: one text in its forms, longest first
	Message string   // for the user
	Switch  string   // for the user: the gates went off as a whole, or came back
}

// decideGates gives what is new about the project of the gates, and the events of the judgement, which is kept for the
// answer.
func decideGates(in Input, w World, r Reader) []events.Event {
	g := w.Gates
	if g == nil {
		return nil
	}

	j := Judge(in, g, GatesPast{State: GatesAt(r.Reader, w.Project, g), Session: sessionOf(r, in.Session)})
	g.judged = &j
	return append(g.Seen.News(r), j.Events...)
}

// GatesAt reads the gates of a branch, with what is known of the session's project. The state is valid until the next
// fold.
func GatesAt(r projector.Reader, project string, g *Gates) gate.State {
	branch, _ := projector.State[gate.State](r, gate.Name, gate.Key(g.Project, g.Branch))
	own, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(project))
	if g.Project != project {
		there, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(g.Project))
		own.Deleted = slices.Concat(own.Deleted, there.Deleted)
		own.Retracted = slices.Concat(own.Retracted, there.Retracted)
		own.Off = there.Off
	}
	return gate.At(branch, own)
}

// refuseGates gives the refusal among the events that were decided with the frame: as it was worded then, or from what
// the event says where the frame came again.
func refuseGates(in Input, w World, r Reader) Verdict {
	if w.Gates == nil {
		return Verdict{}
	}
	for _, e := range r.Decided {
		switch e.(type) {
		case *events.GateBlocked, *events.GateStopBlocked, *events.PermissionAutoDenied:
			if w.Gates.judged != nil {
				return w.Gates.judged.Verdict
			}
			return Repeat(in, w.Gates, e)
		}
	}
	return Verdict{}
}

// tellGates gives what the judgement has for the model and for the user; nothing when the frame came again.
func tellGates(in Input, w World, _ Reader) []Item {
	if w.Gates == nil || w.Gates.judged == nil {
		return nil
	}
	j := w.Gates.judged

	var items []Item
	if len(j.Context) > 0 {
		what := cmp.Or(map[string]string{"SessionStart": "gates.status", "UserPromptSubmit": "gates.reminder"}[in.Name()], "gates.plan")
		items = append(items, Item{ID: what, Rank: RankGates, Text: j.Context[0], Shorter: j.Context[1:], Event: in.Frame})
	}
	if j.Switch != "" {
		items = append(items, Item{ID: "gates.switched", Text: j.Switch, Same: in.Frame, Event: in.Frame, User: true})
	}
	if j.Message != "" {
		items = append(items, Item{ID: "gates.review", Text: j.Message, Same: "once", Event: in.Frame, User: true, Bare: true})
	}
	return items
}

// placeOfGates is the repository of the hook's working directory.
func placeOfGates(w World) (project, worktree, branch string) {
	if w.Gates == nil {
		return w.Project, w.Worktree, w.Branch
	}
	return w.Gates.Project, w.Gates.Dir, w.Gates.Branch
}

// judge is one decision in the making.
type judge struct {
	in  Input
	g   *Gates
	p   GatesPast
	out Judgement
}

// Judge decides on a frame.
func Judge(in Input, g *Gates, p GatesPast) Judgement {
	if g == nil || in.Hook == nil || in.Call.Verb != VerbHook || g.Branch == "" || g.Project == "" || in.Session == "" { // nobody could open a gate for no session
		return Judgement{}
	}
	j := &judge{in: in, g: g, p: p}
	for i := range g.Problems {
		j.event(&g.Problems[i])
	}
	j.switched()
	switch e := in.Event.(type) {
	case *events.ToolRequested:
		j.requested(e)
	case *events.PermissionRequested:
		j.permission(e)
	case *events.ToolSucceeded:
		j.succeeded(e)
	case *events.TurnStopped:
		j.stopped(e)
	case *events.PromptSubmitted:
		j.prompted(e)
	case *events.SessionStarted:
		j.started(e)
	case *events.ToolFailed:
		j.returned(e.ToolUseID, false, events.GateClearedSingleUse)
	case *events.ToolBatchFinished:
		j.lapse(func(r *gate.Reservation) bool { return r.Agent == e.AgentID })
	case *events.SessionEnded:
		j.ended()
	}
	return j.out
}

func (j *judge) event(e events.Event) { j.out.Events = append(j.out.Events, e) }

// active reports whether requirements are asked for at all.
func (j *judge) active() bool { return j.g.Rules.Active() && !j.g.Skip }

// switched records that the gates of the work tree went off as a whole, or came back, with a line for the user.
func (j *judge) switched() {
	if j.g.Late || j.g.Skip {
		return
	}
	mark, off := j.p.State.OffAt(j.g.Dir)
	why := j.g.Rules.Off()
	switch {
	case why != "" && !off && (j.g.WasOn || j.p.State.Held()):
		j.event(&events.GateSwitched{Dir: j.g.Dir, Reason: why})
		words := map[string]string{"gone": "its .claude/requirements.yaml is gone", "unreadable": "its .claude/requirements.yaml cannot be read",
			"disabled": "its .claude/requirements.yaml says `enabled: false`"}
		j.out.Switch = "the gates of " + j.g.Dir + " are off: " + words[why]
	case why == "" && off:
		j.event(&events.GateSwitched{On: true, Dir: j.g.Dir, Reason: mark.By})
		j.out.Switch = "the gates of " + j.g.Dir + " hold again"
	}
}

// requested denies a call with all that fails at once. What is let through is triggered; a denied call
// triggers nothing, or a turn could be held to what never happened.
func (j *judge) requested(e *events.ToolRequested) {
	if !j.active() {
		return
	}
	input := j.g.Sent(e.ToolInput)
	hits := j.g.Rules.Match(e.ToolName, input)
	if len(hits) == 0 || j.g.Rules.Exempt(e.ToolName, input) {
		return
	}
	var failures []gates.Failure
	for _, q := range hits {
		if q.StopOnly {
			continue // it is armed here, and asked for at Stop
		}
		f, closed := j.check(q)
		if !closed && !j.g.Late {
			f.InUse, closed = j.inUse(q, e.ToolUseID)
		}
		if closed {
			failures = append(failures, f)
		}
	}
	if len(failures) == 0 || j.g.Late {
		for _, q := range hits {
			if !j.p.State.Triggered(q.Name, q.Scope, j.in.Session) {
				j.event(&events.GateTriggered{Name: q.Name, Scope: q.Scope})
			}
		}
		if !j.g.Late {
			j.reserve(e, hits)
		}
		return
	}
	j.deny(e, failures)
}

func (j *judge) deny(call *events.ToolRequested, failures []gates.Failure) {
	text := gates.Deny(j.in.Session, failures)
	e := &events.GateBlocked{Names: gates.Names(failures), Tool: call.ToolName, Target: identity.TargetOf(call.ToolName, call.ToolInput), Digest: digestOf(text, 8), Values: valuesOf(failures)}
	last := j.p.State.Blocks[j.in.Session]
	gap := j.in.Time.Sub(last.At)
	if last.Digest == e.Digest && gap >= 0 && gap < repeatWithin {
		e.Short, text = true, gates.Short(j.in.Session, failures)
	}
	j.out.Deny = bounded(text)
	j.event(e)
}

// failure returns a requirement with what every text about it may name.
func (g *Gates) failure(q gates.Requirement) gates.Failure {
	return gates.Failure{Requirement: q, Values: map[string]string{"branch": g.Branch, "project_dir": g.Dir}}
}

// check reports whether a requirement is closed for this session now. A satisfaction opens every type; a
// guard's and an approval are of the session, whatever scope the file gives.
func (j *judge) check(q gates.Requirement) (gates.Failure, bool) {
	f := j.g.failure(q)
	if j.satisfied(q) {
		return f, false
	}
	switch q.Type {
	case gates.Guard:
		return f, j.guarded(q, &f)
	case gates.Dynamic:
		return f, j.grown(q, &f)
	}
	return f, true
}

func (j *judge) satisfied(q gates.Requirement) bool {
	return j.p.State.Satisfied(q.Name, ScopeOf(q), j.in.Session, j.in.Time)
}

// ScopeOf is the scope that a requirement's satisfaction is looked up in.
func ScopeOf(q gates.Requirement) string {
	if q.Type == gates.Guard || q.Type == gates.Dynamic {
		return events.GateScopeSession
	}
	return q.Scope
}

// guarded evaluates a guard's condition. An unknown guard guards nothing.
func (j *judge) guarded(q gates.Requirement, f *gates.Failure) bool {
	n, one, more := 0, "", ""
	switch q.GuardType {
	case gates.GuardProtectedBranch:
		if slices.Contains(q.ProtectedBranches, j.g.Branch) {
			f.Values["summary"] = "branch `" + j.g.Branch + "` is protected"
			return true
		}
	case gates.GuardSingleSession:
		f.Others = j.g.Others
		n, one, more = len(f.Others), "other session", "other sessions"
	case gates.GuardDirtyTree:
		n, one, more = j.g.Dirty, "file with uncommitted changes", "files with uncommitted changes"
	}
	if n > 1 {
		one = more
	}
	if n > 0 {
		f.Values["value"], f.Values["summary"] = strconv.Itoa(n), strconv.Itoa(n)+" "+one
	}
	return n > 0
}

// grown compares a branch's size with the threshold; one that is not known is below it.
func (j *judge) grown(q gates.Requirement, f *gates.Failure) bool {
	size, ok := j.g.Sizes[q.Name]
	if !ok {
		return false
	}
	value, summary := size.Value()
	if value < q.Thresholds.Block {
		return false
	}
	number := gates.Number(value)
	maps.Copy(f.Values, map[string]string{"value": number, "total": number, "summary": summary, "base_branch": size.Base,
		"committed": changed(size.Committed), "staged": changed(size.Staged), "unstaged": changed(size.Unstaged)})
	return true
}

func changed(c gates.Changed) string {
	return strconv.Itoa(c.Insertions) + "+/" + strconv.Itoa(c.Deletions) + "-"
}

// acts are words of a prompt that announce an edit or a commit.
var acts = regexp.MustCompile(`(?i)\b(add|build|change|commit|create|delete|edit|fix|implement|merge|modify|move|push|refactor|remove|rename|replace|rewrite|update|write)\b`)

// prompted reminds of open requirements when a prompt announces work.
func (j *judge) prompted(e *events.PromptSubmitted) {
	if !j.active() || !acts.MatchString(e.UserText()) {
		return
	}
	var open []gates.Failure
	for _, q := range j.g.Rules.InOrder() {
		if f, closed := j.check(q); closed && q.Type != gates.Dynamic {
			open = append(open, f)
		}
	}
	if len(open) > 0 {
		j.out.Context = reminder(open)
	}
}

// reminder names what is open, or in its shorter form says where to look.
func reminder(open []gates.Failure) []string {
	text := fmt.Sprintf("**Requirements reminder**: %d unsatisfied: ", len(open))
	return []string{text + strings.Join(gates.Names(open), ", "), text + "`hookctl req status` lists them"}
}

// valuesOf are the facts that a decision rests on. The directory is in the envelope.
func valuesOf(list []gates.Failure) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, f := range list {
		if f.Requirement.Type == gates.Blocking {
			continue
		}
		values := maps.Clone(f.Values)
		delete(values, "project_dir")
		for i, o := range f.Others {
			values["other_"+strconv.Itoa(i+1)] = o.Session + " on " + o.Branch
		}
		out[f.Requirement.Name] = values
	}
	return out
}

// bounded keeps a reason below what the client shows whole.
func bounded(text string) string {
	return wording.Cut(text, maxChars, "\n… (`hookctl req status` shows all)")
}

// Repeat words the denial or block that was decided on a frame before, for a frame that comes again.
func Repeat(in Input, g *Gates, decided events.Event) Verdict {
	if g == nil {
		return Verdict{}
	}
	again := func(names []string, values map[string]map[string]string) []gates.Failure {
		var list []gates.Failure
		for _, n := range names {
			q, ok := g.Rules.ByName[n]
			if !ok {
				q = gates.Requirement{Name: n, Type: gates.Blocking}
			}
			f := g.failure(q)
			maps.Copy(f.Values, values[n])
			list = append(list, f)
		}
		return list
	}
	switch e := decided.(type) {
	case *events.PermissionAutoDenied:
		return Verdict{Deny: permissionReason(in, e)}
	case *events.GateBlocked:
		list := again(e.Names, e.Values)
		if e.Short {
			return Verdict{Deny: bounded(gates.Short(in.Session, list))}
		}
		return Verdict{Deny: bounded(gates.Deny(in.Session, list))}
	case *events.GateStopBlocked:
		return Verdict{Block: bounded(gates.StopReason(in.Session, again(e.Names, e.Values)))}
	}
	return Verdict{}
}
