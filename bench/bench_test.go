package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

func TestQuantileIsNearestRank(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(100 - i) // 100 … 1
	}
	for q, want := range map[float64]float64{0: 1, .5: 50, .9: 90, .99: 99, 1: 100} {
		expect.Equal(t, quantile(values, q), want, "quantile", q, "of 1…100 is")
	}
	expect.Equal(t, quantile([]float64{}, .5), 0, "quantile of nothing is")
}

func TestTakeRunsInTurnAndDropsTheWarmUp(t *testing.T) {
	order := ""
	step := func(name string, times ...time.Duration) func() time.Duration {
		return func() time.Duration {
			order += name
			now := times[0]
			times = times[1:]
			return now
		}
	}
	p := take(1, 3, step("a", 900, 30, 20, 80), step("b", 1, 10, 10, 20))
	if order != "abababab" || p.ratio() != 3 {
		t.Errorf("order %s, ratio %v, want 3", order, p.ratio())
	}
}

// A measure that cannot be taken ends with its error, and the others go on.
func TestMeasureEndsAtItsFirstError(t *testing.T) {
	broken := errors.New("broken")
	readings, err := new(bench).measure(measure{take: func(*bench) []reading {
		return must([]reading{{}}, broken)
	}})
	if !errors.Is(err, broken) || readings != nil {
		t.Errorf("%v, %v, want broken", readings, err)
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal                    goal
		value                   float64
		text, verdict, measured string
	}{
		{atMost(2, ""), 2, "≤ 2", "OK", "2"},
		{atMost(2, ""), 2.004, "≤ 2", "MISS", "2"},
		{atMost(150, "ms"), 150.2, "≤ 150 ms", "MISS", "150 ms"},
		{atLeast(.8, ""), .7999, "≥ 0.8", "MISS", "0.8"},
		{atLeast(.8, ""), .81234, "≥ 0.8", "OK", "0.812"},
	} {
		if c.goal.String() != c.text || c.goal.verdict(c.value) != c.verdict || c.goal.show(c.value) != c.measured {
			t.Errorf("%v of %v: %q %q %q, want %q %q %q", c.value, c.goal, c.goal, c.goal.verdict(c.value), c.goal.show(c.value), c.text, c.verdict, c.measured)
		}
	}
}

func TestLines(t *testing.T) {
	m := measure{number: 9, rows: []row{{"memory", atMost(64, "MiB")}}}
	expect.Equal(t, m.lines([]reading{{65.04, "after 10 s"}}), "| 9 | memory | ≤ 64 MiB | 65 MiB | MISS | after 10 s |\n")
}

// The page in docs holds this table: each of its goals is in it, and how each is taken.
func TestTableIsThatOfThePage(t *testing.T) {
	page := expect.Value(os.ReadFile("../docs/benchmarks.md"))(t)
	for i, m := range table {
		expect.Equal(t, m.number, i+1, "measure", "stands at")
		if how := fmt.Sprintf("\n%d. ", m.number); !strings.Contains(string(page), how) {
			t.Errorf("docs/benchmarks.md does not say how measure %d is taken", m.number)
		}
		for _, r := range m.rows {
			if line := fmt.Sprintf("| %d | %s | %s |", m.number, r.what, r.goal); !strings.Contains(string(page), line) {
				t.Errorf("docs/benchmarks.md lacks %q", line)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args, command, want string
	}{
		{"-quick -only 13,1", "go run ./bench -only 13,1 -quick", "[1 13]"},
		{"-only 19 -hooks x*", "go run ./bench -hooks FILES -only 19", "[19]"},
		{"", "go run ./bench", "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 20 21 23]"},
		{"-million", "go run ./bench -million", "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24]"},
	} {
		o, err := parse(strings.Fields(c.args), io.Discard)
		var got []int
		for _, m := range table {
			if o.wants(m) {
				got = append(got, m.number)
			}
		}
		if err != nil || o.command != c.command || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %q %v %v, want %q %s", c.args, o.command, got, err, c.command, c.want)
		}
	}
	if _, err := parse([]string{"more"}, io.Discard); err == nil || err.Error() != `unexpected argument "more"` {
		t.Errorf("an argument is %v", err)
	}
}

func TestLoadHooks(t *testing.T) {
	calls, source := loadHooks(filepath.Join("..", "demo", "session.ndjson"))
	if source != "1 recorded sessions, 115 hooks, 0.07 MB of compact JSON" {
		t.Errorf("the demo's session is %q", source)
	}
	if calls[0].event != "SessionStart" || strings.Contains(string(calls[0].body), "_at") {
		t.Errorf("the first hook is %s %s", calls[0].event, calls[0].body)
	}
	none := func() (err error) {
		defer caught(&err)
		loadHooks(filepath.Join(t.TempDir(), "*"))
		return nil
	}
	if err := none(); err == nil || err.Error() != "-hooks: no file matches" {
		t.Errorf("a glob without files is %v", err)
	}
}

func TestPayloads(t *testing.T) {
	h := &home{session: newSession(), project: "/home/dev/app"}
	if n := len(h.testRun(3)); n < 1900 || n > 2300 || string(h.testRun(3)) == string(h.testRun(4)) {
		t.Errorf("the test run has %d bytes, want 2 KiB, and its own content", n)
	}
	if n := len(h.write(1, 3_000_000)); n < 6_000_000 || n > 7_000_000 {
		t.Errorf("the large write has %d bytes, want 6 MB", n)
	}
	var p struct {
		ToolInput    struct{ Content string } `json:"tool_input"`
		ToolResponse struct{ Content string } `json:"tool_response"`
	}
	err := json.Unmarshal(h.write(1, 100_000), &p)
	if n := len(p.ToolInput.Content); err != nil || n < 99_990 || p.ToolInput.Content != p.ToolResponse.Content {
		t.Errorf("the content has %d bytes (%v), want 100000 twice", n, err)
	}
}

func TestApparentBytesCountsLinksOnce(t *testing.T) {
	root := t.TempDir()
	for name, size := range map[string]int{"1.blk": 700, "abcd.zst": 200} {
		expect.OK(t, os.WriteFile(filepath.Join(root, name), make([]byte, size), 0o600))
	}
	if err := os.Link(filepath.Join(root, "1.blk"), filepath.Join(root, "2.blk")); err != nil {
		t.Skip("no hard links here:", err)
	}
	expect.Equal(t, apparentBytes(root), 900, "bytes, want 900")
}

func TestParseUsage(t *testing.T) {
	rss, cpu := parseUsage("Name:\thookd\nVmPeak:\t  900 kB\nVmRSS:\t   65536 kB\n", "42 (a b) c) S 1 42 42 0 -1 4194560 7 0 0 0 123 45 0 0 20 0 9 0")
	if rss != 64 || cpu != 1680*time.Millisecond {
		t.Errorf("%v MiB, %v, want 64 MiB, 1.68 s", rss, cpu)
	}
}

func TestResembleKeepsReferences(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	session := []events.Envelope{
		{ID: "A", Time: at, Session: "old", Correlation: "old", Data: []byte(`{"session_id":"old"}`)},
		{ID: "B", Time: at, Session: "old", Correlation: "old", Causation: "A", Data: []byte(`{}`)},
		{ID: "C", Time: at, Data: []byte(`{"n":1}`)},
	}
	got := resemble(session, time.Hour)
	id := got[0].Session
	if id == "old" || id == "" || got[1].Session != id || got[1].Correlation != id || got[2].Session != "" {
		t.Errorf("sessions are %q %q %q", id, got[1].Session, got[2].Session)
	}
	if string(got[0].Data) != `{"session_id":"`+id+`"}` || string(session[0].Data) != `{"session_id":"old"}` {
		t.Errorf("data is %s, was %s", got[0].Data, session[0].Data)
	}
	if got[1].Causation != got[0].ID || got[0].ID == "A" || !got[0].Time.Equal(at.Add(-time.Hour)) {
		t.Errorf("ids %q, causation %q, time %v", got[0].ID, got[1].Causation, got[0].Time)
	}
}
