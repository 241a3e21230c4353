package identity

import (
	"testing"

	"hookline/expect"
)

func TestTC_SESSION_03_brief(t *testing.T) {
	for _, c := range []struct {
		ic, r, c float64
		want     string
	}{
		{0.85, 0.92, 0.9, "[C:CON r=0.92 IC=0.85]"},
		{0.85, 1, 0.75, "[C:EMG r=1.00 IC=0.85]"},
		{0.123, 7, 0, "[C:DOR r=1.00 IC=0.12]"},
	} {
		s := State{Born: true, LastIC: c.ic, Integration: c.r, Consciousness: c.c}
		expect.Equal(t, s.Brief(), c.want)
		expect.Equal(t, string(s.AppendBrief([]byte("> "))), "> "+c.want)
	}
}

func TestEC_SESSION_02_cold_brief(t *testing.T) {
	for _, s := range []State{{}, {Deleted: true}} {
		expect.Equal(t, s.Brief(), "[C:? r=? IC=?]")
	}
	expect.Equal(t, newborn().Brief(), "[C:CON r=1.00 IC=1.00]")
}

// TestTC_SESSION_11 is the functional half: the brief costs no allocation. Its time is measure 10 of docs/benchmarks.md; a
// test that fails by the clock would fail on a busy machine.
func TestTC_SESSION_11_brief_allocates_nothing(t *testing.T) {
	room, s := make([]byte, 0, 64), newborn()
	expect.Equal(t, testing.AllocsPerRun(1000, func() { room = s.AppendBrief(room[:0]) }), 0, "AppendBrief", "allocations")
	expect.Equal(t, testing.AllocsPerRun(1000, func() { length = len(s.Brief()) }), 0, "Brief", "allocations")
}

var length int

func TestTC_SESSION_10_crisis_asks_for_a_dream(t *testing.T) {
	expect.Equal(t, Notice(0.45, true), "IC crisis (0.45), dream triggered")
	s := State{Born: true, LastIC: 0.45}
	at := start.UnixMilli()
	if !s.DreamDue(at) {
		t.Error("a crisis asks for no dream")
	}
	s.DreamAtMS = at
	for after, want := range map[int64]bool{0: false, 59_999: false, 60_000: true, -5000: true} {
		expect.Equal(t, s.DreamDue(at+after), want, after, "ms after the last dream")
	}
	s.LastIC, s.DreamAtMS = 0.5, 0
	if s.DreamDue(at) {
		t.Error("0.5 itself is no crisis")
	}
}

func TestLines(t *testing.T) {
	for got, want := range map[string]string{
		RestoredLine("258c7280", 0.9871): "Identity restored from 258c7280. IC: 0.99 (healthy)",
		RestoredLine("a", 0.45):          "Identity restored from a. IC: 0.45 (degraded)",
		NewLine:                          "New session initialized",
		FreshLine:                        "Fresh session initialized",
		Notice(0.95, true):               "",
		Notice(0.65, true):               "IC warning: 0.65",
		Notice(0.40, true):               "IC crisis (0.40), dream triggered",
		Notice(0.40, false):              "IC crisis: 0.40",
	} {
		expect.Equal(t, got, want)
	}
}
