package working

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// full has something of every field of the tiers.
func full() State {
	return folded(prompt("Add retries to the upload client"), did("Read", `{"file_path":"/w/a.go"}`, `{}`), did("Edit", `{"file_path":"/w/b.go"}`, `{}`),
		did("Bash", `{"command":"ls"}`, `{}`), failure("Bash", `{"command":"go test"}`, "--- FAIL: X"), &events.TurnStopped{},
		&events.CheckpointCreated{Schema: Schema, Trigger: "auto", Said: "half of it"})
}

// S2 coherence rule 1 "Tier1 always survives"; tier 2 below an hour, tier 3 never.
func TestS2Tiers(t *testing.T) {
	s := full()
	young, left := s.Tiers(true, true)
	if left != nil || len(young.Files) != 2 || len(young.Commands) != 2 || young.Said != nil || young.Checkpoints != nil {
		t.Errorf("%q %+v", left, young)
	}
	old, left := s.Tiers(false, true)
	if strings.Join(left, "|") != "files read and commands: older than 1 h" || len(old.Files) != 1 || old.Files[0].Path != "/w/b.go" || old.Commands != nil {
		t.Errorf("%q %+v", left, old)
	}
	gone, left := s.Tiers(false, false)
	if strings.Join(left, "|") != "files read and commands: older than 1 h|files: the work tree /w is gone" || gone.Files != nil {
		t.Errorf("%q %+v", left, gone)
	}
	for _, s := range []State{young, old, gone} {
		if s.Goal == nil || s.Keywords == nil || s.Contract == nil || len(s.Open) != 1 || s.ID != "s" || s.Confidence() != 70 {
			t.Errorf("tier 1 is not whole: %+v", s)
		}
	}
}

// S2 "Schema Versioning": an older schema is migrated, an unknown one refused whole.
func TestS2SchemaVersion(t *testing.T) {
	state := expect.Value(json.Marshal(full()))(t)
	begin := folded(prompt("Paint the door green"), did("Read", `{"file_path":"/w/x.go"}`, `{}`))
	at := func(schema int, data string) State {
		return projector.Fold(Table, begin, record(20, &events.CheckpointRestored{Checkpoint: "e7", Session: "s", Schema: schema, State: json.RawMessage(data)}))
	}
	for _, schema := range []int{1, Schema} {
		if s := at(schema, string(state)); s.Goal.Text != "Add retries to the upload client" || s.Prompt.Text != "Paint the door green" || s.Turns != 0 {
			t.Errorf("schema %d: %+v", schema, s)
		}
	}
	for schema, data := range map[int]string{0: string(state), Schema + 1: string(state), Schema: `{"goal":7}`} {
		if s := at(schema, data); s.Goal.Text != "Paint the door green" || len(s.Files) != 1 {
			t.Errorf("schema %d was taken in part: %+v", schema, s)
		}
	}
}
