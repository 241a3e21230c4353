package identity

import (
	"errors"
	"fmt"
	"slices"

	"hookline/events"
)

// ErrObserved is wrapped by every refusal of an observation; the text names the field.
var ErrObserved = errors.New("observation refused")

// CheckObserved tells whether an outside engine's values can be taken: 13 elements, finite, in
// range. Elements are counted from 1.
func CheckObserved(e *events.IdentityObserved) error {
	if err := checkVector("purpose_vector", e.PurposeVector, -1, 1); err != nil {
		return err
	}
	if v, ok := toVector(e.PurposeVector); ok && v == (Vector{}) {
		return fmt.Errorf("%w: purpose_vector: all values are zero", ErrObserved)
	}
	if err := checkVector("kuramoto_phases", e.KuramotoPhases, -1e6, 1e6); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value *float64
		high  float64
	}{{"coupling", e.Coupling, maxCoupling}, {"accuracy", e.Accuracy, 1}, {"consciousness", e.Consciousness, 1}} {
		if f.value == nil {
			continue
		}
		if err := checkValue(f.name, *f.value, 0, f.high); err != nil {
			return err
		}
	}
	if e.PurposeVector == nil && e.KuramotoPhases == nil && e.Coupling == nil && e.Accuracy == nil && e.Consciousness == nil {
		return fmt.Errorf("%w: no value is given", ErrObserved)
	}
	return nil
}

func checkVector(name string, values []float64, low, high float64) error {
	if values == nil {
		return nil
	}
	if len(values) != events.Dim {
		return fmt.Errorf("%w: %s: %d values instead of %d", ErrObserved, name, len(values), events.Dim)
	}
	for i, x := range values {
		if err := checkValue(fmt.Sprintf("%s[%d]", name, i+1), x, low, high); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(name string, x, low, high float64) error {
	switch {
	case !finite(x):
		return fmt.Errorf("%w: %s: %v is not a finite number", ErrObserved, name, x)
	case x < low || x > high:
		return fmt.Errorf("%w: %s: %v is outside [%v, %v]", ErrObserved, name, x, low, high)
	}
	return nil
}

// observe takes an observation into force; the one before is over, and what the new one leaves out
// follows the formulas again. IC is taken against the vector before it. An observation that should
// have been refused is passed over, but phases that are not finite are an instability.
func (s *State) observe(r events.Record, e *events.IdentityObserved) {
	if err := CheckObserved(e); err != nil {
		if slices.ContainsFunc(e.KuramotoPhases, func(x float64) bool { return !finite(x) }) {
			s.setPhases(e.KuramotoPhases)
			s.refresh()
		}
		return
	}
	before := s.PurposeVector
	s.Held = Held{Event: r.ID}
	s.Coupling = restCoupling
	if e.PurposeVector != nil {
		v, _ := toVector(e.PurposeVector)
		s.PurposeVector, s.Held.PurposeVector = normalised(v), true
		s.LastEntry = before
	}
	if e.KuramotoPhases != nil {
		s.setPhases(e.KuramotoPhases)
		s.Held.KuramotoPhases = true
	}
	if e.Coupling != nil {
		s.Coupling, s.Held.Coupling = round(*e.Coupling), true
	}
	if e.Accuracy != nil {
		s.Accuracy, s.Held.Accuracy = round(*e.Accuracy), true
	}
	if e.Consciousness != nil {
		s.Consciousness, s.Held.Consciousness = round(*e.Consciousness), true
	}
	s.refresh()
	s.chart(r)
}

// release ends an observation without a jump: the sums become those whose vector is nearest to the
// observed one.
func (s *State) release() {
	if s.Held.PurposeVector {
		s.Sums = sumsFor(s.PurposeVector, max(mass(s.Sums), releaseMass))
	}
	s.Held = Held{}
	s.Coupling = restCoupling
}

// releaseMass is the evidence that a released vector stands on: enough to come within a cosine of
// .99 of one that has a single facet, the hardest case.
const releaseMass = 100

// retract takes an observation back when it is the one in force: the formulas hold again, as if it
// had not been.
func (s *State) retract(_ events.Record, e *events.RecordRetracted) {
	if e.Target == "" || e.Target != s.Held.Event {
		return
	}
	s.Held = Held{}
	s.Coupling = restCoupling
	s.refresh()
}
