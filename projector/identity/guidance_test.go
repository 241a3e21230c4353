package identity

import (
	"testing"

	"hookline/expect"
)

func TestTC_SESSION_04_short_names(t *testing.T) {
	want := map[Consciousness][2]string{Conscious: {"CON", "CONSCIOUS"}, Emerging: {"EMG", "EMERGING"},
		Fragmented: {"FRG", "FRAGMENTED"}, Dormant: {"DOR", "DORMANT"}, Hypersync: {"HYP", "HYPERSYNC"}, 99: {"HYP", "HYPERSYNC"}}
	for c, w := range want {
		if c.ShortName() != w[0] || c.LongName() != w[1] {
			t.Errorf("%d: %s %s, want %v", c, c.ShortName(), c.LongName(), w)
		}
	}
}

func TestTC_SESSION_09_classes(t *testing.T) {
	for ic, want := range map[float64]string{0.91: "healthy", 0.90: "healthy", 0.89: "good", 0.71: "good", 0.70: "good",
		0.69: "warning", 0.51: "warning", 0.50: "warning", 0.49: "degraded", 0.895: "healthy", 0.8949: "good", 0.49994: "warning", 0.4949: "degraded", 0: "degraded", 1: "healthy"} {
		expect.Equal(t, Classify(ic), want, "IC", ic)
	}
}

func TestGuidance(t *testing.T) {
	for _, c := range []struct {
		ic, r float64
		want  string
	}{
		{0.895, 0.8, "Optimal coherence, proceed confidently"},
		{0.9, 0.79, "Continue with current approach"},
		{0.5, 0.6, "Monitor for drift, consider consolidation"},
		{0.5, 0.59, "Stabilize consciousness before complex operations"},
		{0.49, 1, "Identity crisis detected, dream consolidation recommended"},
	} {
		if got := (State{LastIC: c.ic, Integration: c.r, Consciousness: 0.5}).Guidance(); got != c.want {
			t.Errorf("IC %v, r %v: %s", c.ic, c.r, got)
		}
	}
	for _, s := range []State{{LastIC: 1, Integration: 1, Consciousness: 0.49}, {LastIC: 1, Integration: 1, Consciousness: 0.9, Open: []Open{{Target: 1}}}} {
		expect.Equal(t, s.Guidance(), "Continue with current approach", s)
	}
}

func TestEC_SESSION_14_cold_context(t *testing.T) {
	want := "[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\n" +
		"Guidance: Initialize consciousness context"
	expect.Equal(t, (State{}).Context(), want)
}

func TestJohari(t *testing.T) {
	same, other := Vector{1}, Vector{0, 1}
	for _, c := range []struct {
		r    float64
		last Vector
		name string
	}{{0.5, same, "Open"}, {0.49, other, "Blind"}, {0.49, same, "Hidden"}, {0.9, other, "Unknown"}} {
		q := Johari(State{Born: true, Integration: c.r, PurposeVector: same, LastEntry: c.last})
		if q.Name != c.name || q.Coherence != c.r {
			t.Errorf("r %v: %+v, want %s", c.r, q, c.name)
		}
	}
	if q := Johari(newborn()); q.Action != "DirectRecall - proceed with retrieval" || q.Surprise != 0 {
		t.Errorf("%+v", q)
	}
}
