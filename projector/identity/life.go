package identity

import (
	"math"
	"slices"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// alive gives the state a birth if it has none: a log may begin in the middle of a session. A hook
// other than the session's end says that the session lives; what hookline does to it does not.
func (s State) alive(r events.Record) State {
	if !s.Born {
		s = birth(r)
	}
	if _, hook := r.Event.(events.HookEvent); hook {
		s.Live, s.Persisted = true, false
		if r.Project != "" { // an event about gates belongs to the repository that these stand in
			s.Project = r.Project
		}
	}
	return s
}

// birth is the identity of a session that has no past.
func birth(r events.Record) State {
	s := State{
		SessionID: cut(r.Session), TimestampMS: r.Time.UnixMilli(), Project: r.Project, Born: true, Live: true,
		Coupling: restCoupling, Trajectory: []Vector{}, CrisisThreshold: CrisisThreshold, CrossSessionIC: 1,
		LastEntry: vectorOf(Vector{}), // uniform
	}
	s.refresh()
	return s
}

// work folds an event that may give evidence, see the package comment for the order.
func (s *State) work(r events.Record) {
	a := actOf(r)
	e := evidence(s, &a)
	s.count(&a)
	closed := s.settle(&a)
	switch {
	case a.failed || a.denied:
		s.fan()
	case a.succeeded:
		s.shrink(closed)
	}
	facet := e != Vector{}
	if facet {
		s.feed(e)
		if !s.Held.KuramotoPhases && len(s.Open) == 0 { // all stand still while a failure is open
			s.KuramotoPhases = stepped(s.KuramotoPhases, s.Coupling)
		}
	}
	s.remember(&a)
	s.refresh()

	if facet {
		s.chart(r)
	}
	if facet && s.FacetEvents == entryEvery && s.Origin != nil {
		ic := CrossSessionIC(s.PurposeVector[:], s.Origin[:], s.Integration)
		s.Continuity = &ic
	}
	if a.prompt {
		s.Prompts++
	}
	if a.prompt || (facet && s.FacetEvents%entryEvery == 0) {
		s.enter(r.Time.UnixMilli())
	}
}

// chart takes the continuity into the chart.
func (s *State) chart(r events.Record) {
	s.History = copies.Push(s.History, Point{AtMS: r.Time.UnixMilli(), IC: s.LastIC}, maxHistory)
}

// refresh takes everything that follows from sums, phases and counts.
func (s *State) refresh() {
	if !s.Held.PurposeVector {
		s.PurposeVector = vectorOf(s.Sums)
	}
	if !s.Held.Accuracy {
		s.Accuracy = round(clamp((prior+s.Successes)/(prior+s.Calls), 0, 1))
	}
	r, _ := OrderParameter(s.KuramotoPhases[:])
	s.Integration = round(r)
	s.Reflection = round(sigmoid(float64(4*s.Accuracy) - 2))
	s.Differentiation = round(entropy(s.PurposeVector))
	if !s.Held.Consciousness {
		s.Consciousness = round(clamp(float64(float64(s.Integration*s.Reflection)*s.Differentiation), 0, 1))
	}
	s.LastIC = CrossSessionIC(s.PurposeVector[:], s.LastEntry[:], s.Integration)
}

// enter takes a trajectory entry; the next continuity is taken against it.
func (s *State) enter(atMS int64) {
	s.LastEntry = s.PurposeVector
	s.Trajectory = copies.Push(s.Trajectory, s.PurposeVector, MaxTrajectory)
	s.Marks = copies.Push(s.Marks, Mark{AtMS: atMS, R: s.Integration}, MaxTrajectory)
}

// persist makes the state the session's snapshot.
func (s *State) persist(r events.Record, e *events.IdentityPersisted) {
	s.enter(r.Time.UnixMilli())
	s.TimestampMS = e.At(r.Time).UnixMilli()
	s.Persisted, s.PersistedAtMS = true, s.TimestampMS
	s.Snapshots = copies.Push(s.Snapshots, Snapshot{AtMS: s.TimestampMS, IC: s.LastIC, R: s.Integration, C: s.Consciousness}, maxSnapshots)
}

// shorten drops the oldest n trajectory entries.
func (s *State) shorten(n int) {
	if n <= 0 {
		return
	}
	s.Trajectory = append([]Vector{}, s.Trajectory[min(n, len(s.Trajectory)):]...)
	s.Marks = append([]Mark{}, s.Marks[min(n, len(s.Marks)):]...)
}

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
		Unused: map[int]int{},
	}
	for i := range prev.Unused {
		if n := idle(&prev, i); n > 0 {
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

func list(v Vector) []float64 { return slices.Clone(v[:]) }

// restored begins a session's identity, or lets it go on.
func (s State) restored(r events.Record, e *events.IdentityRestored) State {
	if s.Deleted && (e.Source == "compact" || r.Time.UnixMilli() <= s.TimestampMS) {
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
	s.chart(r)
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

// cut shortens a session id to 100 characters (S0 EC-12); intake warns, this is the second wall.
func cut(id string) string {
	return wording.Chars(id, maxSessionID)
}
