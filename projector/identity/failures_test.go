package identity

import (
	"fmt"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// The golden table of DECISIONS: what failures that stand open do to coherence and continuity.

// fails and works are calls of one shell program; its first word that is no option tells targets apart.
func fails(s State, n int, program string) State {
	for range n {
		s = projector.Fold(Table, s, rec(s.CallCount+1, events.TypeToolFailed, bash(program)))
	}
	return s
}

func edits(s State, n int) State {
	for i := range n {
		s = projector.Fold(Table, s, rec(s.CallCount+1, events.TypeToolSucceeded, fmt.Sprintf(`{"tool_name":"Edit","tool_input":{"file_path":"/p/%d.go"}}`, i)))
	}
	return s
}

func TestOpenFailureHoldsCoherence(t *testing.T) {
	three := fails(newborn(), 3, "go test ./...")
	held := edits(three, 4)
	expect.Equal(t, fixed(held.Integration), "0.80", "r", "after three failures and four edits elsewhere, want 0.80")
	if held.Guidance() == "Optimal coherence, proceed confidently" {
		t.Error("all is well while a failure is open")
	}
	healed := projector.Fold(Table, held, rec(9, events.TypeToolSucceeded, bash("go test -v ./a")))
	if got := fixed(healed.Integration); got != "0.99" || len(healed.Open) != 0 {
		t.Errorf("r %s with %d open after the success there, want 0.99", got, len(healed.Open))
	}
	two := fails(three, 1, "make all")
	one := projector.Fold(Table, two, rec(9, events.TypeToolSucceeded, bash("make all")))
	if len(one.Open) != 1 || one.Integration <= two.Integration || one.Integration > 0.95 {
		t.Errorf("r from %v to %v with %d open", two.Integration, one.Integration, len(one.Open))
	}
}

func TestFailureIsGivenUp(t *testing.T) {
	s := edits(fails(newborn(), 1, "go test"), givenUp-1)
	if len(s.Open) != 1 {
		t.Fatalf("%d open after %d calls elsewhere", len(s.Open), givenUp-1)
	}
	if s = edits(s, 1); len(s.Open) != 0 {
		t.Errorf("%d open after %d calls elsewhere", len(s.Open), givenUp)
	}
	for i := range 100 {
		s = fails(s, 1, fmt.Sprintf("job%d", i))
	}
	if len(s.Open) > maxOpen {
		t.Errorf("%d open", len(s.Open))
	}
}

// A call that a gate blocked counts as one that was denied: evidence for robustness, and the phases fan out.
func TestDenialOpensItsTarget(t *testing.T) {
	blocked := projector.Fold(Table, newborn(), rec(1, events.TypeGateBlocked, `{"names":["plan"],"tool":"Edit","target":"`+TargetOf("Edit", []byte(`{"file_path":"/p/0.go"}`))+`","digest":"d"}`))
	denied := projector.Fold(Table, newborn(), rec(1, events.TypePermissionDenied, `{"tool_name":"Edit","tool_input":{"file_path":"/p/0.go"}}`))
	if blocked.PurposeVector != denied.PurposeVector || blocked.LastIC != denied.LastIC {
		t.Errorf("blocked %s, denied %s", blocked.Brief(), denied.Brief())
	}
	for _, s := range []State{blocked, denied} {
		if len(s.Open) != 1 || s.Integration >= 1 {
			t.Errorf("%d open, r %v", len(s.Open), s.Integration)
		}
		if s = edits(s, 1); len(s.Open) != 0 {
			t.Error("still open after the same file was edited")
		}
	}
}

func TestDreamForgetsNoOpenFailure(t *testing.T) {
	s := fails(newborn(), 6, "go test")
	out, err := Dream(s, nil, "nrem")
	if err != nil || out.AfterR > dreamLimit || out.AfterR <= s.Integration {
		t.Errorf("r from %v to %v, %v", s.Integration, out.AfterR, err)
	}
	s = projector.Fold(Table, s, rec(9, events.TypeToolSucceeded, bash("go test")))
	if out, _ := Dream(s, nil, "nrem"); out.AfterR < 0.99 {
		t.Errorf("r %v after a dream with nothing open", out.AfterR)
	}
}

func TestContinuityAfter25FacetEvents(t *testing.T) {
	first := edits(newborn(), 30)
	s := State{}
	s = s.restored(rec(1, events.TypeIdentityRestored, `{}`), &events.IdentityRestored{Source: "startup", Outcome: "new", Previous: "a", Carry: CarryOf(first, 0)})
	if s = edits(s, entryEvery-1); s.Continuity != nil || s.Origin == nil {
		t.Fatalf("%v taken after %d facet events", s.Continuity, entryEvery-1)
	}
	if s = edits(s, 1); s.Continuity == nil || *s.Continuity < 0.9 {
		t.Errorf("continuity %v", s.Continuity)
	}
	later := edits(s, 10)
	if *later.Continuity != *s.Continuity {
		t.Error("taken twice")
	}
}

// A check behind a pipe is judged by what it printed. One that says nothing opens and closes nothing, and is no success.
func TestCheckBehindAPipe(t *testing.T) {
	printed := func(output string) string {
		return fmt.Sprintf(`{"tool_name":"Bash","tool_input":{"command":"npx jest | tail -3"},"tool_response":{"stdout":%q}}`, output)
	}
	fold := func(s State, output string) State {
		return projector.Fold(Table, s, rec(s.CallCount+1, events.TypeToolSucceeded, printed(output)))
	}

	failed := fold(newborn(), "Tests:       1 failed, 12 passed, 13 total")
	if len(failed.Open) != 1 {
		t.Errorf("open failures after a check that printed a failure = %d, want 1", len(failed.Open))
	}
	if failed.Successes != 0 {
		t.Errorf("successes after a check that printed a failure = %v, want 0", failed.Successes)
	}

	unknown := fold(failed, "bye")
	if len(unknown.Open) != 1 {
		t.Errorf("open failures after a check that says nothing = %d, want 1", len(unknown.Open))
	}
	if unknown.Calls != failed.Calls {
		t.Errorf("calls that count for the accuracy after a check that says nothing = %v, want %v", unknown.Calls, failed.Calls)
	}

	if passed := fold(unknown, "Tests:       13 passed, 13 total"); len(passed.Open) != 0 {
		t.Errorf("open failures after a check that passed = %d, want none", len(passed.Open))
	}
}
