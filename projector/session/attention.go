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
	Bytes    int `json:"bytes" jsonschema_description:"number of bytes since the context began"`
	Unsynced int `json:"unsynced" jsonschema_description:"number of bytes since the last delta synthesis"`
	Syncs    int `json:"syncs,omitempty" jsonschema_description:"number of delta syntheses since the context began"`
}

// Tokens returns how many tokens S3 counts for a number of bytes.
func Tokens(bytes int) int { return bytes / 4 }

// Level returns S3's attention budget: green below the first threshold in tokens, yellow, orange, and red from the
// third on.
func (a Attention) Level(thresholds [3]int) string {
	for i, level := range []string{"green", "yellow", "orange"} {
		if Tokens(a.Bytes) < thresholds[i] {
			return level
		}
	}
	return "red"
}

// add counts bytes that a record puts into the context. What a subagent's tools say is not in the session's context.
func (a *Attention) add(r events.Record, size int) {
	if r.AgentID != "" {
		return
	}
	a.Bytes += size
	a.Unsynced += size
}

func (s *State) ledgerDeltaSynced(events.Record, *events.LedgerDeltaSynced) {
	s.Attention.Unsynced = 0
	s.Attention.Syncs++
}

// blobReference matches what stands in data for a large string that is kept beside the log; its group is the string's
// size.
var blobReference = regexp.MustCompile(`"\$blob":"sha256:[0-9a-f]{64}","size":(\d{1,9})`)

// sizeOf returns the size of data in bytes, with the strings that are kept beside the log.
func sizeOf(data json.RawMessage) int {
	size := len(data)
	if !bytes.Contains(data, []byte(`"$blob"`)) {
		return size
	}
	for _, m := range blobReference.FindAllSubmatch(data, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err == nil {
			size += n
		}
	}
	return size
}
