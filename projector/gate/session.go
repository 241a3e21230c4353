package gate

import (
	"strings"

	"hookline/events"
)

// What a session was told, and which slash command its prompt is.

// block sets a session's denials, with one that is new.
func (s *State) block(r events.Record, b Block, names []string) {
	b.Names, b.Event = names, r.ID
	s.Blocks = put(s.Blocks, r.Session, b, func(b Block) string { return b.Event })
}

// notification begins the prompt by which the client reports finished background work; it is no new
// prompt of the user's.
const notification = "<task-notification>"

// A slash command is followed from its expansion to the Stop that ends its prompt. A turn that stops while background work
// runs has not ended it; another prompt before that means that it never will be (Esc), and the command satisfies nothing.

func (s *State) promptExpanded(r events.Record, e *events.PromptExpanded) {
	if r.Session == "" {
		return
	}
	p := Pending{
		Command:  clip(strings.TrimPrefix(e.CommandName, "/")),
		PromptID: clip(e.PromptID),
		Event:    r.ID,
	}
	s.Pending = put(s.Pending, r.Session, p, func(p Pending) string { return p.Event })
}

func (s *State) promptSubmitted(r events.Record, e *events.PromptSubmitted) {
	p, known := s.Pending[r.Session]
	if !known || clip(e.PromptID) == p.PromptID {
		return
	}
	news := strings.HasPrefix(strings.TrimSpace(e.Prompt), notification)
	if p.Background && news {
		return
	}
	delete(s.Pending, r.Session)
}

func (s *State) turnStopped(r events.Record, e *events.TurnStopped) {
	p, known := s.Pending[r.Session]
	if !known || !p.of(e) {
		return
	}
	if !Working(e) {
		delete(s.Pending, r.Session)
		return
	}
	p.Background = true
	s.Pending[r.Session] = p
}

func (s *State) sessionEnded(r events.Record, _ *events.SessionEnded) { delete(s.Pending, r.Session) }

func (s *State) sessionReaped(r events.Record, _ *events.SessionReaped) { delete(s.Pending, r.Session) }

// of reports whether a Stop belongs to the command's prompt: the ids agree, one of them is not known, or
// the prompt went on in the background, where each piece of news has an id of its own.
func (p Pending) of(e *events.TurnStopped) bool {
	return p.Background || e.PromptID == "" || p.PromptID == "" || clip(e.PromptID) == p.PromptID
}

// Working reports whether background work goes on after a Stop: the turn is then not the end.
func Working(e *events.TurnStopped) bool {
	for _, t := range e.BackgroundTasks {
		switch t.Status {
		case "completed", "failed", "killed", "stopped", "cancelled":
		default:
			return true
		}
	}
	return false
}

// Ended is the slash command whose prompt ends with a Stop.
func (s State) Ended(session string, e *events.TurnStopped) (Pending, bool) {
	p, ok := s.Pending[session]
	return p, ok && p.of(e) && !Working(e)
}
