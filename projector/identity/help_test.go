package identity

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// start is the clock of all tests; each record of a run is a second later than the one before.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// rec makes the n-th record of session "s1" as the log would give it back.
func rec(n int, typ, data string) events.Record {
	kind, _ := events.Lookup(typ)
	return events.NewRecord(uint64(n), events.Envelope{
		ID: fmt.Sprintf("e%d", n), Type: typ, Version: 1, Time: start.Add(time.Duration(n) * time.Second),
		Session: "s1", Project: "p1", Hook: kind.Hook, Data: json.RawMessage(data),
	})
}

// run folds records, given as alternating type and data, into s.
func run(s State, pairs ...string) State {
	for i := 0; i+1 < len(pairs); i += 2 {
		s = projector.Fold(Table, s, rec(i/2+1, pairs[i], pairs[i+1]))
	}
	return s
}

// encoded is the data of a derived event.
func encoded(t testing.TB, e events.Event) string {
	t.Helper()
	return string(expect.Value(json.Marshal(e))(t))
}

func bash(command string) string {
	b, _ := json.Marshal(map[string]any{"tool_name": "Bash", "tool_input": map[string]string{"command": command}})
	return string(b)
}

// newborn is a session at rest.
func newborn() State {
	return run(State{}, events.TypeIdentityRestored, `{"source":"startup","outcome":"new"}`)
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(got >= want-tolerance && got <= want+tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}
