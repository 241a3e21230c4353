package session

import (
	"hookline/events"
	"hookline/events/wording"
)

// Start is the newest start of the session by the full profile, and whether its answer reached the model. One that did not,
// since the client had given up waiting, is told with a later hook of the session.
type Start struct {
	Event  string `json:"event,omitempty" jsonschema_description:"id of the start's event"`
	Source string `json:"source,omitempty" jsonschema_description:"how the session started: startup, resume, clear, compact or fork"`
	Told   string `json:"told,omitempty" jsonschema_description:"id of the hook with whose answer the model was told what the start had to say, mostly the start itself; absent while it was not told"`
	Hooks  int    `json:"hooks,omitempty" jsonschema_description:"number of hooks since then whose answer could have told it, until it was told, at most 5"`
}

// StartHooks is the number of hooks with which it is tried to tell a start that was not told. Each may come too late itself on a
// busy machine.
const StartHooks = 5

// startOf returns the start that a record is, the zero value for one whose answer nobody waits for: of a transcript, or of the
// identity profile, which is told by verbs of its own.
func startOf(r events.Record, e *events.SessionStarted) Start {
	if f := r.Facts; f != nil && (f.Profile != "" || f.Note == events.FromTranscript) {
		return Start{}
	}
	return Start{Event: r.ID, Source: wording.Clip(e.Source, maxWord)}
}

// carried counts a hook that could have told what a start had to say. The answer to one that waited in the spool is read by
// nobody.
func (s *Start) carried(r events.Record) {
	spooled := r.Facts != nil && r.Facts.Spooled
	if s.Event == "" || s.Told != "" || spooled || r.AgentID != "" {
		return
	}
	s.Hooks = min(s.Hooks+1, StartHooks)
}

// told takes in that the model was told something.
func (s *Start) told(r events.Record, e *events.ContextInjected) {
	direct := e.Hook == "SessionStart" && r.Causation == s.Event
	if s.Event != "" && (direct || e.Start == s.Event) {
		s.Told = r.Causation
	}
}

// answerMissed takes in that the answer with which a start was told did not reach the client after all: it is told again.
func (s *State) answerMissed(_ events.Record, e *events.AnswerMissed) {
	if e.Start == s.Start.Event {
		s.Start.Told = ""
		s.Injected = nil
	}
}
