package session

import (
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// S3 "Attention": green below 5,000 tokens, yellow below 10,000, orange below 15,000, else red; delta synthesis at
// 5,000.
func TestAttentionLevel(t *testing.T) {
	levels := map[int]string{
		0:      "green",
		19_999: "green",
		20_000: "yellow",
		39_999: "yellow",
		40_000: "orange",
		59_999: "orange",
		60_000: "red",
	}
	for bytes, want := range levels {
		got := Attention{Bytes: bytes}.Level([3]int{5_000, 10_000, 15_000})
		expect.Equal(t, got, want, "level of", bytes, "bytes")
	}
}

// What is kept beside the log counts with its size, what a subagent's tools say does not count, and a delta synthesis
// or a new context begins anew.
func TestAttention(t *testing.T) {
	var s State
	fold := func(e events.Event, agent string) {
		envelope := events.Envelope{Session: "s", AgentID: agent}
		s = projector.Fold(Table, s, events.Record{Envelope: envelope, Event: e})
	}

	blob := `{"$blob":"sha256:` + strings.Repeat("0", 64) + `","size":30000,"head":"x"}`
	fold(&events.ToolSucceeded{ToolInput: []byte(`{"a":1}`), ToolResponse: []byte(blob)}, "")
	fold(&events.ToolFailed{Error: strings.Repeat("e", 4000)}, "a subagent's")
	fold(&events.PromptSubmitted{Prompt: "12345678"}, "")
	want := len(`{"a":1}`) + len(blob) + 30_000 + len("12345678")
	expect.Equal(t, s.Attention, Attention{Bytes: want, Unsynced: want}, "after a call and a prompt")

	fold(&events.LedgerDeltaSynced{}, "")
	fold(&events.SessionStarted{Source: "resume"}, "")
	expect.Equal(t, s.Attention, Attention{Bytes: want, Syncs: 1}, "after a delta synthesis")

	fold(&events.SessionStarted{Source: "compact"}, "")
	expect.Equal(t, s.Attention, Attention{}, "after a compaction")
}
