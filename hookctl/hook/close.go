package hook

import (
	"fmt"
	"regexp"
	"strings"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/session"
	"hookline/projector/working"
)

// The end of a turn and of a session (S2 "SESSION_STOP", "SESSION_CLEANUP"): the evidence gate, the close protocol, the
// message of a context that gets full, and the handoff.

// Strictness of the evidence gate, as the configuration has it.
const (
	EvidenceStrict = "strict" // holds a turn once
	EvidenceNormal = "normal" // warns the user
	EvidenceLoose  = "loose"
)

// nearlyFull is the share of the window, in percent, from which on a session is to be brought to its end (DECISIONS S2:
// 150,000 of 200,000).
const nearlyFull = 75

// Causes of a warning.
const (
	causeContext  = "context"
	causeEvidence = "evidence"
	causeSync     = "sync"
	causeNext     = "next_steps"
)

// decideStop gives what the end of a turn is warned of or held for, each cause once as long as it is about the same, and
// the handoff that is prepared when the context gets full. Background tasks and scheduled prompts go on: that is no end.
func decideStop(in Input, w World, r Reader, e *events.TurnStopped) []events.Event {
	if in.Hook.Hook().AgentID != "" || gate.Working(e) || scheduled(e) {
		return nil
	}
	s := workingOf(r, in.Session)
	seen, _ := projector.State[session.State](r.Reader, session.Name, in.Session)

	out := &events.TurnWarned{Confidence: s.Confidence()}
	if w.Use != nil {
		out.Used, out.Window = w.Use.Tokens, w.Use.WindowIn(seen)
	}
	full := session.Percent(out.Used, out.Window) >= nearlyFull
	for _, c := range []*events.TurnCause{exhausted(in, s, out, full), unproved(s, e, w.Evidence), unsynced(s, w.Evidence), aimless(in, s, full)} {
		if c != nil && s.Warned[c.Cause] != c.Event {
			out.Causes = append(out.Causes, *c)
		}
	}
	if out.Causes == nil {
		return nil
	}

	out.Held = w.Evidence == EvidenceStrict && !e.StopHookActive && held(out) != nil
	list := []events.Event{out}
	if out.Causes[0].Cause == causeContext {
		if h := s.HandoffOf("stop"); h != nil {
			list = append(list, h)
		}
	}
	return list
}

// scheduled tells whether prompts of a schedule will go on with the session.
func scheduled(e *events.TurnStopped) bool {
	crons := strings.Join(strings.Fields(string(e.SessionCrons)), "")
	return crons != "" && crons != "[]" && crons != "null"
}

// exhausted is the message of a nearly full window: once a session.
func exhausted(in Input, s working.State, out *events.TurnWarned, full bool) *events.TurnCause {
	if !full || s.Warned[causeContext] != "" {
		return nil
	}
	text := fmt.Sprintf("the context is %d %% full (%d of %d tokens); a handoff is prepared: `hookctl handoff show`, and `hookctl handoff write TEXT` adds to it",
		session.Percent(out.Used, out.Window), out.Used, out.Window)
	return &events.TurnCause{Cause: causeContext, Text: text, Event: in.Frame}
}

// givenUp are words by which the agent says that it cannot prove its work, or was told not to (origins 2.3).
var givenUp = regexp.MustCompile(`(?i)\b(i'?m stuck|need (your )?help|blocked (by|on)|good enough|ship it|as you asked, (i did not|without) (run|test)|can(no|')t (run|be run))`)

// unproved is a change of code that no test or build has passed since, in a task that asks for a change.
func unproved(s working.State, e *events.TurnStopped, strictness string) *events.TurnCause {
	words := e.LastAssistantMessage[max(0, len(e.LastAssistantMessage)-4000):]
	if strictness == EvidenceLoose || s.Contract == nil || s.Unproved == nil || s.Confidence() >= working.Done || givenUp.MatchString(words) {
		return nil
	}
	file := events.Below(s.Worktree, s.Unproved.Text)
	text := fmt.Sprintf("no test or build has passed since %s was changed (confidence %d, done at %d)", file, s.Confidence(), working.Done)
	return &events.TurnCause{Cause: causeEvidence, Text: text, Event: s.Unproved.Event}
}

// unsynced is a change of an issue that the tracker's own files do not have yet.
func unsynced(s working.State, strictness string) *events.TurnCause {
	if strictness == EvidenceLoose || s.Unsynced == nil {
		return nil
	}
	tracker, _, _ := strings.Cut(s.Unsynced.Text, " ")
	text := fmt.Sprintf("`%s sync` has not been run since `%s`", tracker, s.Unsynced.Text)
	return &events.TurnCause{Cause: causeSync, Text: text, Event: s.Unsynced.Event}
}

// aimless is a session whose context gets full while nothing says how to go on.
func aimless(in Input, s working.State, full bool) *events.TurnCause {
	if !full || s.Contract == nil || s.Unproved == nil || s.Steps != nil || s.Handoff != nil || len(s.Pending()) > 0 || s.Warned[causeNext] != "" {
		return nil
	}
	return &events.TurnCause{Cause: causeNext, Text: "no next steps are kept", Event: in.Frame}
}

// held are the causes that a turn is held for: those that the agent can do something about.
func held(e *events.TurnWarned) []string {
	var texts []string
	for _, c := range e.Causes {
		if c.Cause != causeContext {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// refuseStop has a turn go on, once: its next end is let go by the client's own mark.
func refuseStop(_ Input, _ World, r Reader) Verdict {
	for _, e := range r.Decided {
		if e, ok := e.(*events.TurnWarned); ok && e.Held {
			return Verdict{Block: "Before you stop: " + strings.Join(held(e), "; ") + ". Do it now, or say why it cannot be done."}
		}
	}
	return Verdict{}
}

// tellStop tells the user what the end of a turn was warned of.
func tellStop(in Input, r Reader) []Item {
	var items []Item
	for _, e := range r.Decided {
		e, ok := e.(*events.TurnWarned)
		if !ok {
			continue
		}
		for _, c := range e.Causes {
			items = append(items, Item{ID: "working.stop " + c.Cause, Rank: RankRest, Text: c.Text, Same: c.Text + in.Frame, Event: c.Event, User: true})
		}
	}
	return items
}
