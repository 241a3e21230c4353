package main

import (
	"fmt"
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
}

func TestRatioRunsInTurnAndDropsTheWarmUp(t *testing.T) {
	order := ""
	step := func(name string, times ...float64) func(int) float64 {
		return func(int) float64 {
			order += name
			now := times[0]
			times = times[1:]
			return now
		}
	}
	got := ratio(3, step("a", 900, 30, 20, 80), step("b", 1, 10, 10, 20))
	if order != "abababab" || got != 3 {
		t.Errorf("order %s, ratio %v, want 3", order, got)
	}
}

func TestLines(t *testing.T) {
	for want, got := range map[string]string{
		"ratio | ≤ 2 | 2 | OK |":            row("ratio | ≤ 2").line(2),
		"ratio | ≤ 2 | 2 | MISS |":          row("ratio | ≤ 2").line(2.004),
		"time | ≤ 150 ms | 150 ms | MISS |": row("time | ≤ 150 ms").line(150.2),
		"speed | ≥ 0.8 | 0.812 | OK |":      row("speed | ≥ 0.8").line(.81234),
	} {
		expect.Equal(t, got, want)
	}
}

// The page in docs holds this table: each of its goals is in it, and how each is taken.
func TestTableIsThatOfThePage(t *testing.T) {
	page := expect.Value(os.ReadFile("../docs/benchmarks.md"))(t)
	for i, m := range table {
		if how := fmt.Sprintf("\n%d. ", i+1); !strings.Contains(string(page), how) {
			t.Errorf("docs/benchmarks.md does not say how measure %d is taken", i+1)
		}
		for _, r := range m.rows {
			if line := fmt.Sprintf("| %d | %s |", i+1, r); !strings.Contains(string(page), line) {
				t.Errorf("docs/benchmarks.md lacks %q", line)
			}
		}
	}
}

func TestWants(t *testing.T) {
	for only, want := range map[string]string{"13,1,19": "[1 13 19]", "": "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 20 21 23]"} {
		var got []int
		for i := range table {
			if wants(only, i+1) {
				got = append(got, i+1)
			}
		}
		expect.Equal(t, fmt.Sprint(got), want, only)
	}
}

func TestLoadHooks(t *testing.T) {
	calls := loadHooks(filepath.Join("..", "demo", "session.ndjson"))
	if len(calls) != 115 || calls[0].event != "SessionStart" || strings.Contains(string(calls[0].body), "_at") {
		t.Errorf("%d hooks, the first is %s %s", len(calls), calls[0].event, calls[0].body)
	}
}

func TestPayloads(t *testing.T) {
	h := &home{session: newSession(), project: "/home/dev/app"}
	if n := len(h.testRun(3)); n < 1900 || n > 2300 || string(h.testRun(3)) == string(h.testRun(4)) {
		t.Errorf("the test run has %d bytes, want 2 KiB, and its own content", n)
	}
	if n := len(h.write(1)); n < 6_000_000 || n > 7_000_000 {
		t.Errorf("the large write has %d bytes, want 6 MB", n)
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

func TestResembleKeepsReferences(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	session := []events.Envelope{
		{ID: "A", Time: at, Session: "old", Correlation: "old", Data: []byte(`{"session_id":"old"}`)},
		{ID: "B", Time: at, Session: "old", Correlation: "old", Causation: "A", Data: []byte(`{}`)},
		{ID: "C", Time: at, Data: []byte(`{"n":1}`)},
	}
	got := resemble(session, map[string]string{"": ""}, time.Hour)
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
