package gate

import (
	"maps"
	"slices"
	"time"

	"hookline/events"
)

// At joins a branch's cell with its project's: the entries of deleted sessions and what was retracted
// count no more, up to the deletion; what a deleted session did for the whole branch stays. The result shares memory with
// both and must not be folded into.
func At(branch, project State) State {
	s := branch
	s.Pending, s.Deleted, s.Retracted, s.Off = project.Pending, project.Deleted, project.Retracted, project.Off
	if len(s.Deleted) == 0 && len(s.Retracted) == 0 {
		return s
	}
	s.Gates = make(map[string]Gate, len(branch.Gates))
	for name, g := range branch.Gates {
		out := Gate{Scope: g.Scope, Branch: s.only(g.Branch, ""), Sessions: make(map[string]Entry, len(g.Sessions))}
		for id, e := range g.Sessions {
			out.Sessions[id] = s.only(e, id)
		}
		s.Gates[name] = out
	}
	return s
}

// only returns the entry of a session, or of the branch where that is "", with the marks that count.
func (s State) only(e Entry, session string) Entry {
	var deleted time.Time
	for _, d := range s.Deleted {
		if d.Session == session {
			deleted = d.At
		}
	}
	counts := func(at time.Time, event string) bool {
		return at.After(deleted) && !slices.Contains(s.Retracted, event)
	}
	keep := func(m *Mark) *Mark {
		if m == nil || !counts(m.At, m.Event) {
			return nil
		}
		return m
	}
	out := Entry{Satisfied: keep(e.Satisfied), Triggered: keep(e.Triggered), Cleared: keep(e.Cleared)}
	if r := e.Reserved; r != nil && counts(r.At, r.Event) {
		out.Reserved = r
	}
	return out
}

// Satisfied reports whether a requirement of that scope is met for a session at a time.
func (s State) Satisfied(name, scope, session string, now time.Time) bool {
	_, ok := s.Satisfaction(name, scope, session, now)
	return ok
}

// Satisfaction is what meets the requirement. Scope session and single_use are met by the branch's entry
// (the override) or the session's; branch by the branch's; permanent by that whatever its time to live.
// Another scope is never met.
func (s State) Satisfaction(name, scope, session string, now time.Time) (Mark, bool) {
	g := s.Gates[clip(name)]
	switch scope {
	case events.GateScopePermanent:
		if m := g.Branch.Satisfied; m != nil {
			return *m, true
		}
	case events.GateScopeBranch:
		return g.Branch.met(now)
	case events.GateScopeSession, events.GateScopeSingleUse:
		if m, ok := g.Branch.met(now); ok {
			return m, true
		}
		e, _ := g.Of(session)
		return e.met(now)
	}
	return Mark{}, false
}

// met returns the satisfaction of an entry that has not run out.
func (e Entry) met(now time.Time) (Mark, bool) {
	if e.Satisfied == nil || e.Satisfied.Expired(now) {
		return Mark{}, false
	}
	return *e.Satisfied, true
}

// First is when a satisfaction was given, whichever session it was carried over to since.
func (m Mark) First() time.Time {
	if !m.Since.IsZero() {
		return m.Since
	}
	return m.At
}

// Expired reports whether a mark has run out; the last moment still counts.
func (m Mark) Expired(now time.Time) bool { return !m.Expires.IsZero() && now.After(m.Expires) }

// Of returns a session's entry. What a file names by eight characters counts for the session whose id begins with them
// until that has an entry of its own.
func (g Gate) Of(session string) (Entry, bool) {
	e, ok := g.Sessions[session]
	if !ok {
		e, ok = g.Sessions[importedAs(events.Alias(session))]
	}
	return e, ok
}

// OffAt returns since when and why the gates of a work tree are off.
func (s State) OffAt(dir string) (Mark, bool) {
	m, ok := s.Off[clip(dir)]
	return m, ok
}

// Held reports whether gates had anything to say on the branch: they were on.
func (s State) Held() bool {
	for _, g := range s.Gates {
		entries := append(slices.Collect(maps.Values(g.Sessions)), g.Branch)
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.Triggered != nil }) {
			return true
		}
	}
	return len(s.Blocks) > 0
}

// Own is what is said of a requirement for a session alone.
func (s State) Own(name, session string) Entry {
	e, _ := s.Gates[clip(name)].Of(session)
	return e
}

// InUse are the requirements whose satisfaction calls of a session have reserved, sorted.
func (s State) InUse(session string) []string {
	var names []string
	for name, g := range s.Gates {
		if e, _ := g.Of(session); e.Reserved != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Triggered reports whether a call that the requirement asks about was let through: for the session, or
// on the branch where its scope is branch or permanent.
func (s State) Triggered(name, scope, session string) bool {
	g := s.Gates[clip(name)]
	if shared(scope) {
		return g.Branch.Triggered != nil
	}
	e, _ := g.Of(session)
	return e.Triggered != nil
}

// Holds reports whether a gate has anything left of a session: something to clear.
func (s State) Holds(name, session string) bool {
	e, ok := s.Gates[clip(name)].Of(session)
	return ok && (e.Satisfied != nil || e.Triggered != nil)
}

// Carried is the newest satisfaction that another session has and that is at most window old: what a
// new session may go on with.
func (s State) Carried(name, session string, now time.Time, window time.Duration) (string, Mark, bool) {
	var from string
	var best Mark
	for id, e := range s.Gates[clip(name)].Sessions {
		m, ok := e.met(now)
		if !ok || id == session || now.Sub(m.First()) > window {
			continue
		}
		if from == "" || m.At.After(best.At) || m.At.Equal(best.At) && id < from {
			from, best = id, m
		}
	}
	return from, best, from != ""
}

// Count is how many requirements have something said about them, of sessions or of the branch; what
// was only cleared does not count.
func (s State) Count() int {
	n := 0
	for _, g := range s.Gates {
		entries := append(slices.Collect(maps.Values(g.Sessions)), g.Branch)
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.Satisfied != nil || e.Triggered != nil }) {
			n++
		}
	}
	return n
}
