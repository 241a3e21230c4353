package gate

import (
	"maps"
	"slices"
	"strings"
	"time"

	"hookline/events"
)

// imported merges what a file of another tool says. Of two satisfactions the newer wins, so that
// importing twice changes nothing and an old file undoes nothing.
func (s *State) imported(r events.Record, e *events.GateImported) {
	for _, in := range e.Gates {
		if !s.overtaken(in) {
			s.change(in.Name, in.Scope, in.Session, func(en *Entry) { en.merge(r, in) })
		}
	}
	for _, in := range e.Sessions {
		s.register(r, in)
	}
}

// overtaken tells whether an entry was cleared after the file was written.
func (s State) overtaken(in events.GateImportedEntry) bool {
	g := s.Gates[clip(in.Name)]
	return later(g.Branch.Cleared, in) || in.Session != "" && later(g.Sessions[in.Session].Cleared, in)
}

// News tells whether an entry says anything that the cell does not have: what folding it would change.
func (s State) News(in events.GateImportedEntry) bool {
	if s.overtaken(in) {
		return false
	}
	g := s.Gates[clip(in.Name)]
	old := g.Branch
	if in.Session != "" {
		old, _ = g.Of(in.Session)
	}
	now := old
	now.merge(events.Record{}, in)
	return now.Satisfied != old.Satisfied || now.Triggered != old.Triggered
}

// Foreign is a session of another tool's registry: it has sent no hook yet, so the registry is all that is known.
type Foreign struct {
	PID        int       `json:"pid,omitempty" jsonschema_description:"process id"`
	Start      int64     `json:"start,omitempty" jsonschema_description:"of the process, in the platform's own unit; absent: it was gone when the registry was read"`
	Dir        string    `json:"dir,omitempty" jsonschema_description:"where it worked"`
	Branch     string    `json:"branch,omitempty" jsonschema_description:"that was checked out there"`
	Started    time.Time `json:"started,omitzero" jsonschema_description:"when"`
	LastActive time.Time `json:"last_active,omitzero" jsonschema_description:"when"`
	Event      string    `json:"event" jsonschema_description:"id of the event that says so"`
}

// register keeps what a registry says of a session; what was said later counts.
func (s *State) register(r events.Record, in events.GateImportedSession) {
	id := clip(in.Session)
	if id == "" {
		return
	}
	if s.Imported == nil {
		s.Imported = map[string]Foreign{}
	}
	if _, ok := s.Imported[id]; !ok && len(s.Imported) >= maxImported {
		delete(s.Imported, oldest(s.Imported, func(f Foreign) time.Time { return f.LastActive }))
	}
	s.Imported[id] = Foreign{PID: in.PID, Start: in.PIDStart, Dir: long(in.ProjectDir), Branch: long(in.Branch),
		Started: timeOf(in.StartedAt), LastActive: timeOf(in.LastActive), Event: r.ID}
}

// Same tells whether a registry says nothing new of a session.
func (f Foreign) Same(in events.GateImportedSession) bool {
	return f.PID == in.PID && f.Start == in.PIDStart && f.Dir == long(in.ProjectDir) && f.Branch == long(in.Branch) &&
		f.Started.Equal(timeOf(in.StartedAt)) && f.LastActive.Equal(timeOf(in.LastActive))
}

// long keeps a path.
func long(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxPath)], "") }

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

// imported tells whether any of an entry comes from an import.
func (e Entry) imported() bool {
	return e.Satisfied != nil && e.Satisfied.Imported || e.Triggered != nil && e.Triggered.Imported
}

// Foreigners are the sessions of a branch's cell that an import alone may know, sorted: those of a registry, and those
// that a file of gates names, by the first eight characters of their ids or whole as the file has them.
func (s State) Foreigners() []string {
	seen := map[string]bool{}
	for id := range s.Imported {
		seen[id] = true
	}
	for _, g := range s.Gates {
		for id, e := range g.Sessions {
			if events.Alias(id) == id || e.imported() {
				seen[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// foreign tells whether an import alone knows a session: what is said of it counts for the one that its eight
// characters begin.
func (s State) foreign(session string) bool {
	if _, ok := s.Imported[session]; ok {
		return true
	}
	if session == "" || events.Alias(session) != session {
		return false
	}
	for _, g := range s.Gates {
		if g.Sessions[session].imported() {
			return true
		}
	}
	return false
}
