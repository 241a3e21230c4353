package identity

import (
	"errors"
	"slices"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// crisis is a session whose tools failed ten times in a row; what failed was given up since.
func crisis() State {
	s := run(newborn(), events.TypePromptSubmitted, `{"prompt":"x"}`, events.TypePromptSubmitted, `{"prompt":"y"}`)
	for i := range 10 {
		s = projector.Fold(Table, s, rec(20+i, events.TypeToolFailed, bash("job"+string(rune('a'+i)))))
	}
	s.Open = nil
	return s
}

func TestDreamHealsACrisis(t *testing.T) {
	s := crisis()
	for _, phase := range []string{"nrem", "full"} {
		d := expect.Value(Dream(s, nil, phase))(t)
		if d.Phase != phase || d.BeforeIC != s.LastIC || d.BeforeIC >= 0.5 || d.AfterIC < 0.85 || d.AfterR < 0.99 || d.Entries != 2 {
			t.Errorf("%+v", d)
		}
		after := run(s, events.TypeDreamCompleted, encoded(t, &d))
		if after.LastIC != d.AfterIC || after.Integration != d.AfterR || after.Dreams != 1 {
			t.Errorf("folded IC %v and r %v, want %v and %v", after.LastIC, after.Integration, d.AfterIC, d.AfterR)
		}
		if !slices.Equal(d.PurposeVector, list(after.PurposeVector)) {
			t.Errorf("folded vector %v, want %v", after.PurposeVector, d.PurposeVector)
		}
	}
}

func TestBlindSpots(t *testing.T) {
	s := run(newborn(), events.TypePromptSubmitted, `{"prompt":"x"}`, events.TypeToolSucceeded, bash("ls"))
	for n, want := range []int{0, 0, 11} {
		d, err := Dream(s, nil, "rem")
		if err != nil || len(d.BlindSpots) != want || d.PurposeVector != nil || d.AfterIC != s.LastIC {
			t.Errorf("session %d: %v", n+1, d.BlindSpots)
		}
		if want > 0 && (slices.Contains(d.BlindSpots, "meaning") || !slices.Contains(d.BlindSpots, "factuality")) {
			t.Errorf("%v", d.BlindSpots)
		}
		s = run(next(t, s, "restored", 0), events.TypePromptSubmitted, `{"prompt":"x"}`, events.TypeToolSucceeded, bash("ls"))
	}
	// A fresh start broke the chain: the two sessions before are looked at.
	reader := run(newborn(), events.TypeToolSucceeded, `{"tool_name":"Read"}`)
	d, _ := Dream(newborn(), []State{newborn(), reader}, "rem")
	if len(d.BlindSpots) != 12 || slices.Contains(d.BlindSpots, "factuality") {
		t.Errorf("%v", d.BlindSpots)
	}
}

func TestDreamPhase(t *testing.T) {
	_, err := Dream(newborn(), nil, "deep")
	if !errors.Is(err, ErrPhase) || err.Error() != `unknown dream phase (use nrem, rem or full): "deep"` {
		t.Error(err)
	}
}
