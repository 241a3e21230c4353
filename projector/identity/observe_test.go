package identity

import (
	"errors"
	"math"
	"strings"
	"testing"

	"hookline/events"
)

func TestCheckObserved(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	bad := basis(2)
	bad[4] = nan()
	far := basis(2)
	far[12] = 1.5
	for want, e := range map[string]events.IdentityObserved{
		"observation refused: purpose_vector: 3 values instead of 13":        {PurposeVector: []float64{1, 2, 3}},
		"observation refused: purpose_vector[5]: NaN is not a finite number": {PurposeVector: bad},
		"observation refused: purpose_vector[13]: 1.5 is outside [-1, 1]":    {PurposeVector: far},
		"observation refused: purpose_vector: all values are zero":           {PurposeVector: make([]float64, 13)},
		"observation refused: kuramoto_phases: 0 values instead of 13":       {KuramotoPhases: []float64{}},
		"observation refused: coupling: 2.5 is outside [0, 2]":               {Coupling: number(2.5)},
		"observation refused: accuracy: -0.1 is outside [0, 1]":              {Accuracy: number(-0.1)},
		"observation refused: consciousness: +Inf is not a finite number":    {Consciousness: number(math.Inf(1))},
		"observation refused: no value is given":                             {Observer: "engine"},
		"":                                                                   {PurposeVector: basis(1), KuramotoPhases: make([]float64, 13), Coupling: number(2), Accuracy: number(1), Consciousness: number(0.96)},
	} {
		err := CheckObserved(&e)
		if got := message(err); got != want || want != "" && !errors.Is(err, ErrObserved) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestObservedContinuity: the continuity of an observed vector is its cosine with the one before.
func TestObservedContinuity(t *testing.T) {
	before := newborn().PurposeVector
	v := basis(0)
	s := run(newborn(), events.TypeIdentityObserved, encoded(t, &events.IdentityObserved{PurposeVector: v}))
	near(t, "IC", s.LastIC, cosine(before[:], v), 1e-4)
	if !strings.HasSuffix(s.Brief(), "IC=0.28]") {
		t.Error(s.Brief())
	}
}

// TestObservationEndsWithTheSession: on resume the formulas go on from the observed vector.
func TestObservationEndsWithTheSession(t *testing.T) {
	s := run(newborn(),
		events.TypeIdentityObserved, `{"purpose_vector":[1,1,0,0,0,0,0,0,0,0,0,0,0],"coupling":1.5,"consciousness":0.97}`,
		events.TypeIdentityPersisted, `{"reason":"session_end"}`)
	if s.Trajectory[0] != (Vector{0.7071, 0.7071}) || s.Coupling != 1.5 {
		t.Fatalf("the snapshot has %v", s.Trajectory[0])
	}
	s = run(s, events.TypeIdentityRestored, `{"source":"resume","outcome":"resumed"}`)
	if s.Held != (Held{}) || s.Coupling != 0.5 || s.Consciousness > 0.881 {
		t.Errorf("%+v", s.Held)
	}
	near(t, "IC across the pause", s.LastIC, 0.99, 0.01)
}
