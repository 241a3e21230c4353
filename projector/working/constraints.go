package working

import (
	"slices"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/speech"
	"hookline/events/wording"
)

// Constraints: what the user said is always, never or only to be done (DECISIONS S2). They hold while the goal is open.

// constrained takes in the constraints of a text, by a session of a team or, without a name, by the user. One that was given before
// is replaced.
func (s *State) constrained(r events.Record, by, text string) {
	for _, sentence := range speech.Constraints(text) {
		same := func(n Note) bool { return speech.SameConstraint(n.Text, sentence) }
		list, _ := copies.Take(s.Constraints, same)
		note := Note{Text: wording.Short(sentence, maxConstraint), By: by, Event: r.ID, Time: r.Time}
		s.Constraints = copies.Push(list, note, maxConstraints)
		s.closeCarried(r, func(i events.OpenItem) bool {
			return i.Kind == events.OpenConstraint && speech.SameConstraint(i.Text, sentence)
		})
	}
}

// releaseFormer drops, at a new request, the constraints of the one before it: they were about that work. Those of the goal stay, and
// those that hold beyond the work at hand.
func (s *State) releaseFormer() {
	isFormer := func(n Note) bool {
		ofGoal := s.Goal != nil && n.Event == s.Goal.Event
		return n.By == "" && !ofGoal && !speech.Standing(n.Text)
	}
	if slices.ContainsFunc(s.Constraints, isFormer) {
		s.Constraints, _ = copies.Take(s.Constraints, isFormer)
	}
}

// releasePassing drops the constraints that hold until the next request.
func (s *State) releasePassing() {
	isPassing := func(n Note) bool { return speech.Passing(n.Text) }
	if slices.ContainsFunc(s.Constraints, isPassing) {
		s.Constraints, _ = copies.Take(s.Constraints, isPassing)
	}
}
