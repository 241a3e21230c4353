package api

import (
	"encoding/json"

	"hookline/replay/past"
)

// What requests carry. Paths of files are absolute: the process that has the store opens them. A session or project may be
// named as a person does: by its id, a beginning of it, and a project by its name or path.

// StopRequest says why the daemon is to end.
type StopRequest struct {
	Reason string `query:"reason"` // for the log; "stop" where it is empty
}

// EventsRequest chooses events; empty fields choose all.
type EventsRequest struct {
	Session string     `query:"session"`
	Project string     `query:"project"`
	Types   []string   `query:"type,comma"` // names of types, or patterns as tool.*
	Since   past.Point `query:"since"`      // a time means the first event appended at or after it
	Until   past.Point `query:"until"`      // a time means the last event appended before it
	Grep    string     `query:"grep"`       // a regular expression for the JSON of the data
	Tool    string     `query:"tool"`       // the name of a tool, or a pattern
	File    string     `query:"file"`       // the path that a call is about, or its end
	Agent   string     `query:"agent"`      // the id of a subagent, or its beginning
	Last    uint       `query:"n"`          // only so many, the newest; 0: all
	Follow  bool       `query:"follow"`     // goes on with the events to come until the caller leaves

	Seqs []uint64 `query:"seq,comma"` // the events with these sequences, in this order, and all other fields are passed over
}

// EventRequest names one event.
type EventRequest struct {
	ID string `path:"id"` // its id or its sequence
}

// ExportRequest says which part of the log is exported. A time means that of the append.
type ExportRequest struct {
	Session string     `query:"session"`
	Since   past.Point `query:"since"`
	Until   past.Point `query:"until"`
}

// CellsRequest chooses cells of a projection: those with the Keys; else those that are Like a word; else the Newest sessions;
// else those whose key begins with Prefix, which may be empty.
type CellsRequest struct {
	Projection string   `path:"projection"`
	Keys       []string `query:"key"`
	Like       []string `query:"like"`    // beginnings of keys, dashes left out
	Newest     int      `query:"newest"`  // above 0, of sessions only: the live ones, and at least so many of those that were active last
	Projects   []string `query:"project"` // with Newest: only the sessions of these projects, by their ids
	Prefix     string   `query:"prefix"`
}

// CellRequest names one cell.
type CellRequest struct {
	Projection string `path:"projection"`
	Key        string `path:"key"` // a session may be named by its alias
}

// BucketRequest names a bucket, or one key of it.
type BucketRequest struct {
	Bucket string `query:"bucket"` // "" with Watch only: all
	Key    string `query:"key"`    // a key, or the part of one that no other key has; "" means all
	Watch  bool   `query:"watch"`  // what changes from now on, until the caller leaves
}

// LedgerRequest names the project whose ledger is wanted.
type LedgerRequest struct {
	Project string `path:"project"` // its id
}

// ContextRequest asks what a session would be told at a start.
type ContextRequest struct {
	Session string     `path:"session"` // its id
	Source  string     `query:"source"` // compact, startup, resume or clear; compact where it is empty
	At      past.Point `query:"at"`     // as of then
	Budget  string     `query:"budget"` // a number of tokens, as it was typed; "" leaves the budget of such a start
}

// WhyRequest asks where a line that a session was told comes from.
type WhyRequest struct {
	Session string `path:"session"` // its id
	Text    string `query:"q"`      // a part of the line, or an event by its id or sequence
}

// WalkRequest names the session whose events are wanted.
type WalkRequest struct {
	Session string `path:"session"`
}

// Emission is an event of a type that can be commanded.
type Emission struct {
	Type    string          `json:"type"`
	Session string          `json:"session,omitempty"`
	Project string          `json:"project,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"` // an object; {} where it is empty
}

// Order is a request for events of one branch's gates, or of the ledger of the project that Dir is in, all or none. The
// branch is that of Dir unless it is named; a Session that is not known is left out for a ledger.
type Order struct {
	Dir     string    `json:"dir"`
	Branch  string    `json:"branch,omitempty"`
	Session string    `json:"session,omitempty"`
	Events  []Command `json:"events"`
}

// Command is one event of an [Order]: gate.satisfied, gate.cleared, gate.imported, or an event of a ledger.
type Command struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// DreamRequest asks for a dream; the cool-down does not hold it back.
type DreamRequest struct {
	Session string `json:"session"`
	Phase   string `json:"phase"` // nrem, rem or full
}

// RetractRequest asks to take an event back.
type RetractRequest struct {
	ID     string `json:"id"` // its id or its sequence
	Reason string `json:"reason"`
}

// RestoreRequest asks for the state of a checkpoint.
type RestoreRequest struct {
	Session    string `json:"session"`              // whose checkpoint it is, and whose state it becomes
	Checkpoint uint64 `json:"checkpoint,omitempty"` // sequence of its event; 0: the newest
	Show       bool   `json:"show,omitempty"`       // nothing is appended
}

// LineRequest is what the client gives its status line.
type LineRequest struct {
	Session string `json:"session"`
	Used    int64  `json:"used"`   // tokens in the context
	Window  int64  `json:"window"` // tokens that it has room for
	Model   string `json:"model"`
}

// TranscriptsRequest names transcripts whose sessions are taken into the log.
type TranscriptsRequest struct {
	Paths  []string `query:"paths,json"` // files, and folders with some
	DryRun bool     `query:"dry_run"`
}

// RecoverRequest names an identity of the past: that of a session, else that of the project that the folder Cwd is in.
type RecoverRequest struct {
	At      past.Point `query:"at"`
	Session string     `query:"session"`
	Into    string     `query:"into"` // the session that gets it; "" means the source where that lives, else the project's only live session
	Cwd     string     `query:"cwd"`
	DryRun  bool       `query:"dry_run"`
}

// RebuildRequest says what is folded again.
type RebuildRequest struct {
	Projection string `query:"projection"` // "" means all
	DryRun     bool   `query:"dry_run"`
}

// ImportRequest names an export whose events are taken into the log.
type ImportRequest struct {
	File    string `query:"file"`
	Partial bool   `query:"partial"` // of a file that is damaged or cut off, what comes before that
}

// BackupRequest names the file that a backup is written to.
type BackupRequest struct {
	File string `query:"file"` // must not exist
}

// RepairRequest says where a repair looks.
type RepairRequest struct {
	From        []string `query:"from"`        // exports
	Transcripts string   `query:"transcripts"` // folder with transcripts; "" means those that the sessions name
	DryRun      bool     `query:"dry_run"`
}
