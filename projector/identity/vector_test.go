package identity

import (
	"math"
	"testing"

	"hookline/events"
	"hookline/expect"
)

func basis(i int) []float64 {
	v := make([]float64, events.Dim)
	v[i] = 1
	return v
}

func TestTC_SESSION_07_identical_vectors(t *testing.T) {
	half := fill(func(int) float64 { return 0.5 })
	near(t, "IC", CrossSessionIC(half, half, 0.9), 0.9, 0)
}

func TestTC_SESSION_08_orthogonal_vectors(t *testing.T) {
	near(t, "IC", CrossSessionIC(basis(0), basis(1), 0.9), 0, 0)
}

func TestEC_SESSION_04_identical_is_r(t *testing.T) {
	for _, r := range []float64{0, 0.25, 0.5, 1} {
		near(t, "IC", CrossSessionIC(list(vectorOf(Vector{})), list(vectorOf(Vector{})), r), r, 0)
	}
}

func TestEC_SESSION_05_orthogonal_is_a_crisis(t *testing.T) {
	s := run(newborn(), events.TypeIdentityObserved, encoded(t, &events.IdentityObserved{PurposeVector: basis(0)}),
		events.TypePromptSubmitted, `{"prompt":"x"}`,
		events.TypeIdentityObserved, encoded(t, &events.IdentityObserved{PurposeVector: basis(1)}))
	if s.LastIC != 0 || Classify(s.LastIC) != "degraded" || !s.DreamDue(0) {
		t.Errorf("IC = %v", s.LastIC)
	}
}

// TestContinuity holds the borders of origins 0.5.
func TestContinuity(t *testing.T) {
	zero, one := make([]float64, 13), basis(3)
	opposite := fill(func(i int) float64 { return -one[i] })
	for name, c := range map[string]struct {
		cur, prev []float64
		r, want   float64
	}{
		"no previous vector": {one, nil, 0.3, 1},
		"zero vector":        {zero, one, 1, 0},
		"previous is zero":   {one, zero, 1, 0},
		"opposite":           {one, opposite, 1, 0},
		"r above one":        {one, one, 7, 1},
		"r below zero":       {one, one, -1, 0},
		"other length":       {one, one[:5], 1, 0},
		"four places":        {list(vectorOf(Vector{})), one, 1, 0.2774},
	} {
		expect.Equal(t, CrossSessionIC(c.cur, c.prev, c.r), c.want, name)
	}
}

// TestConsciousness holds the figures of origins 0.2.
func TestConsciousness(t *testing.T) {
	near(t, "σ(2)", sigmoid(2), 0.881, 0.0003)
	near(t, "H(uniform)", entropy(vectorOf(Vector{})), 1, 1e-9)
	near(t, "H(zero)", entropy(Vector{}), 0, 0)
	near(t, "H(one facet)", entropy(Vector{1}), 0, 1e-4)
	for _, c := range []struct{ r, accuracy, low, high float64 }{{0.9, 0.9, 0.6, 0.8}, {1, 1, 0.88, 0.881}, {0.2, 1, 0, 0.4}} {
		if got := c.r * sigmoid(4*c.accuracy-2) * entropy(vectorOf(Vector{})); got <= c.low || got >= c.high {
			t.Errorf("C(%v, %v) = %v, want within (%v, %v)", c.r, c.accuracy, got, c.low, c.high)
		}
	}
}

func TestAccuracy(t *testing.T) {
	near(t, "prior", newborn().Accuracy, 1, 0)
	s := run(newborn(), events.TypeToolFailed, bash("a"))
	near(t, "after one failure", s.Accuracy, 0.6667, 0)
	s = run(s, events.TypeToolSucceeded, bash("b"))
	near(t, "after one success", s.Accuracy, round((2+1)/(2+1+callDecay)), 0.0001)
	near(t, "half-life of a call", math.Pow(callDecay, 10), 0.5, 1e-12)
	near(t, "half-life of evidence", math.Pow(sumDecay, 15), 0.5, 1e-12)
}

func TestSumsFor(t *testing.T) {
	sums := Vector{3, 0, 1.5, 0, 0, 7, 0.25}
	back := sumsFor(vectorOf(sums), mass(sums))
	for i := range sums {
		near(t, "sum", back[i], sums[i], 0.02)
	}
	v := vectorOf(sumsFor(Vector{1}, releaseMass))
	near(t, "cosine with a single facet", cosine(v[:], basis(0)), 0.997, 0.001)
	if sumsFor(Vector{-1}, 100) != (Vector{}) {
		t.Error("a vector without positive values has no sums")
	}
}

func TestRound(t *testing.T) {
	for _, c := range [][2]float64{{0.12345, 0.1235}, {-0.00001, 0}, {nan(), 0}, {math.Inf(1), 0}, {2, 2}} {
		if got := round(c[0]); got != c[1] || math.Signbit(got) {
			t.Errorf("round(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}
