package identity

import (
	"math"
	"testing"

	"hookline/events"
	"hookline/projector"
)

func nan() float64 { return math.NaN() }

// fill gives 13 phases.
func fill(f func(i int) float64) []float64 {
	out := make([]float64, events.Dim)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func TestEC_SESSION_11_phases_not_finite(t *testing.T) {
	for _, bad := range []float64{nan(), math.Inf(1), math.Inf(-1)} {
		phases := fill(func(i int) float64 { return 0 })
		phases[5] = bad
		if r, psi := OrderParameter(phases); r != 0 || psi != 0 {
			t.Errorf("r = %v, ψ = %v", r, psi)
		}
		r := rec(9, events.TypeIdentityObserved, `{}`)
		r.Event = &events.IdentityObserved{KuramotoPhases: phases}
		s := projector.Fold(Table, newborn(), r)
		if !s.PhasesUnstable || s.KuramotoPhases[12] != 5.7999 || s.Integration != 0 || s.LastIC != 0 {
			t.Errorf("phases were not reset: %+v", s)
		}
		s = projector.Fold(Table, s, rec(10, events.TypePhasesReset, `{"reason":"not finite"}`))
		if s.PhasesUnstable {
			t.Error("the event that records the reset did not clear the flag")
		}
	}
	near(t, "IC for r = NaN", CrossSessionIC(list(vectorOf(Vector{})), list(vectorOf(Vector{})), nan()), 0, 0)
	near(t, "IC for r = +Inf", CrossSessionIC(list(vectorOf(Vector{})), list(vectorOf(Vector{})), math.Inf(1)), 1, 0)
}
