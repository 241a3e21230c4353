package identity

import (
	"strings"

	"hookline/events"
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
		SessionID: cut(r.Session), TimestampMS: millis(r), Project: r.Project, Born: true, Live: true,
		Coupling: restCoupling, Trajectory: []Vector{}, CrisisThreshold: CrisisThreshold, CrossSessionIC: 1,
	}
	s.LastEntry = uniform()
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
		s.step()
	}
	s.remember(&a)
	s.refresh()
	if facet {
		s.History = push(s.History, Point{AtMS: millis(r), IC: s.LastIC}, maxHistory)
	}
	if a.prompt {
		s.Prompts++
	}
	if facet && s.FacetEvents == entryEvery && s.Origin != nil {
		ic := CrossSessionIC(s.PurposeVector[:], s.Origin[:], s.Integration)
		s.Continuity = &ic
	}
	if a.prompt || (facet && s.FacetEvents%entryEvery == 0) {
		s.enter(millis(r))
	}
}

// refresh takes everything that follows from sums, phases and counts.
func (s *State) refresh() {
	if !s.Held.PurposeVector {
		s.PurposeVector = vectorOf(s.Sums)
	}
	if !s.Held.Accuracy {
		s.Accuracy = accuracy(s.Successes, s.Calls)
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
	s.Trajectory = push(s.Trajectory, s.PurposeVector, MaxTrajectory)
	s.Marks = push(s.Marks, Mark{AtMS: atMS, R: s.Integration}, MaxTrajectory)
}

// persist makes the state the session's snapshot.
func (s *State) persist(r events.Record, e *events.IdentityPersisted) {
	s.enter(millis(r))
	s.TimestampMS = millis(r)
	if s.TimestampMS > 0 {
		s.TimestampMS = e.At(r.Time).UnixMilli()
	}
	s.Persisted, s.PersistedAtMS = true, s.TimestampMS
	s.Snapshots = push(s.Snapshots, Snapshot{AtMS: s.TimestampMS, IC: s.LastIC, R: s.Integration, C: s.Consciousness}, maxSnapshots)
}

// shorten drops the oldest n trajectory entries.
func (s *State) shorten(n int) {
	if n <= 0 {
		return
	}
	s.Trajectory = append([]Vector{}, s.Trajectory[min(n, len(s.Trajectory)):]...)
	s.Marks = append([]Mark{}, s.Marks[min(n, len(s.Marks)):]...)
}

// push appends to a copy of list and drops the oldest elements above limit.
func push[T any](list []T, v T, limit int) []T {
	if over := len(list) + 1 - limit; over > 0 {
		list = list[over:]
	}
	out := make([]T, len(list)+1)
	copy(out, list)
	out[len(list)] = v
	return out
}

// cut shortens a session id to 100 characters (S0 EC-12); intake warns, this is the second wall.
func cut(id string) string {
	if len(id) <= maxSessionID {
		return id
	}
	n := 0
	for i := range id {
		if n == maxSessionID {
			return strings.Clone(id[:i]) // a clone, so that the long one can go
		}
		n++
	}
	return id
}

// millis is the record's capture time; a time that Unix milliseconds cannot hold is 0.
func millis(r events.Record) int64 {
	if r.Time.IsZero() || r.Time.Year() < 1 || r.Time.Year() > 9999 {
		return 0
	}
	return r.Time.UnixMilli()
}
