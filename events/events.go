// Package events holds the words of hookline: every fact that can stand in the log.
//
// # The record
//
// One event is one [Envelope]: who, when and where, and Data, a JSON object. For an event that a
// hook of the client caused, Data is the hook's own JSON (after redaction), so the original can
// always be printed back; the typed struct of the event is a view of it. For a derived event Data
// is the struct itself. In the stream an envelope is one message:
//
//	subject   ev.<project>.<session>                   ev.1f3a90c2b7de.c68c8a51-…
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

// Summarizer is an [Event] that says in one line what a person scans a list for.
type Summarizer interface {
	Summary() string
}

// Envelope is an event as it lies in the stream, before decoding. All times are UTC.
type Envelope struct {
	ID          string          `json:"id" jsonschema_description:"ULID"`
	Type        string          `json:"type" jsonschema_description:"area.what_happened, one of docs/events.md"`
	Version     int             `json:"version" jsonschema_description:"of the type's data, from 1"`
	Time        time.Time       `json:"time" jsonschema_description:"of capture, to the millisecond"`
	Session     string          `json:"session,omitempty" jsonschema_description:"whole id"`
	Project     string          `json:"project,omitempty" jsonschema_description:"id"`
	Worktree    string          `json:"worktree,omitempty" jsonschema_description:"work tree that the hook ran in"`
	Branch      string          `json:"branch,omitempty" jsonschema_description:"that was checked out; absent when HEAD is detached and outside of git"`
	Phase       string          `json:"phase,omitempty" jsonschema_description:"of the session's life, as SESSION_RUNNING"`
	Client      string          `json:"client,omitempty" jsonschema_description:"program of the session: claude-code, codex; absent on events of no session"`
	Hook        string          `json:"hook,omitempty" jsonschema_description:"the client's name; absent on events that no hook is"`
	ToolUseID   string          `json:"tool_use_id,omitempty" jsonschema_description:"the client's id of the tool call"`
	AgentID     string          `json:"agent_id,omitempty" jsonschema_description:"the client's id of the subagent"`
	Correlation string          `json:"correlation,omitempty" jsonschema_description:"what belongs together: the session"`
	Causation   string          `json:"causation,omitempty" jsonschema_description:"id of the event that led to this one"`
	Redacted    int             `json:"redacted,omitempty" jsonschema_description:"secrets that were replaced in data"`
	Imported    bool            `json:"imported,omitempty" jsonschema_description:"true where an import brought it into this log"`
	Facts       *Facts          `json:"facts,omitempty" jsonschema_description:"what was asked of the world for this event; only what changed in the session"`
	Data        json.RawMessage `json:"data" jsonschema_description:"by type, see docs/events.md or 'hookctl events schema TYPE'"`
}

// Clients whose hooks are typed, as [Envelope.Client] names them.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
)

// MaxAhead is how much later than the clock of who takes an event in it may have been captured: two processes ask their
// clocks at slightly different moments. What is later was captured by a clock that was wrong and would stand before
// everything else for as long, so that it gets the time at which it came; see [Facts].Captured.
const MaxAhead = 2 * time.Minute

// Facts are answers of the world at the moment an event was decided, so that a fold never has to
// ask. Only what changed since the session's last facts is written.
type Facts struct {
	PID        int    `json:"pid,omitempty" jsonschema_description:"process id of the client"`
	PIDStart   int64  `json:"pid_start,omitempty" jsonschema_description:"when that was started, in the platform's own unit"`
	Client     string `json:"client,omitempty" jsonschema_description:"version of the client"`
	Entrypoint string `json:"entrypoint,omitempty" jsonschema_description:"cli, sdk-cli, …"`
	LaunchDir  string `json:"launch_dir,omitempty" jsonschema_description:"where the client was started"`
	Seen       string `json:"seen,omitempty" jsonschema_description:"size and time of the file that the call read or changed, as it was then"`
	Note       string `json:"note,omitempty" jsonschema_description:"what was odd about the frame, in words"`
	Profile    string `json:"profile,omitempty" jsonschema_description:"verb that delivered it when it was not hook"`
	Spooled    bool   `json:"spooled,omitempty" jsonschema_description:"it waited in the spool"`
	Captured   int64  `json:"captured,omitempty" jsonschema_description:"milliseconds since 1970, the time of capture as it came, where the event's time is another"`
	Ephemeral  bool   `json:"ephemeral,omitempty" jsonschema_description:"a frame of the health check"`
	Truncated  int64  `json:"truncated,omitempty" jsonschema_description:"size in bytes of a frame of which only the head was kept"`
	Digest     string `json:"digest,omitempty" jsonschema_description:"SHA-256 of that frame, redacted"`
	Natural    string `json:"natural,omitempty" jsonschema_description:"second installation that sent the same hook"`
}

// FromTranscript is the note of events that were made from a client's transcript: no hook of them was answered.
const FromTranscript = "from the transcript"

// Record is an envelope with its place in the log and its decoded event.
type Record struct {
	Seq      uint64    // stream sequence, 1…
	Appended time.Time // when the log took it; zero while that has not been asked. No fold uses it
	Envelope
	Event Event // never nil; *Unknown where this build has no type for it
}

// recordJSON fixes the order of fields that people and exports see.
type recordJSON struct {
	Seq      uint64     `json:"seq" jsonschema_description:"sequence in the log, from 1"`
	Appended *time.Time `json:"appended,omitempty" jsonschema_description:"when the log took it"`
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

// JSONSchemaAlias gives a struct with the fields that MarshalJSON writes, for those who describe them.
func (Record) JSONSchemaAlias() any { return recordJSON{} }

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
