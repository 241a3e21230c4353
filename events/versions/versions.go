// Package versions tells which contents a file had, from the recorded calls that read or changed it.
//
// The calls are taken in the order of their capture. Each that tells something new makes a version:
//
//	found      a call found the file so; what changed it before is not in the log
//	written    a call of a tool left it so
//	outside    a call found another content than the call before it had left: a person, a command or a formatter changed it
//	deleted    a call removed it, or a command whose words say so
//	restored   `hookctl file restore` wrote it
//
// What is known of a version's content is either the whole, parts, nothing, or that there was no file. The whole is known
// after a Write; after a Read of all lines, also in several calls; after an Edit of a known whole; and before an Edit or a
// Write whose response has the file as it was. Nothing is guessed: where two records contradict each other the file was
// changed outside, and where the client's own difference (structuredPatch) does not fit the edit the result is unknown.
//
// # What a record does not have
//
// The client shows "\r\n" as "\n", and bytes that are no UTF-8 as U+FFFD. The size that the file had on disk when the call
// was recorded tells the first where it is known; see [Version.Ends]. Secrets were replaced before the call was recorded;
// see [Version.Redacted].
//
// A history is pure: the same calls give the same versions.
package versions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
)

// How a version came about.
type How string

// The ways in which a version comes about.
const (
	Found    How = "found"
	Written  How = "written"
	Outside  How = "outside"
	Deleted  How = "deleted"
	Restored How = "restored"
)

// Known says how much of a version's content is known.
type Known string

// What can be known of a content.
const (
	Nothing Known = "nothing"
	Parts   Known = "parts"
	Whole   Known = "whole"
	Absent  Known = "absent" // there was no file
)

// Ends says how the lines of the file end on disk, as far as its recorded size tells it.
type Ends string

// The ends of lines.
const (
	UnknownEnds Ends = ""
	AsRecorded  Ends = "as recorded" // the content is the file's, byte for byte
	CRLF        Ends = "crlf"        // each "\n" of the content is "\r\n" on disk
)

// Tools are the tools whose calls tell of a file by its path. Those of [CommandTools] tell of it in their commands.
var (
	Tools        = []string{"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"}
	CommandTools = []string{events.ToolPatch, "Bash"}
)

// Version is a content of a file with the event that it is known by.
type Version struct {
	How   How
	Known Known

	Content string // with [Whole]
	Pieces  []Part // with [Parts]
	Lines   int    // that the file has, the text behind the last "\n" counted where there is some; 0 where that is unknown

	// The event that left the file so; zero for what a call found before it did something.
	Seq     uint64
	Event   string
	Time    time.Time
	Session string
	Agent   string
	Tool    string

	After  uint64 // outside: the newest event before, after which the file was as the version before
	Before uint64 // found or outside: the event that found it so

	Counted bool // Added and Removed are known
	Added   int  // lines that the version has and the one before has not
	Removed int

	Ends     Ends
	Redacted bool // secrets of the content were replaced by markers
	Doubts   []string
}

// Part is a piece of a file: lines from a line on, counted from 1, or with Line 0 a text whose place is unknown.
type Part struct {
	Line int
	Text string
}

// OnDisk returns the content, known as a whole, as it was on disk, as far as the ends of its lines are known.
func (v Version) OnDisk() string {
	if v.Ends == CRLF {
		return strings.ReplaceAll(v.Content, "\n", "\r\n")
	}
	return v.Content
}

// History makes versions of a file from the calls about it, which come in the order of their capture.
type History struct {
	names []string

	now      content
	begun    bool   // a version was made
	last     uint64 // the newest event after which the file was as now
	redacted bool   // now has markers of secrets
	kept     store
}

// New returns the history of a file. Its names are the absolute paths by which calls mean it; the first is its own.
func New(names ...string) *History {
	h := &History{now: content{known: Nothing}}
	for _, name := range names {
		h.names = append(h.names, clean(name))
	}
	return h
}

// clean returns a path with slashes, without what means nothing in it.
func clean(name string) string { return events.InFolder("", name) }

// means reports whether a path that was named in a folder is the file's.
func (h *History) means(folder, name string) bool {
	return name != "" && slices.Contains(h.names, events.InFolder(folder, name))
}

// within reports whether the file lies at or below a path that was named in a folder.
func (h *History) within(folder, name string) bool {
	place := events.InFolder(folder, name)
	return slices.ContainsFunc(h.names, func(file string) bool {
		return file == place || strings.HasPrefix(file, strings.TrimSuffix(place, "/")+"/")
	})
}

// Take takes in the next call and returns the versions that it tells of, mostly one or none. whole is the call's data with
// its large contents, nil where one of them is gone. Events that say nothing of the file are passed over.
func (h *History) Take(r events.Record, whole json.RawMessage) []Version {
	switch e := r.Event.(type) {
	case *events.ToolSucceeded:
		return h.takeCall(r, e, whole)
	case *events.FileChanged:
		if e.Event == "unlink" && h.means(e.Cwd, e.FilePath) {
			return h.deleted(r, "the client saw that the file was gone")
		}
	case *events.FileRestored:
		if h.means("", e.File) {
			return h.takeRestored(r, e)
		}
	}
	return nil
}

// Concerns reports whether a record may tell of the file, as far as its data says it without its large contents.
func (h *History) Concerns(r events.Record) bool {
	switch e := r.Event.(type) {
	case *events.ToolSucceeded:
		inCommand := slices.Contains(CommandTools, e.ToolName)
		return inCommand || h.means(e.Cwd, events.InputOf(e.ToolInput).File())
	case *events.FileChanged:
		return h.means(e.Cwd, e.FilePath)
	case *events.FileRestored:
		return h.means("", e.File)
	}
	return false
}

// takeCall takes in a call that succeeded.
func (h *History) takeCall(r events.Record, e *events.ToolSucceeded, whole json.RawMessage) []Version {
	call := callOf(whole)
	if whole == nil {
		call = callWithout(e)
	}

	switch e.ToolName {
	case "Bash":
		return h.takeCommand(r, call)
	case events.ToolPatch:
		return h.takePatch(r, call)
	}
	if !h.means(call.Cwd, call.input.File()) {
		return nil
	}

	switch e.ToolName {
	case "Read":
		return h.takeRead(r, call)
	case "Write":
		return h.takeWrite(r, call)
	case "Edit", "MultiEdit":
		return h.takeEdit(r, call)
	case "NotebookEdit":
		return h.takeNotebook(r, call)
	}
	return nil
}

// step is one change of what is known: the event, and what it is about to become.
type step struct {
	how    How
	record events.Record
	next   content
	patch  []hunk // the client's own difference, for the count of lines
	doubts []string
	unseen bool // the record does not have the file before the change
}

// maybeElsewhere is said of a change in a content that the record does not have: what else had been changed outside is
// not seen then, unless the size on disk fits.
const maybeElsewhere = "the file before it is not recorded: a change elsewhere would not show"

// become makes a version of a step that the record's event itself made.
func (h *History) become(s step) Version {
	v := h.version(s)
	v.Seq = s.record.Seq
	v.Event = s.record.ID
	v.Time = s.record.Time
	v.Session = s.record.Session
	v.Agent = s.record.AgentID
	if e, ok := s.record.Event.(*events.ToolSucceeded); ok {
		v.Tool = e.ToolName
	}
	h.compareSize(&v, s.record)
	if s.unseen && v.Known == Whole && v.Ends == UnknownEnds {
		v.Doubts = append(slices.Clip(v.Doubts), maybeElsewhere)
	}
	return v
}

// before makes a version of what the record's call found before it did something.
func (h *History) before(s step) Version {
	v := h.version(s)
	v.Before = s.record.Seq
	v.Time = s.record.Time
	if s.how == Outside {
		v.After = h.last
	}
	return v
}

// version goes on to the step's content.
func (h *History) version(s step) Version {
	hasMarkers := s.next.hasMarkers()
	redacted := hasMarkers && (s.record.Redacted > 0 || h.redacted)

	v := Version{How: s.how, Known: s.next.known, Lines: s.next.lineCount(), Redacted: redacted, Doubts: s.doubts}
	v.Content = s.next.text
	v.Pieces = s.next.pieces()
	v.Added, v.Removed, v.Counted = h.now.countTo(s.next, s.patch)
	if !h.begun && v.How == Found {
		v.Counted = false
	}

	h.kept.keep(s.next)
	h.now = s.next
	h.redacted = redacted
	h.begun = true
	return v
}

// compareSize compares a content that is known as a whole with the size that the file had on disk.
func (h *History) compareSize(v *Version, r events.Record) {
	if v.Known != Whole || v.Redacted || r.Facts == nil || r.Facts.Seen == "" {
		return
	}

	first, _, _ := strings.Cut(r.Facts.Seen, " ")
	size, err := strconv.Atoi(first)
	if err != nil {
		v.Doubts = append(v.Doubts, "the file was gone when the call was recorded")
		return
	}
	h.compare(v, size)
}

// compare compares a content that is known as a whole with a size on disk.
func (h *History) compare(v *Version, size int) {
	switch {
	case size == len(v.Content):
		v.Ends = AsRecorded
	case !strings.Contains(v.Content, "\r") && size == len(v.Content)+strings.Count(v.Content, "\n"):
		v.Ends = CRLF
	default:
		v.Doubts = append(v.Doubts, fmt.Sprintf("the file had %d bytes on disk when the call was recorded, this content has %d",
			size, len(v.Content)))
	}
}

// found takes in the content that a call found. It returns a version where that is new: the first one, one that another
// call did not leave, or one of which more is known.
func (h *History) found(r events.Record, text string) []Version {
	next := wholeOf(text)
	switch {
	case !h.begun:
		return []Version{h.before(step{how: Found, record: r, next: next})}
	case h.now.same(next):
		h.last = r.Seq
		return nil
	case h.now.agrees(text):
		return []Version{h.before(step{how: Found, record: r, next: next})}
	}
	return []Version{h.before(step{how: Outside, record: r, next: next})}
}

// foundNone takes in that a call found no file.
func (h *History) foundNone(r events.Record) []Version {
	if !h.begun || h.now.known == Absent || h.now.known == Nothing {
		h.now = content{known: Absent}
		return nil
	}
	return []Version{h.before(step{how: Outside, record: r, next: content{known: Absent}})}
}

// deleted takes in that the file is gone.
func (h *History) deleted(r events.Record, doubt string) []Version {
	if h.begun && h.now.known == Absent {
		return nil
	}
	s := step{how: Deleted, record: r, next: content{known: Absent}}
	if doubt != "" {
		s.doubts = []string{doubt}
	}
	return h.wrote(r, h.become(s))
}

// takeRestored takes in that a command wrote an earlier content again.
func (h *History) takeRestored(r events.Record, e *events.FileRestored) []Version {
	list := h.foundDigest(r, e)
	text, is := h.kept.texts[e.Digest]
	if !is {
		doubts := []string{fmt.Sprintf("it was written as of event %d, whose content is not among those that were read", e.From)}
		v := h.become(step{how: Restored, record: r, next: content{known: Nothing}, doubts: doubts})
		return append(list, h.wrote(r, v)...)
	}

	v := h.become(step{how: Restored, record: r, next: wholeOf(text)})
	h.compare(&v, e.Size)
	return append(list, h.wrote(r, v)...)
}

// foundDigest takes in that a command found a content of which only the digest is recorded; "" is that of no file.
func (h *History) foundDigest(r events.Record, e *events.FileRestored) []Version {
	if e.Replaced == "" {
		return h.foundNone(r)
	}
	if text, is := h.kept.texts[e.Replaced]; is {
		return h.found(r, text)
	}
	if h.now.known == Whole || h.now.known == Absent && h.begun {
		s := step{how: Outside, record: r, next: content{known: Nothing}, doubts: []string{"a copy was kept in " + e.Copy}}
		return []Version{h.before(s)}
	}
	return nil
}

// wrote notes that the file was as now after an event.
func (h *History) wrote(r events.Record, v Version) []Version {
	h.last = r.Seq
	return []Version{v}
}
