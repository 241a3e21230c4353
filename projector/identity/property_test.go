package identity

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// sound checks every value of a state against its range.
func sound(t interface {
	Helper()
	Errorf(string, ...any)
}, s State) {
	t.Helper()
	within := func(name string, x, low, high float64) {
		if !(x >= low && x <= high) {
			t.Errorf("%s = %v is outside [%v, %v]", name, x, low, high)
		}
		if x != round(x) {
			t.Errorf("%s = %v has more than four places", name, x)
		}
	}
	for name, x := range map[string]float64{"last_ic": s.LastIC, "cross_session_ic": s.CrossSessionIC, "consciousness": s.Consciousness,
		"integration": s.Integration, "reflection": s.Reflection, "differentiation": s.Differentiation, "accuracy": s.Accuracy} {
		within(name, x, 0, 1)
	}
	within("coupling", s.Coupling, 0, 2)
	within("successes", s.Successes, 0, s.Calls)
	for i := range events.Dim {
		within("phase", s.KuramotoPhases[i], 0, 2*math.Pi)
		within("sum", s.Sums[i], 0, maxSum)
		within("purpose vector", s.PurposeVector[i], -1, 1)
		within("last entry", s.LastEntry[i], -1, 1)
	}
	if s.Born {
		unit(t, s)
	}
	if len(s.Trajectory) > 50 || len(s.Marks) != len(s.Trajectory) || len(s.History) > 120 || len(Encode(s)) > MaxEncoded || len(Encode(s)) == 0 {
		t.Errorf("%d entries, %d marks, %d points, %d bytes", len(s.Trajectory), len(s.Marks), len(s.History), len(Encode(s)))
	}
}

func unit(t interface{ Errorf(string, ...any) }, s State) {
	var square float64
	for _, x := range s.PurposeVector {
		square += x * x
	}
	if math.Abs(math.Sqrt(square)-1) > 0.001 {
		t.Errorf("the vector has length %v", math.Sqrt(square))
	}
}

// TestProperties: over any records, decoded or made by hand, the fold is total and deterministic,
// every value is in range, the vector has unit length, no earlier state is changed, and a state
// that was encoded and decoded folds on like the one that was not.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			r := anyRecord(t)
			frozen := string(Encode(s))
			got := projector.Fold(Table, s, r)
			sound(t, got)
			if string(Encode(s)) != frozen {
				t.Fatal("the state before was changed")
			}
			back := expect.Value(decode([]byte(frozen)))(t)
			if string(Encode(projector.Fold(Table, back, r))) != string(Encode(got)) {
				t.Fatalf("%s: the fold of a decoded state differs", r.Type)
			}
			s = got
		}
		for _, phase := range []string{"nrem", "rem", "full"} {
			d, err := Dream(s, []State{s}, phase)
			if again, _ := Dream(s, []State{s}, phase); err != nil || !reflect.DeepEqual(again, d) {
				t.Fatal("the dream is not deterministic")
			}
			expect.Value(json.Marshal(d))(t)
		}
		expect.Value(json.Marshal(CarryOf(s, 1000)))(t)
	})
}

// anyRecord draws a record of any kind: as decoded from plausible or arbitrary data, or with values
// in the struct that no JSON can hold.
func anyRecord(t *rapid.T) events.Record {
	kinds := events.Catalog()
	kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	r := rec(rapid.IntRange(0, 1000).Draw(t, "n"), kind.Type, anyData(t))
	switch rapid.IntRange(0, 9).Draw(t, "made") {
	case 0:
		r.Event = &events.IdentityObserved{PurposeVector: anyVector(t), KuramotoPhases: anyVector(t)}
	case 1:
		r.Event = &events.DreamCompleted{Sums: anyVector(t), Phases: anyVector(t), PurposeVector: anyVector(t)}
	case 2:
		r.Event = &events.IdentityRestored{Outcome: "restored", Carry: &events.Carry{PurposeVector: anyVector(t), Sums: anyVector(t),
			Phases: anyVector(t), LastEntry: anyVector(t), Coupling: anyFloat(t), Calls: anyFloat(t), Successes: anyFloat(t)}}
	case 3:
		r.Session = ""
	}
	return r
}

func anyData(t *rapid.T) string {
	tool := rapid.SampledFrom([]string{"Bash", "Read", "Edit", "Write", "Grep", "Agent", "TodoWrite", "mcp__a__b", ""}).Draw(t, "tool")
	line := rapid.OneOf(rapid.SampledFrom([]string{"go test ./...", "ls", "make"}), rapid.String()).Draw(t, "line")
	outcome := rapid.SampledFrom([]string{"restored", "resumed", "new", "fresh", "continued", "not_found", "?"}).Draw(t, "outcome")
	b, err := json.Marshal(map[string]any{
		"tool_name": tool, "tool_input": map[string]string{"command": line, "file_path": line}, "prompt": line,
		"is_interrupt": rapid.Bool().Draw(t, "interrupt"), "outcome": outcome, "dropped": rapid.IntRange(-2, 60).Draw(t, "dropped"),
		"target": "e7", "consciousness": 0.97, "agent_type": tool,
	})
	expect.OK(t, err)
	return rapid.SampledFrom([]string{string(b), string(b), string(b), "{}", "", "[]", "null", `{"tool_input":7}`}).Draw(t, "data")
}

func anyFloat(t *rapid.T) float64 {
	return rapid.OneOf(rapid.Float64Range(-2, 7), rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308})).Draw(t, "x")
}

func anyVector(t *rapid.T) []float64 {
	if rapid.Bool().Draw(t, "plain") {
		return rapid.SliceOfN(rapid.Float64Range(0, 1), 13, 13).Draw(t, "v")
	}
	return rapid.SliceOfN(rapid.Custom(anyFloat), 0, 14).Draw(t, "v")
}
