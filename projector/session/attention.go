package session

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"

	"hookline/events"
)

// Attention estimates how much a session's tool calls and prompts have put into its context, in bytes.
type Attention struct {
	Bytes    int `json:"bytes" jsonschema_description:"since the context began"`
	Unsynced int `json:"unsynced" jsonschema_description:"since the last delta synthesis"`
	Syncs    int `json:"syncs,omitempty" jsonschema_description:"delta syntheses since the context began"`
}

// Tokens is a number of bytes as S3 counts tokens.
func Tokens(bytes int) int { return bytes / 4 }

// Level is S3's attention budget: green below the first threshold in tokens, yellow, orange, and red from the third on.
func (a Attention) Level(thresholds [3]int) string {
	for i, level := range []string{"green", "yellow", "orange"} {
		if Tokens(a.Bytes) < thresholds[i] {
			return level
		}
	}
	return "red"
}

// after takes one record in. What a subagent's tools say is not in the session's context.
func (a Attention) after(r events.Record) Attention {
	size := 0
	switch e := r.Event.(type) {
	case *events.SessionStarted:
		if e.Source != "resume" {
			return Attention{}
		}
	case *events.LedgerDeltaSynced:
		a.Unsynced = 0
		a.Syncs++
	case *events.PromptSubmitted:
		size = len(e.Prompt)
	case *events.ToolSucceeded:
		size = sizeOf(e.ToolInput) + sizeOf(e.ToolResponse)
	case *events.ToolFailed:
		size = sizeOf(e.ToolInput) + len(e.Error)
	case *events.TurnStopped:
		size = len(e.LastAssistantMessage)
	}
	if r.AgentID == "" {
		a.Bytes += size
		a.Unsynced += size
	}
	return a
}

// outside is what stands in data for a large string, with its size.
var outside = regexp.MustCompile(`"\$blob":"sha256:[0-9a-f]{64}","size":(\d{1,9})`)

// sizeOf is how large data is with the strings that are kept outside of it.
func sizeOf(data json.RawMessage) int {
	size := len(data)
	if !bytes.Contains(data, []byte(`"$blob"`)) {
		return size
	}
	for _, m := range outside.FindAllSubmatch(data, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err == nil {
			size += n
		}
	}
	return size
}
