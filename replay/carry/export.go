// Package carry brings a log to another home, another machine or another year: as an export, which is read and written
// line by line and taken in whole or not at all, each event once; and as a backup of a whole store.
//
// # An export, format 1
//
// Every event is one line of JSON, with the large contents it refers to. Lines of JSON (NDJSON), each ended by "\n", as one zstd stream with checksums; [OpenExport] also reads the
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
// {} then. seq and appended are those of the log that it was read from; a log that takes it in gives it new ones.
//
// A blob stands before the first event that needs it, once a file. Its content is text, or with
// "encoding":"base64" any bytes. A blob that was lost in the log is not in the file; its event is.
//
// The trailer's sha256 is over every byte before the trailer's line, after decompression. Members that a
// reader has no field for are passed over; a format number above its own is refused ([ErrNewer]).
//
// # A backup, format 1
//
// It keeps a whole store in one file, from which a home can be made again. The file is a tar in a zstd stream:
//
//	blocks/<n>.blk      the sealed blocks of the log, as they are
//	tail.ndjson         the events after them, up to the position; an export without blobs
//	blobs/<sha256>.zst  the large contents, as they are
//	spool/<id>.frame    frames that no daemon had taken yet
//	manifest.json       last: the position, and size and SHA-256 of every file before it
//
// A file without its manifest is one that was cut off, and is refused whole.
package carry

import (
	"errors"
	"time"

	"hookline/events"
)

// ExportFormat is the number of the format that this package writes, and the newest it reads.
const ExportFormat = 1

// maxLine bounds one line in bytes: a blob is at most 64 MiB, base64 and JSON escapes make it more.
const maxLine = 512 << 20

// maxHeader bounds the first line: a file of another kind without line ends is refused before much of it is in memory.
const maxHeader = 64 << 10

// What a file may be refused for.
var (
	// ErrNotExport: the first line is no header of an export.
	ErrNotExport = errors.New("not an export of hookline")
	// ErrNewer: a later build wrote the file in a format that this one cannot read.
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

// From is the part of a log that the file holds.
type From struct {
	First   uint64 `json:"first"` // sequences that were looked at, both included
	Last    uint64 `json:"last"`
	Session string `json:"session,omitempty"` // only this one's events
}

// Trailer is the last line.
type Trailer struct {
	End    bool   `json:"end"`
	Events uint64 `json:"events"`
	Blobs  uint64 `json:"blobs"`
	// Missing counts the contents that events refer to and the log does not have.
	Missing int    `json:"missing,omitempty"`
	SHA256  string `json:"sha256"` // of everything before, hex
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
