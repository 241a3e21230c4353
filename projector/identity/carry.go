package identity

import (
	"math"

	"hookline/events"
)

// gapHalfLife is the time in which evidence loses half its weight between two sessions: 7 days.
const gapHalfLife = 7 * 24 * 3600 * 1000

// CarryOf is what a session hands to the one that starts gapMS milliseconds after its snapshot; a
// gap below zero counts as none. It is nil for a session without identity.
func CarryOf(prev State, gapMS int64) *events.Carry {
	if !prev.Born || prev.Deleted {
		return nil
	}
	vector := prev.PurposeVector
	prev.release()
	decay := math.Exp2(-float64(max(gapMS, 0)) / gapHalfLife)
	for i := range prev.Sums {
		prev.Sums[i] = round(float64(prev.Sums[i] * decay))
	}
	c := &events.Carry{
		PurposeVector: list(vector), Sums: list(prev.Sums), Phases: list(prev.KuramotoPhases), Coupling: prev.Coupling,
		Successes: prev.Successes, Calls: prev.Calls, LastEntry: list(prev.LastEntry), LastIC: prev.LastIC,
	}
	for i := range prev.Unused {
		if n := idle(&prev, i); n > 0 {
			if c.Unused == nil {
				c.Unused = map[int]int{}
			}
			c.Unused[i] = n
		}
	}
	return c
}

// idle is the number of sessions in a row, this one included, in which a facet had no evidence.
func idle(s *State, facet int) int {
	if s.Used[facet] {
		return 0
	}
	return s.Unused[facet] + 1
}

func list(v Vector) []float64 { return append([]float64(nil), v[:]...) }

// restored begins a session's identity, or lets it go on.
func (s State) restored(r events.Record, e *events.IdentityRestored) State {
	if s.Deleted && (e.Source == "compact" || millis(r) <= s.TimestampMS) {
		return s // deleted while it lives, or a start that came late: only one after the deletion begins it anew
	}
	switch e.Outcome {
	case "continued":
		if s.Deleted {
			return s
		}
		return s.alive(r)
	case "resumed":
		if s.Born && !s.Deleted {
			return s.resumed(r)
		}
	}
	born := birth(r)
	if !s.Deleted {
		born.Snapshots = s.Snapshots
	}
	if e.Carry != nil && e.Outcome != "fresh" {
		born.inherit(e.Previous, e.Carry)
	}
	return born
}

// resumed lets the session's own state go on. What an outside engine had set ended with the
// session; the continuity is taken across the pause.
func (s State) resumed(r events.Record) State {
	s = s.alive(r)
	before := s.PurposeVector
	s.release()
	s.Live, s.Persisted = true, false
	s.LastEntry = before
	s.refresh()
	s.CrossSessionIC = s.LastIC
	return s
}

// recovered makes an identity of the past the session's own; its trajectory stays.
func (s State) recovered(r events.Record, e *events.IdentityRecovered) State {
	if e.Carry == nil {
		return s
	}
	s.release()
	s.inherit(e.Session, e.Carry)
	s.History = push(s.History, Point{AtMS: millis(r), IC: s.LastIC}, maxHistory)
	return s
}

// inherit takes over what another session carried along. The continuity across the two compares
// the vector that the decayed sums give with the one of that session's snapshot; after that, the
// last entry of that session is what the next continuity is taken against.
func (s *State) inherit(from string, c *events.Carry) {
	s.PreviousSessionID = cut(from)
	prev, known := toVector(c.PurposeVector)
	prev = normalised(prev)
	if sums, ok := toVector(c.Sums); ok {
		s.Sums = bounded(sums)
	} else if known {
		s.Sums = sumsFor(prev, releaseMass)
	}
	s.setPhases(c.Phases)
	s.Coupling = round(clamp(c.Coupling, 0, maxCoupling))
	s.Calls = round(clamp(c.Calls, 0, maxSum))
	s.Successes = round(clamp(c.Successes, 0, s.Calls))
	for i := range s.Unused {
		s.Unused[i] = max(c.Unused[i], 0)
	}
	s.LastEntry = vectorOf(s.Sums)
	if known {
		s.LastEntry = prev
	}
	s.refresh()
	s.CrossSessionIC = s.LastIC
	origin := s.LastEntry
	s.Origin, s.Continuity = &origin, nil
	if entry, ok := toVector(c.LastEntry); ok {
		s.LastEntry = normalised(entry)
	}
}

func bounded(sums Vector) Vector {
	for i, x := range sums {
		sums[i] = clamp(x, 0, maxSum)
	}
	return sums
}
