// Package events holds the words of hookline: every fact that can stand in the log.
//
// # The record
//
// One event is one [Envelope]: who, when and where, and Data, a JSON object. For an event that a
// hook of the client caused, Data is the hook's own JSON (after redaction), so the original can
// always be printed back; the typed struct of the event is a view of it. For a derived event Data
// is the struct itself. In the stream an envelope is one message:
//
//	subject   ev.<project>.<session>.<area>.<what>     ev.1f3a90c2b7de.c68c8a51-….tool.requested
//	headers   Nats-Msg-Id (the event's id), ce-type, ce-time, Content-Encoding
//	payload   one line of JSON with the remaining envelope fields, "\n", Data
//
// and for people and exports it is one JSON object a line:
//
//	{"seq":7,"id":"01K…","type":"tool.requested","version":1,"time":"2026-11-21T07:52:00.123Z",
//	 "appended":"…","session":"c68c8a51-…","project":"1f3a90c2b7de","hook":"PreToolUse",
//	 "tool_use_id":"toolu_…","correlation":"c68c8a51-…","data":{…}}
//
// # Change
//
// The name of a type never changes. Fields are only added. A change of meaning is a new version:
// an upcaster on the type's line in the [Catalog]. Types and versions that this build does not
// know are kept whole as [Unknown]; they are never an error.
package events

import (
	"encoding/json"
	"time"
)

// Event is one decoded fact. Its dynamic type tells what happened; Type gives the wire name.
type Event interface {
	// Type is the name on the wire, "area.what_happened"; it never changes.
	Type() string
}

// Envelope is an event as it lies in the stream, before decoding. All times are UTC.
type Envelope struct {
	ID          string          `json:"id"`      // ULID; the frame's own id for the hook's event, derived from it for the others
	Type        string          `json:"type"`    // area.what_happened
	Version     int             `json:"version"` // of the type's data, 1…
	Time        time.Time       `json:"time"`    // of capture, by the hook process's clock, millisecond precision
	Session     string          `json:"session,omitempty"`
	Project     string          `json:"project,omitempty"`
	Worktree    string          `json:"worktree,omitempty"` // absolute path of the work tree the hook ran in
	Branch      string          `json:"branch,omitempty"`   // empty when detached or without git
	Phase       string          `json:"phase,omitempty"`    // lifecycle phase, e.g. SESSION_RUNNING
	Hook        string          `json:"hook,omitempty"`     // the client's hook name; absent on derived events
	ToolUseID   string          `json:"tool_use_id,omitempty"`
	AgentID     string          `json:"agent_id,omitempty"`
	Correlation string          `json:"correlation,omitempty"` // what belongs together: the session
	Causation   string          `json:"causation,omitempty"`   // id of the event that led to this one
	Redacted    int             `json:"redacted,omitempty"`    // how many secrets were replaced in Data
	Facts       *Facts          `json:"facts,omitempty"`       // what was asked of the world at decide time
	Data        json.RawMessage `json:"data"`
}

// Facts are answers of the world at the moment an event was decided, so that a fold never has to
// ask. Only what changed since the session's last facts is written.
type Facts struct {
	PID        int    `json:"pid,omitempty"`        // the client process
	PIDStart   int64  `json:"pid_start,omitempty"`  // its start time in the platform's own unit; with PID it names one process
	Client     string `json:"client,omitempty"`     // version of the client, where it can be told
	Entrypoint string `json:"entrypoint,omitempty"` // cli, sdk-cli, …
	LaunchDir  string `json:"launch_dir,omitempty"` // CLAUDE_PROJECT_DIR: where the client was started
	Note       string `json:"note,omitempty"`       // what was odd about the frame, e.g. "session id of 5000 characters cut to 100"
	Profile    string `json:"profile,omitempty"`    // which verb delivered it when it was not `hook`
	Spooled    bool   `json:"spooled,omitempty"`    // it waited in the spool
	Captured   int64  `json:"captured,omitempty"`   // capture time in Unix ms, when the clock had gone backwards and Time was corrected
	Ephemeral  bool   `json:"ephemeral,omitempty"`  // a frame of the health check
	Truncated  int64  `json:"truncated,omitempty"`  // size in bytes of a frame of which only the head was kept
	Digest     string `json:"digest,omitempty"`     // sha256 of that frame as it was sent, after redaction of the head
	Natural    string `json:"natural,omitempty"`    // second install that sent the same hook
}

// Record is an envelope with its place in the log and its decoded event.
type Record struct {
	Seq      uint64    // stream sequence, 1…
	Appended time.Time // when the log took it; zero while that has not been asked. No fold uses it
	Envelope
	Event Event // never nil; *Unknown where this build has no type for it
}

// recordJSON fixes the order of fields that people and exports see.
type recordJSON struct {
	Seq      uint64     `json:"seq"`
	Appended *time.Time `json:"appended,omitempty"`
	Envelope
}

// MarshalJSON gives the event record of the command line: one flat object.
func (r Record) MarshalJSON() ([]byte, error) {
	out := recordJSON{Seq: r.Seq, Envelope: r.Envelope}
	if !r.Appended.IsZero() {
		out.Appended = &r.Appended
	}
	if len(out.Data) == 0 {
		out.Data = json.RawMessage("{}")
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the event record back and decodes its event.
func (r *Record) UnmarshalJSON(b []byte) error {
	var in recordJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Record{Seq: in.Seq, Envelope: in.Envelope, Event: Decode(in.Type, in.Version, in.Data)}
	if in.Appended != nil {
		r.Appended = *in.Appended
	}
	return nil
}

// Unknown is an event whose type or version this build does not know, or whose data could not be
// decoded at all. Data stays in the envelope, whole.
type Unknown struct {
	Name    string // the wire name
	Version int
	Reason  string // "type", "version" or the decoder's words
}

// Type gives the wire name the event came with.
func (u *Unknown) Type() string { return u.Name }
