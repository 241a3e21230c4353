// Package export is the file form of a log: every event as one line of JSON, with the large contents
// it refers to, so that another home, another machine or another year can read it.
//
// # Format 1
//
// Lines of JSON (NDJSON), each ended by "\n", as one zstd stream with checksums; [Open] also reads the
// lines without zstd. The first line is the header, the last one the trailer, so that a file that was cut
// off is seen whatever it was cut at:
//
//	{"hookline_export":1,"build":"0.1.0","created":"2026-11-21T08:00:00Z","events":2,"from":{"first":1,"last":2}}
//	{"$blob":"sha256:9f86d081…","content":"test"}
//	{"seq":1,"id":"01K…","type":"tool.requested","version":1,…,"data":{"tool_input":{"content":{"$blob":"sha256:9f86d081…","size":4,"head":"test"}}}}
//	{"seq":2,"id":"01K…","type":"turn.stopped","version":1,…,"data":{}}
//	{"end":true,"events":2,"blobs":1,"sha256":"…"}
//
// An event's line is the event record of the command line (package events), its data byte for byte as in
// the log. Data that has a line break in it, or is no JSON, stands in data_base64 instead, and data is
// {} then. seq and appended tell where it stood; a log that takes it in gives it new ones.
//
// A blob stands before the first event that needs it, once a file. Its content is text, or with
// "encoding":"base64" any bytes. A blob that was lost in the log is not in the file; its event is.
//
// The trailer's sha256 is over every byte before the trailer's line, after decompression. Members that a
// reader does not know are passed over; a format number above its own is refused ([ErrNewer]).
package export

import (
	"errors"
	"time"

	"hookline/events"
)

// Format is the number of the format that this package writes, and the newest it reads.
const Format = 1

// maxLine bounds one line in bytes: a blob is at most 64 MiB, base64 and JSON escapes make it more.
const maxLine = 512 << 20

// What a file may be refused for.
var (
	// ErrNotExport: the first line is no header of an export.
	ErrNotExport = errors.New("not an export of hookline")
	// ErrNewer: a later build wrote the file in a format that this one does not know.
	ErrNewer = errors.New("the export has a newer format")
	// ErrTruncated: the file ends before its trailer. Everything read until then is sound.
	ErrTruncated = errors.New("the export is cut off")
	// ErrDamaged: a line is not what was written.
	ErrDamaged = errors.New("the export is damaged")
)

// Header is the first line.
type Header struct {
	Format  int       `json:"hookline_export"`
	Build   string    `json:"build"`
	Created time.Time `json:"created"`
	Events  uint64    `json:"events"` // in the file
	From    From      `json:"from"`
}

// From tells which part of which log the file holds.
type From struct {
	First   uint64     `json:"first"` // sequences that were looked at, both included
	Last    uint64     `json:"last"`
	Session string     `json:"session,omitempty"` // only this one's events
	Since   *time.Time `json:"since,omitempty"`   // what was asked for, by the time of the append
	Until   *time.Time `json:"until,omitempty"`
}

// Trailer is the last line.
type Trailer struct {
	End    bool   `json:"end"`
	Events uint64 `json:"events"`
	Blobs  uint64 `json:"blobs"`
	SHA256 string `json:"sha256"` // of everything before, hex
}

// Item is what one line holds: an event, or a blob.
type Item struct {
	Event *events.Record // nil for a blob
	Blob  *Blob
}

// Blob is a large content by its digest.
type Blob struct {
	Digest  string // "sha256:" and 64 hex digits; true of Content
	Content []byte
}
