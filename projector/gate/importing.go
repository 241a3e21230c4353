package gate

import (
	"time"

	"hookline/events"
)

// imported merges what a file of another tool says. Of two satisfactions the newer wins, so that
// importing twice changes nothing and an old file undoes nothing.
func (s *State) imported(r events.Record, e *events.GateImported) {
	for _, in := range e.Gates {
		session := in.Session
		g := s.Gates[clip(in.Name)]
		if later(g.Branch.Cleared, in) || session != "" && later(g.Sessions[session].Cleared, in) {
			continue // it was cleared after the file was written
		}
		s.change(in.Name, in.Scope, session, func(en *Entry) { en.merge(r, in) })
	}
}

// later tells whether a clearing came after what the file says.
func later(cleared *Mark, in events.GateImportedEntry) bool {
	return cleared != nil && !timeOf(in.SatisfiedAt).After(cleared.At) && !timeOf(in.TriggeredAt).After(cleared.At)
}

func (e *Entry) merge(r events.Record, in events.GateImportedEntry) {
	if at := timeOf(in.SatisfiedAt); !at.IsZero() && (e.Satisfied == nil || at.After(e.Satisfied.At)) {
		m := importedMark(r, at)
		m.By, m.Expires, m.Metadata = clip(in.SatisfiedBy), timeOf(in.ExpiresAt), small(in.Metadata)
		e.Satisfied = &m
	}
	if at := timeOf(in.TriggeredAt); !at.IsZero() && (e.Triggered == nil || at.Before(e.Triggered.At)) {
		m := importedMark(r, at)
		e.Triggered = &m
	}
}

func importedMark(r events.Record, at time.Time) Mark {
	return Mark{At: at, Event: r.ID, Imported: true}
}
