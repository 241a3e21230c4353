package identity

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

var update = flag.Bool("update", false, "rewrite the fixed-point file")

// line is one line of a run: either an event that is given, or members of the state that it must
// have then. A line that is empty or begins with # says what the run shows.
type line struct {
	Given string          `json:"given"` // type of the event
	Data  json.RawMessage `json:"data"`
	After string          `json:"after"` // time since the record before, default 1s
	Then  map[string]any  `json:"then"`
	Brief string          `json:"brief"`
}

// TestRuns plays testdata/runs: given events, then state.
func TestRuns(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "runs", "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ndjson"), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	text := expect.Value(os.ReadFile(file))(t)
	var s State
	at, seq := start, 0
	for i, row := range strings.Split(string(text), "\n") {
		if row == "" || row[0] == '#' {
			continue
		}
		var l line
		if err := json.Unmarshal([]byte(row), &l); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if l.Given != "" {
			seq++
			at = at.Add(pause(t, l.After))
			r := rec(seq, l.Given, string(l.Data))
			r.Time = at
			s = projector.Fold(Table, s, r)
		}
		check(t, i+1, s, l)
	}
}

func pause(t *testing.T, after string) time.Duration {
	if after == "" {
		return time.Second
	}
	return expect.Value(time.ParseDuration(after))(t)
}

// check compares the members a line names; a number matches when it is equal at the places written.
func check(t *testing.T, row int, s State, l line) {
	t.Helper()
	if l.Brief != "" && s.Brief() != l.Brief {
		t.Errorf("line %d: brief %s, want %s", row, s.Brief(), l.Brief)
	}
	var have map[string]any
	expect.OK(t, json.Unmarshal(Encode(s), &have))
	for name, want := range l.Then {
		got, ok := have[name]
		if text, rounded := want.(string); ok && rounded && strings.HasPrefix(text, "~") {
			_, digits, _ := strings.Cut(text, ".")
			if f := strconv.FormatFloat(got.(float64), 'f', len(digits), 64); f != text[1:] {
				t.Errorf("line %d: %s = %v (%s), want %s", row, name, got, f, text)
			}
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("line %d: %s = %v, want %v", row, name, got, want)
		}
	}
}

// TestFixedPoint folds 400 records of every kind and compares the last state byte for byte with a
// file, so that every machine that runs it agrees with every other to the last of four places.
func TestFixedPoint(t *testing.T) {
	var s State
	for i := range 400 {
		s = projector.Fold(Table, s, fixedPointRecord(i))
	}
	got := append(Encode(s), '\n')
	file := filepath.Join("testdata", "fixed_point.json")
	if *update {
		expect.OK(t, os.WriteFile(file, got, 0o644))
	}
	want := expect.Value(os.ReadFile(file))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("state differs from %s:\n%s", file, got)
	}
}

// fixedPointRecord is a linear congruential choice: the same on every machine.
func fixedPointRecord(i int) events.Record {
	kinds := [][2]string{
		{events.TypePromptSubmitted, `{"prompt":"go on"}`},
		{events.TypeToolSucceeded, `{"tool_name":"Read","tool_input":{"file_path":"/p/` + strconv.Itoa(i%9) + `.go"}}`},
		{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_input":{"file_path":"/p/` + strconv.Itoa(i%7) + `.go"}}`},
		{events.TypeToolFailed, bash("go test ./" + strconv.Itoa(i%5))},
		{events.TypeToolSucceeded, bash("go test ./" + strconv.Itoa(i%4))},
		{events.TypeToolSucceeded, `{"tool_name":"Grep","tool_input":{"pattern":"x"}}`},
		{events.TypeTurnStopped, `{}`},
		{events.TypePermissionDenied, `{"tool_name":"Bash"}`},
		{events.TypeSubagentStarted, `{"agent_type":"Explore"}`},
		{events.TypeToolSucceeded, `{"tool_name":"mcp__context-graph__search"}`},
		{events.TypeToolFailed, bash("ls " + strconv.Itoa(i))},
	}
	pick := kinds[(i*7919+i*i*31)%len(kinds)]
	return rec(i, pick[0], pick[1])
}
