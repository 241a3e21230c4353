package session

import (
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// S3 "Attention": green below 5,000 tokens, yellow below 10,000, orange below 15,000, else red; delta synthesis at 5,000.
func TestAttention(t *testing.T) {
	var a Attention
	fold := func(e events.Event, agent string) {
		a = a.after(events.Record{Envelope: events.Envelope{Session: "s", AgentID: agent}, Event: e})
	}
	for bytes, level := range map[int]string{0: "green", 19_999: "green", 20_000: "yellow", 39_999: "yellow", 40_000: "orange", 59_999: "orange", 60_000: "red"} {
		expect.Equal(t, (Attention{Bytes: bytes}).Level([3]int{5_000, 10_000, 15_000}), level, bytes, "bytes")
	}

	fold(&events.ToolSucceeded{ToolInput: []byte(`{"a":1}`), ToolResponse: []byte(`{"$blob":"sha256:` + strings.Repeat("0", 64) + `","size":30000,"head":"x"}`)}, "")
	fold(&events.ToolFailed{Error: strings.Repeat("e", 4000)}, "a subagent's")
	fold(&events.PromptSubmitted{Prompt: "12345678"}, "")
	if a.Bytes < 30_000 || a.Bytes > 30_200 || a.Unsynced != a.Bytes {
		t.Errorf("%+v", a)
	}
	before := a.Bytes
	fold(&events.LedgerDeltaSynced{}, "")
	fold(&events.SessionStarted{Source: "resume"}, "")
	if a.Unsynced != 0 || a.Bytes != before || a.Syncs != 1 {
		t.Errorf("after a delta synthesis: %+v", a)
	}
	fold(&events.SessionStarted{Source: "compact"}, "")
	if a != (Attention{}) {
		t.Errorf("after a compaction: %+v", a)
	}
}
