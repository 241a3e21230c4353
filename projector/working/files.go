package working

import (
	"path"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Files that the session read, edited and created.

// What a call does to a file.
const (
	reads = iota
	edits
	creates
)

// changes are what a call does that changes a file, by whether that is new.
var changes = map[bool]int{false: edits, true: creates}

// prose are the endings of files that no test or build is about.
var prose = strings.Fields(".md .markdown .txt .rst .adoc .log .csv")

// touched takes in that a file was read or changed; what passed before says nothing of changed code.
func (s *State) touched(r events.Record, file string, how int) {
	if file == "" || len(file) > maxPath || strings.ContainsAny(file, "\n\r\x00") {
		return
	}

	files, f := copies.Take(s.Files, func(f File) bool { return f.Path == file })
	switch how {
	case reads:
		f.Read++
	case edits:
		f.Edited++
	case creates:
		f.Created = true
	}
	f.Path, f.Event, f.Time, f.Known, f.Stamp = file, r.ID, r.Time, false, ""
	if r.Facts != nil {
		f.Stamp = wording.Short(r.Facts.Seen, maxLine)
	}
	if len(files) >= maxFiles { // a file that was only read goes first
		i := max(0, slices.IndexFunc(files, func(f File) bool { return !f.Changed() }))
		files = slices.Delete(files, i, i+1)
	}
	s.Files = append(files, f)

	if how != reads && !slices.Contains(prose, strings.ToLower(path.Ext(file))) {
		s.Unproved = noteOf(r, file, maxPath)
		s.Evidence = nil
	}
}

// File is a file that the session's tools touched.
type File struct {
	Path    string    `json:"path" jsonschema_description:"as the tool named it"`
	Read    int       `json:"read,omitempty" jsonschema_description:"times"`
	Edited  int       `json:"edited,omitempty" jsonschema_description:"times, creation not counted"`
	Created bool      `json:"created,omitempty" jsonschema_description:"by this session"`
	Known   bool      `json:"known,omitempty" jsonschema_description:"the newest summary of a compaction names it"`
	Stamp   string    `json:"stamp,omitempty" jsonschema_description:"its size and time when it was seen last"`
	Event   string    `json:"event" jsonschema_description:"id of the newest event"`
	Time    time.Time `json:"time" jsonschema_description:"of the newest event"`
}

// Changed reports whether the session edited or created the file.
func (f File) Changed() bool { return f.Created || f.Edited > 0 }
