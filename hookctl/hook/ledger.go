package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/ledger"
	"hookline/projector/project"
	"hookline/projector/session"
)

// The ledger (S3): what agent and user decide goes into it, and a session that starts is told the last of it.

// Bounds of what is told of the ledger at a start, about 200 tokens with all of them.
const (
	toldDecisions  = 3
	decisionChars  = 140
	subjectChars   = 80 // of them, so that a long question leaves room for its answer
	stepTokens     = 70
	questionTokens = 40
	forkAge        = 24 * time.Hour
)

// maxHeard bounds how many decisions are heard in one hook.
const maxHeard = 8

// LedgerOf is the ledger of a project with those of the projects that were joined into it.
func LedgerOf(r projector.Reader, id string) ledger.State {
	own, _ := projector.State[ledger.State](r, ledger.Name, id)
	return ledger.Merge(own, ofJoined[ledger.State](r, ledger.Name, id)...)
}

// ofJoined are the states of a table that the projects have which were joined into a project.
func ofJoined[S any](r projector.Reader, table, id string) []S {
	p, _ := projector.State[project.State](r, project.Name, id)
	var states []S
	for _, joined := range p.Joined {
		s, _ := projector.State[S](r, table, joined)
		states = append(states, s)
	}
	return states
}

// Ordered is what became of one event that was asked for.
type Ordered struct {
	Outcome string       `json:"outcome" jsonschema_description:"added, known, fork, closed or recorded; known: the ledger says so already; fork: the ledger has another decision, which holds"`
	Event   string       `json:"event,omitempty" jsonschema_description:"id of its event; absent for known"`
	Seq     uint64       `json:"seq,omitempty" jsonschema_description:"its sequence"`
	Entry   ledger.Entry `json:"entry,omitzero" jsonschema_description:"the entry that was there: the same, the one that holds, or the closed one"`
}

// OrderLedger decides about events that are asked for: an entry that is there already adds nothing, and one that
// contradicts the ledger becomes a fork. what has an element for each; those that are not known have an event in list,
// in the same order.
func OrderLedger(s ledger.State, asked []events.Event) (list []events.Event, what []Ordered) {
	for i, e := range asked {
		var was Ordered
		if e, was = judgeEntry(s, e); was.Outcome != "known" {
			list = append(list, e)
			s = projector.Fold(ledger.Table, s, events.Record{Envelope: events.Envelope{ID: fmt.Sprint("asked ", i)}, Event: e})
		}
		what = append(what, was)
	}
	return list, what
}

func judgeEntry(s ledger.State, e events.Event) (events.Event, Ordered) {
	switch e := e.(type) {
	case *events.LedgerEntryAdded:
		known, holds := s.Judge(e)
		if known != nil && e.Replaces == "" {
			return e, Ordered{Outcome: "known", Entry: *known}
		}
		if holds == nil {
			return e, Ordered{Outcome: "added"}
		}
		fork := &events.ForkDetected{Entry: holds.ID, Ledger: holds.Text, Context: e.Text, By: e.By, Resolution: "ledger_wins"}
		return fork, Ordered{Outcome: "fork", Entry: *holds}
	case *events.LedgerEntryClosed:
		for _, x := range s.Entries {
			switch {
			case x.ID == e.Entry && x.Closed != nil:
				return e, Ordered{Outcome: "known", Entry: x}
			case x.ID == e.Entry:
				return e, Ordered{Outcome: "closed", Entry: x}
			}
		}
	}
	return e, Ordered{Outcome: "recorded"}
}

// decideLedger takes what the user decides in prompts and answers, and what the agent's last words call a decision.
func decideLedger(in Input, w World, r Reader) []events.Event {
	if in.Session == "" || in.Hook == nil || in.Hook.Hook().AgentID != "" {
		return nil
	}

	var heard []*events.LedgerEntryAdded
	switch e := in.Event.(type) {
	case *events.ToolSucceeded:
		if e.ToolName == "AskUserQuestion" {
			heard = answered(e.ToolResponse)
		}
	case *events.PromptSubmitted:
		if !startsHeadless(in, w, r) { // a script's prompt may hold anybody's text
			heard = decisionsOfUser(e.UserText())
		}
	case *events.TurnStopped:
		heard = decisionsOfAgent(e.LastAssistantMessage)
	}
	if heard == nil {
		return nil
	}

	s := LedgerOf(r.Reader, w.Project)
	var asked []events.Event
	for _, e := range heard {
		e.Kind, e.Source = events.LedgerDecision, in.Name()
		if _, before := s.Judge(e); before != nil && e.By == "user" {
			e.Replaces = before.ID
		}
		asked = append(asked, e)
	}
	list, _ := OrderLedger(s, asked)
	return list
}

// answered are the user's answers to the questions of one call, as far as they decide something of the work.
func answered(response json.RawMessage) []*events.LedgerEntryAdded {
	var given struct {
		Answers     map[string]any `json:"answers"`
		Annotations map[string]struct {
			Notes string `json:"notes"`
		} `json:"annotations"`
	}
	if json.Unmarshal(response, &given) != nil {
		return nil
	}

	var list []*events.LedgerEntryAdded
	for _, question := range slices.Sorted(maps.Keys(given.Answers)) {
		chosen, _ := given.Answers[question].(string)
		answer := answerWith(chosen, given.Annotations[question].Notes)
		if len(list) == maxHeard || !decidesWork(question, answer) {
			continue
		}
		list = append(list, &events.LedgerEntryAdded{Subject: wording.Short(question, 200), Text: wording.Short(answer, 200), By: "user"})
	}
	return list
}

// asksHowToGoOn matches a question of the agent about how it goes on: its answer is an order for the moment.
var asksHowToGoOn = regexp.MustCompile(`(?i)(\bmore questions\b|\b(would you like|do you want|shall i|should i|want) me to\b|\bshall i\b|^ready to\b|` +
	`\bwh(at|ich).{0,20} (would you like|do you want) (me )?to (do|plan|work on|discuss|tackle|see)\b|\bwhat('s| is| should i do) next\b|` +
	`\bhow (should|would|shall|do) (i|we|you)( like| want)?( us| me)?( to)? (proceed|continue|execute|go on)\b|\bhow far should i\b|` +
	`\b(look|looks|sound|sounds) (good|right|ok)\b|\bproceed\?$)`)

// leavesIt matches an answer that leaves the decision to the agent, or names none of the choices.
var leavesIt = regexp.MustCompile(`(?i)^(you (decide|choose|pick)|up to you|your call|something else|other|not sure|i don['’]t know|\S+\.(png|jpe?g|gif|pdf|txt))\W*$`)

// decidesWork reports whether an answer decides something of the work: not how the agent goes on at the moment, and not a question
// that asks back.
func decidesWork(question, answer string) bool {
	asksBack := strings.HasSuffix(answer, "?") || strings.HasSuffix(answer, "？")
	return answer != "" && !asksBack && !leavesIt.MatchString(answer) && !asksHowToGoOn.MatchString(question)
}

// notesOnly is what the client (2.1.331) gives as the answer where the user chose nothing and wrote something.
const notesOnly = "(notes only)"

// answerWith joins what the user chose with what they wrote beside it; the client repeats words of their own in both.
func answerWith(chosen, notes string) string {
	chosen, notes = strings.TrimSpace(chosen), strings.TrimSpace(notes)
	chosen = strings.TrimSuffix(chosen, " (Recommended)") // the agent's word for it
	switch {
	case chosen == notesOnly, chosen == "":
		return notes
	case notes == "", notes == chosen:
		return chosen
	}
	return chosen + "; " + notes
}

// tellLedger gives a session that starts the last decisions, the next steps and open questions, and any session where
// it left the ledger. One that is resumed has what it decided itself in its context.
func tellLedger(in Input, w World, r Reader) []Item {
	switch e := in.Event.(type) {
	case *events.PromptSubmitted:
		return forkItems(LedgerOf(r.Reader, w.Project), in.Session, in.Time)
	case *events.SessionStarted:
		if forked(w, e) { // it has what its origin's context had
			return nil
		}
		return startItems(LedgerOf(r.Reader, w.Project), in, e.Source)
	}
	return nil
}

// answerAge is how long other sessions are told what the user answered to a question of the agent.
const answerAge = 24 * time.Hour

func startItems(s ledger.State, in Input, source string) []Item {
	decisions := slices.DeleteFunc(s.Open(events.LedgerDecision), func(e ledger.Entry) bool {
		wasAnswer := e.Source == "PostToolUse" // to a question of the moment, which its session mostly ends
		return wasAnswer && e.Session != in.Session && in.Time.Sub(e.Time) > answerAge
	})
	if source == "resume" {
		decisions = slices.DeleteFunc(decisions, func(e ledger.Entry) bool { return e.Session == in.Session })
	}
	items := forkItems(s, "", in.Time)
	if n := len(s.Handoffs); n > 0 && in.Time.Sub(s.Handoffs[n-1].Ended) <= handoffAge {
		h := s.Handoffs[n-1]
		result := "passed"
		if !h.Passed {
			result = "FAILED"
		}
		text := fmt.Sprintf("Synthesis %s ago %s, grounding %.2f.", wording.Age(in.Time.Sub(h.Ended)), result, h.Ratio)
		items = append(items, item("ledger.handoff", RankHandoff, text, h.Event))
	}
	items = append(items, decisionsItem(copies.Newest(decisions, toldDecisions))...)
	items = append(items, ledgerItem("ledger.steps", RankHandoff, "Next: ", s.Open(events.LedgerStep), stepTokens)...)
	return append(items, ledgerItem("ledger.questions", RankBlockers, "Open question: ", s.Open(events.LedgerQuestion), questionTokens)...)
}

// followLedger marks a delta synthesis when a turn ends and the context has grown by the first threshold (S3 "Delta-Synthesis"):
// the ledger is in the log already, so there is nothing to write.
func followLedger(in Input, w World, r Reader) []events.Event {
	if _, ok := in.Event.(*events.TurnStopped); !ok || in.Session == "" {
		return nil
	}
	attention := sessionOf(r, in.Session).Attention
	if w.Delta == 0 || session.Tokens(attention.Unsynced) < w.Delta {
		return nil
	}
	decisions := LedgerOf(r.Reader, w.Project).Open(events.LedgerDecision)
	return []events.Event{&events.LedgerDeltaSynced{Tokens: session.Tokens(attention.Bytes), Decisions: len(decisions)}}
}

// ledgerItem lists entries of the ledger, the newest first, within so many tokens.
func ledgerItem(id string, rank Rank, title string, list []ledger.Entry, tokens int) []Item {
	if len(list) == 0 {
		return nil
	}
	var entries []entry
	for _, e := range slices.Backward(list) {
		entries = append(entries, entry{text: fmt.Sprintf("%s [ledger %d, %s]", wording.Short(e.Text, decisionChars), e.Seq, speaker(e.By)), event: e.ID})
	}
	it := item(id, rank, "", entries[0].event)
	return []Item{entriesItem(tokens, it, entries, title, "; ")}
}

// decisionsItem lists decisions, the newest first, each on a line with who decided it.
func decisionsItem(decisions []ledger.Entry) []Item {
	if len(decisions) == 0 {
		return nil
	}
	var entries []entry
	for _, e := range slices.Backward(decisions) {
		e.Subject = wording.Short(e.Subject, subjectChars)
		text := fmt.Sprintf("Decided (%s): %s [ledger %d]", speaker(e.By), wording.Short(DecisionText(e), decisionChars), e.Seq)
		entries = append(entries, entry{text: text, event: e.ID})
	}
	it := item("ledger.decisions", RankDecisions, "", entries[0].event)
	return []Item{entriesItem(0, it, entries, "", "\n")}
}

// speaker returns who said something, as the model is told it: a person at a terminal is the user.
func speaker(by string) string {
	switch by {
	case "agent":
		return "agent"
	case "user", "person":
		return "user"
	}
	return "imported"
}

// forkItems say where the ledger holds against what was said, in a session or with "" in any.
func forkItems(s ledger.State, session string, now time.Time) []Item {
	var items []Item
	said := map[string]bool{} // of one entry the newest is enough
	for _, f := range slices.Backward(s.Forks) {
		holds := slices.ContainsFunc(s.Entries, func(e ledger.Entry) bool { return e.ID == f.Entry && e.Closed == nil })
		if !holds || said[f.Entry] || len(items) == 2 || now.Sub(f.Time) > forkAge || session != "" && f.Session != session {
			continue
		}
		said[f.Entry] = true
		text := fmt.Sprintf("Fork detected, resyncing from the ledger: it has %q, not %q.", wording.Short(Holds(s, f), 100), wording.Short(f.Context, 100))
		items = append(items, item("ledger.fork "+f.Event, RankDecisions, text, f.Event))
	}
	return items
}

// Holds is what the ledger has against a fork, with its subject.
func Holds(s ledger.State, f ledger.Fork) string {
	held := ledger.Entry{Text: f.Ledger}
	for _, e := range s.Entries {
		if e.ID == f.Entry {
			held.Subject = e.Subject
		}
	}
	return DecisionText(held)
}

// DecisionText is a decision with its subject and its rationale.
func DecisionText(e ledger.Entry) string {
	text := e.Text
	if e.Subject != "" {
		text = e.Subject + ": " + text
	}
	if e.Rationale != "" {
		text += " (" + e.Rationale + ")"
	}
	return text
}
