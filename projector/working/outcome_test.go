package working

import (
	"slices"
	"testing"

	"hookline/events"
	"hookline/events/outcome"
)

// What a check printed says how it went where the exit status is that of another command of its line.
func TestOutcomeOfACheck(t *testing.T) {
	failing := did("Bash", `{"command":"npx jest 2>&1 | tail -4"}`, `{"stdout":"Tests:       2 failed, 9 passed, 11 total"}`)
	passing := did("Bash", `{"command":"npx jest 2>&1 | tail -4"}`, `{"stdout":"Tests:       11 passed, 11 total"}`)
	silent := did("Bash", `{"command":"npx jest 2>&1 | tail -4"}`, `{"stdout":"bye"}`)

	s := folded(edit, failing)
	if len(s.Open) != 1 {
		t.Fatalf("failures after a failing check behind a pipe = %+v, want one", s.Open)
	}
	if got := s.Open[0].Text; got != "Tests: 2 failed, 9 passed, 11 total" {
		t.Errorf("text of the failure = %q, want the summary", got)
	}
	if got := s.Commands[0].Status; got != outcome.Failed {
		t.Errorf("status of a failing check behind a pipe = %s, want failed", got)
	}
	if got := s.Commands[0].Result; got != "9 passed, 2 failed" {
		t.Errorf("result of a failing check behind a pipe = %q, want its counts", got)
	}
	if s.Unproved == nil {
		t.Error("a failing check proves the change of code")
	}

	s = folded(edit, failing, silent)
	if len(s.Open) != 1 {
		t.Errorf("failures after an outcome that is not known = %+v, want one", s.Open)
	}
	if got := s.Commands[0].Status; got != outcome.Unknown {
		t.Errorf("status of a check that says nothing = %s, want unknown", got)
	}
	if want := (Proof{Kind: "test", OK: false, Event: s.Open[0].Event}); !slices.Equal(s.Evidence, []Proof{want}) {
		t.Errorf("evidence after an outcome that is not known = %+v, want that before it", s.Evidence)
	}
	if s.Unproved == nil {
		t.Error("an outcome that is not known proves the change of code")
	}

	s = folded(edit, failing, passing)
	if len(s.Open) != 0 {
		t.Errorf("failures after a passing check behind a pipe = %+v, want none", s.Open)
	}
	if s.Unproved != nil {
		t.Errorf("unproved after a passing check = %+v, want nothing", s.Unproved)
	}
}

var edit = did("Edit", `{"file_path":"/w/pay.go"}`, `{}`)

// A check that passed before and fails since is told with what was edited between.
func TestPassedBefore(t *testing.T) {
	passing := did("Bash", `{"command":"go test ./pay 2>&1 | tail -3"}`, `{"stdout":"ok  \tshop/pay\t0.1s"}`)
	other := did("Edit", `{"file_path":"/w/docs.md"}`, `{}`)
	failing := failure("Bash", `{"command":"go test ./pay"}`, "Exit code 1\nFAIL\tshop/pay\t0.1s")
	elsewhere := failure("Bash", `{"command":"go test ./cart"}`, "Exit code 1\nFAIL\tshop/cart\t0.1s")

	s := folded(other, passing, edit, other, edit, failing)
	if s.Open[0].Passed == nil {
		t.Fatal("the failure does not say that the check passed before")
	}
	if got, want := s.Open[0].Passed.Edited, []string{"/w/pay.go", "/w/docs.md"}; !slices.Equal(got, want) {
		t.Errorf("edited between = %q, want %q", got, want)
	}
	if got := folded(passing, edit, elsewhere).Open[0].Passed; got != nil {
		t.Errorf("another check passed before: %+v, want nothing", got)
	}
	if got := folded(edit, failing).Open[0].Passed; got != nil {
		t.Errorf("a check that never passed did before: %+v", got)
	}

	events := []events.Event{passing}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		events = append(events, did("Edit", `{"file_path":"/w/`+name+`.go"}`, `{}`))
	}
	s = folded(events...)
	if got := len(s.Passed[0].Edited); got != maxEdited {
		t.Errorf("files edited since = %d, want at most %d", got, maxEdited)
	}
}

// A command that was left running, or that the user interrupted, has no outcome yet.
func TestOutcomeOfWhatDidNotEnd(t *testing.T) {
	for _, response := range []string{`{"stdout":"","backgroundTaskId":"b1"}`, `{"stdout":"ok  \tshop\t0.1s","interrupted":true}`} {
		s := folded(did("Bash", `{"command":"go test ./..."}`, response))
		if got := s.Commands[0].Status; got != outcome.Unknown {
			t.Errorf("status with the response %s = %s, want unknown", response, got)
		}
	}
}

// The end of an output that lies beside the log says how a check went.
func TestOutcomeOfALargeOutput(t *testing.T) {
	large := func(tail string) events.Event {
		return did("Bash", `{"command":"go test -v ./... | tee log"}`, `{"stdout":{"$blob":"sha256:00","size":90000,"head":"=== RUN","tail":"`+tail+`"}}`)
	}
	for tail, want := range map[string]outcome.Status{
		`PASS\nok  \tshop\t0.1s`:    outcome.OK,
		`FAIL\nFAIL\tshop\t0.1s`:    outcome.Failed,
		`--- PASS: TestA (0.00s)\n`: outcome.Unknown,
	} {
		if got := folded(large(tail)).Commands[0].Status; got != want {
			t.Errorf("status of a large output that ends with %q = %s, want %s", tail, got, want)
		}
	}
}

// A command that failed and printed nothing is open with the client's own words.
func TestFailureWithoutOutput(t *testing.T) {
	s := folded(failure("Bash", `{"command":"go test ./pay"}`, "Exit code 1"))
	if got := s.Open[0].Text; got != "Exit code 1" {
		t.Errorf("text of a failure that printed nothing = %q, want the client's", got)
	}
}
