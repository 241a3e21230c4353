package identity

import (
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
		"opposite":           {one, opposite, 1, 0},
		"other length":       {one, one[:5], 1, 0},
		"four places":        {list(vectorOf(Vector{})), one, 1, 0.2774},
	} {
		expect.Equal(t, CrossSessionIC(c.cur, c.prev, c.r), c.want, name)
	}
}
