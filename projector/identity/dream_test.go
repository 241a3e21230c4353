package identity

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// crisis is a session whose tools failed ten times in a row; what failed was given up since.
func crisis() State {
	s := run(newborn(), events.TypePromptSubmitted, `{"prompt":"x"}`, events.TypePromptSubmitted, `{"prompt":"y"}`)
	for i := range 10 {
		s = Fold(s, rec(20+i, events.TypeToolFailed, bash("job"+string(rune('a'+i)))))
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

// TestDreamAfterReset: from an even spread, where no oscillator pulls, the natural frequencies break
// the symmetry, so a dream heals that too.
func TestDreamAfterReset(t *testing.T) {
	s := run(newborn(), events.TypePhasesReset, `{"reason":"command"}`)
	d, _ := Dream(s, nil, "nrem")
	if d.BeforeR != 0 || d.AfterR < 0.9 {
		t.Errorf("r %v → %v", d.BeforeR, d.AfterR)
	}
}

// TestReplay: .8·recency + .2·r, a quarter of the way.
func TestReplay(t *testing.T) {
	all := []moment{{Mark{0, 1}, "a", Vector{1}}, {Mark{1000, 0.5}, "a", Vector{0, 1}}}
	mean, ok := replay(all) // scores .2 and .8+.1
	if !ok {
		t.Fatal("nothing to replay")
	}
	near(t, "first", mean[0], 0.2/1.1, 1e-12)
	near(t, "second", mean[1], 0.9/1.1, 1e-12)
	if _, ok := replay(nil); ok {
		t.Error("no entries have a mean")
	}
}

func TestDreamReplaysAtMostHundred(t *testing.T) {
	var others []State
	for range 3 {
		s := newborn()
		for i := range 50 {
			s = Fold(s, rec(i, events.TypePromptSubmitted, `{"prompt":"x"}`))
		}
		others = append(others, s)
	}
	d, err := Dream(crisis(), others, "nrem")
	if err != nil || d.Entries != 100 {
		t.Errorf("%d entries, %v", d.Entries, err)
	}
	slices.Reverse(others)
	if again, _ := Dream(crisis(), others, "nrem"); !reflect.DeepEqual(again, d) {
		t.Error("the dream depends on the order of equal sessions")
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

// TestDreamMeetsAnObservation: the dream is the younger word.
func TestDreamMeetsAnObservation(t *testing.T) {
	s := run(newborn(), events.TypePromptSubmitted, `{"prompt":"x"}`,
		events.TypeIdentityObserved, encoded(t, &events.IdentityObserved{PurposeVector: basis(5), KuramotoPhases: fill(func(i int) float64 { return float64(i%2) * math.Pi })}))
	d, _ := Dream(s, nil, "full")
	s = run(s, events.TypeDreamCompleted, encoded(t, &d))
	if s.Held.PurposeVector || s.Held.KuramotoPhases || s.LastIC <= d.BeforeIC || s.LastIC != d.AfterIC {
		t.Errorf("IC %v → %v", d.BeforeIC, s.LastIC)
	}
}
