package hook

import (
	"fmt"
	"regexp"
	"strings"

	"hookline/events"
	"hookline/events/wording"
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
	crons := string(e.SessionCrons) // the log keeps no white space
	scheduled := crons != "" && crons != "[]" && crons != "null"
	if in.Hook.Hook().AgentID != "" || gate.Working(e) || scheduled {
		return nil
	}
	s := workingOf(r, in.Session)
	out := &events.TurnWarned{Confidence: s.Confidence()}
	if w.Use != nil {
		out.Used, out.Window = w.Use.Tokens, w.Use.WindowIn(sessionOf(r, in.Session))
	}
	full := session.Percent(out.Used, out.Window) >= nearlyFull
	warn := func(cause, event, text string, args ...any) {
		if s.Warned[cause] != event {
			out.Causes = append(out.Causes, events.TurnCause{Cause: cause, Text: fmt.Sprintf(text, args...), Event: event})
		}
	}

	if full && s.Warned[causeContext] == "" {
		warn(causeContext, in.Frame, "the context is %d %% full (%d of %d tokens); a handoff is prepared: `hookctl handoff show`, and `hookctl handoff write TEXT` adds to it",
			session.Percent(out.Used, out.Window), out.Used, out.Window)
	}
	unproved := s.Contract != nil && s.Unproved != nil
	words := e.LastAssistantMessage[max(0, len(e.LastAssistantMessage)-4000):]
	if w.Evidence != EvidenceLoose && unproved && s.Confidence() < working.Done && !givenUp.MatchString(words) {
		warn(causeEvidence, s.Unproved.Event, "no test or build has passed since %s was changed (confidence %d, done at %d)",
			wording.Below(s.Worktree, s.Unproved.Text), s.Confidence(), working.Done)
	}
	if w.Evidence != EvidenceLoose && s.Unsynced != nil {
		tracker, _, _ := strings.Cut(s.Unsynced.Text, " ")
		warn(causeSync, s.Unsynced.Event, "`%s sync` has not been run since `%s`", tracker, s.Unsynced.Text)
	}
	aimless := s.Steps == nil && s.Handoff == nil && len(s.Pending()) == 0
	if full && unproved && aimless && s.Warned[causeNext] == "" {
		warn(causeNext, in.Frame, "no next steps are kept")
	}
	if out.Causes == nil {
		return nil
	}

	out.Held = w.Evidence == EvidenceStrict && !e.StopHookActive && held(out) != nil
	list := []events.Event{out}
	if h := s.HandoffOf("stop"); h != nil && out.Causes[0].Cause == causeContext {
		list = append(list, h)
	}
	return list
}

// givenUp are words by which the agent says that it cannot prove its work, or was told not to (origins 2.3).
var givenUp = regexp.MustCompile(`(?i)\b(i'?m stuck|need (your )?help|blocked (by|on)|good enough|ship it|as you asked, (i did not|without) (run|test)|can(no|')t (run|be run))`)

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
	e := decidedAs[*events.TurnWarned](r)
	if e == nil || !e.Held {
		return Verdict{}
	}
	return Verdict{Block: "Before you stop: " + wording.Inert(strings.Join(held(e), "; ")) + ". Do it now, or say why it cannot be done."}
}

// tellStop returns for the user what the end of a turn was warned of.
func tellStop(in Input, r Reader) []Item {
	e := decidedAs[*events.TurnWarned](r)
	if e == nil {
		return nil
	}
	var items []Item
	for _, c := range e.Causes {
		items = append(items, Item{ID: "working.stop " + c.Cause, Text: c.Text, Same: c.Text + in.Frame, Event: c.Event, User: true})
	}
	return items
}
