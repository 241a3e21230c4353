package identity

import (
	"math"
	"testing"

	"hookline/events"
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

// TestOrderParameter holds the boundaries of origins 0.3.
func TestOrderParameter(t *testing.T) {
	r, psi := OrderParameter(fill(func(int) float64 { return 0 }))
	near(t, "r at rest", r, 1, 0)
	near(t, "ψ at rest", psi, 0, 0)
	r, psi = OrderParameter(fill(func(int) float64 { return math.Pi }))
	near(t, "r at π", r, 1, 1e-9)
	near(t, "ψ at π", psi, 3.1416, 0)
	even := fill(func(i int) float64 { return 2 * math.Pi * float64(i) / 13 })
	r, psi = OrderParameter(even)
	near(t, "r of an even spread", r, 0, 1e-9)
	near(t, "ψ of an even spread is the middle oscillator's", psi, 2.8999, 0)
	r, _ = OrderParameter(fill(func(i int) float64 { return float64(i%2) * math.Pi }))
	near(t, "r with six at π", r, 1.0/13, 1e-9)
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
		s := Fold(newborn(), r)
		if !s.PhasesUnstable || s.KuramotoPhases[12] != 5.7999 || s.Integration != 0 || s.LastIC != 0 {
			t.Errorf("phases were not reset: %+v", s)
		}
		s = Fold(s, rec(10, events.TypePhasesReset, `{"reason":"not finite"}`))
		if s.PhasesUnstable {
			t.Error("the event that records the reset did not clear the flag")
		}
	}
	near(t, "IC for r = NaN", CrossSessionIC(list(vectorOf(Vector{})), list(vectorOf(Vector{})), nan()), 0, 0)
	near(t, "IC for r = +Inf", CrossSessionIC(list(vectorOf(Vector{})), list(vectorOf(Vector{})), math.Inf(1)), 1, 0)
}

// TestFan holds the offsets of one failure and their limit: an even spread over the circle.
func TestFan(t *testing.T) {
	s := newborn()
	s.fan()
	near(t, "θ₁₃", s.KuramotoPhases[12], math.Pi/8, 1e-4)
	near(t, "θ₇", s.KuramotoPhases[6], 0, 0)
	near(t, "θ₁", s.KuramotoPhases[0], 2*math.Pi-math.Pi/8, 1e-4)
	s.shrink(false)
	near(t, "θ₁₃ after a success", s.KuramotoPhases[12], 0.75*math.Pi/8, 1e-4)
	for range 40 {
		s.fan()
	}
	r, psi := OrderParameter(s.KuramotoPhases[:])
	near(t, "r at the limit", r, 0, 0.01)
	near(t, "offset at the limit", math.Remainder(s.KuramotoPhases[12]-psi, 2*math.Pi), 12*math.Pi/13, 1e-3)
}

// TestStep compares the mean-field form with the textbook sum.
func TestStep(t *testing.T) {
	var phases Vector
	for i := range phases {
		phases[i] = round(float64(i*i) / 30)
	}
	got := stepped(phases, 0.5)
	for i, p := range phases {
		var sum float64
		for _, q := range phases {
			sum += math.Sin(q - p)
		}
		omega := -0.1 + 0.2*float64(i)/12
		near(t, "θ", got[i], p+0.1*(omega+0.5/13*sum), 1e-4)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range [][2]float64{{0, 0}, {-0.1, 6.1832}, {6.28318, 0}, {100, 5.7522}, {-1e-9, 0}, {6.2831, 6.2831}} {
		if got := wrap(c[0]); got != c[1] {
			t.Errorf("wrap(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}
