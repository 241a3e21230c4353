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

// prompt follows a slash command from its expansion to the Stop that ends its prompt. A turn that
// stops while background work runs has not ended it; another prompt before that means that it never
// will be (Esc), and the command satisfies nothing.
func (s *State) prompt(r events.Record) {
	if r.Session == "" {
		return
	}
	p, known := s.Pending[r.Session]
	switch e := r.Event.(type) {
	case *events.PromptExpanded:
		p = Pending{Command: clip(strings.TrimPrefix(e.CommandName, "/")), PromptID: clip(e.PromptID), Event: r.ID}
		s.Pending = put(s.Pending, r.Session, p, func(p Pending) string { return p.Event })
	case *events.PromptSubmitted:
		if known && (!p.Background || !strings.HasPrefix(strings.TrimSpace(e.Prompt), notification)) && clip(e.PromptID) != p.PromptID {
			delete(s.Pending, r.Session)
		}
	case *events.TurnStopped:
		switch {
		case !known || !p.of(e):
		case Working(e):
			p.Background = true
			s.Pending[r.Session] = p
		default:
			delete(s.Pending, r.Session)
		}
	case *events.SessionEnded, *events.SessionReaped:
		delete(s.Pending, r.Session)
	}
}

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
