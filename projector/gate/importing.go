package gate

import "hookline/events"

// imported merges what a file of another tool says. Of two satisfactions the newer one counts, so importing twice
// changes nothing and an old file undoes nothing.
func (s *State) imported(r events.Record, e *events.GateImported) {
	for _, in := range e.Gates {
		if !s.News(in) {
			continue
		}
		s.change(in.Name, in.Scope, importedAs(in.Session), func(en *Entry) {
			en.Satisfied = &Mark{At: timeOf(in.SatisfiedAt), Event: r.ID, By: clip(in.SatisfiedBy), Expires: timeOf(in.ExpiresAt), Metadata: small(in.Metadata)}
		})
	}
}

// importedAs returns the name under which a gate keeps what a file says of a session: a mark and the first eight
// characters of its id where the file has no more than these, so that it is no session's own name.
func importedAs(session string) string {
	if session == "" || events.Alias(session) != session {
		return session
	}
	return "~" + session
}

// News reports whether an imported entry is newer than what the cell has: a satisfaction that is later than the known one
// and than any clearing.
func (s State) News(in events.GateImportedEntry) bool {
	g := s.Gates[clip(in.Name)]
	old := g.Branch
	if in.Session != "" {
		old, _ = g.Of(in.Session)
	}

	at := timeOf(in.SatisfiedAt)
	for _, known := range []*Mark{old.Satisfied, old.Cleared, g.Branch.Cleared} {
		if known != nil && !at.After(known.At) {
			return false
		}
	}
	return !at.IsZero()
}
