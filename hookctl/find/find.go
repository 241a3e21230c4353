// Package find decides what of the log is searched: the texts of an event by their kind, the terms of a query, and the
// events that followed an error. It is pure; package index keeps the words of the texts in a file.
//
// A tool call is one document: that of its request until its outcome is in the log, which then stands for both. Of a
// long text the beginning is searched, of an output its end too. [DocOf] says which events are not searched, and why.
package find

import (
	"context"

	"hookline/events"
)

// Kind is the kind of a text in a document.
type Kind int

// Kinds of text, in the order in which hits are ranked: words in a prompt say more than words in an output.
const (
	Prompt  Kind = iota
	Words        // of the agent
	Command      // of a shell
	Path
	Error
	Output
	Note     // other input of a tool, and texts of other events
	NumKinds = iota
)

// KindNames are the names of the kinds, in output for people and in the index.
var KindNames = [NumKinds]string{"prompt", "words", "command", "path", "error", "output", "note"}

// Doc holds the texts of one event that are searched, and what a query can restrict them by.
type Doc struct {
	Seq     uint64
	ID      string
	Time    int64 // of capture, Unix ms
	Session string
	Project string
	Type    string
	Tool    string
	Call    string // the client's id of the tool call
	Open    bool   // a call without its outcome: a later document of the same call replaces it
	Text    [NumKinds]string
}

// Size returns the number of bytes of all texts.
func (d Doc) Size() int {
	n := 0
	for _, s := range d.Text {
		n += len(s)
	}
	return n
}

// Query restricts the documents of a search. All that is given must hold. The zero value asks for everything.
type Query struct {
	Words    []string // each is a word, or several side by side; with * at its end the beginning of a word
	File     string
	Command  string
	Error    string
	Sessions []string // whole ids; nil means all
	Projects []string
	Types    []string // names or patterns as tool.*
	Tools    []string
	From, To uint64 // sequences, both included; 0 means no limit
	Since    int64  // Unix ms, included; 0 means no limit
	Until    int64  // Unix ms, not included; 0 means no limit
	Limit    int    // of matches
	Every    bool   // the newest matches, without ranking them
}

// Match is one document that a query matches.
type Match struct {
	Seq     uint64
	Time    int64
	Session string
	Project string
	Score   float64 // higher is better
}

// Log reads events from a sequence on, in order. It returns the first error of each.
type Log func(ctx context.Context, from uint64, each func(events.Record) error) error

// Index is a searchable file. It must not be used by two goroutines at a time.
type Index interface {
	// Update adds the events that the log has gained. An index that does not fit the log is built again. report is
	// called now and then with the sequence that was reached, and may be nil.
	Update(ctx context.Context, log Log, report func(seq uint64)) error

	// Search returns the best matches, the best one first.
	Search(ctx context.Context, q Query) ([]Match, error)

	Close() error
}
