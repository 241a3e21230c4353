package identity

import (
	"errors"
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
		"observation refused: coupling: 2.5 is outside [0, 2]":               {Coupling: number(2.5)},
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
