// Package find says what of the log is searched: the texts of an event by their kind, what a person asks for, and what
// came after an error. It is pure; package index keeps the texts' words in a file.
//
// A tool call is one document: that of its request until its outcome is there, which then stands for both. Of long
// texts the beginning is searched, of output its end too; what [Of] leaves out says why.
package find

import (
	"context"

	"hookline/events"
)

// Kinds of text in a document, in the order in which a hit is judged: words in a prompt say more than words in an output.
const (
	Prompt = iota
	Words  // of the agent
	Command
	Path
	Error
	Output
	Note // what else a tool was called with, and texts of other events
	Kinds
)

// KindNames are the kinds as they are printed and as the index calls them.
var KindNames = [Kinds]string{"prompt", "words", "command", "path", "error", "output", "note"}

// Doc is what is searched of one event.
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
	Text    [Kinds]string
}

// Size is the number of bytes that are searched.
func (d Doc) Size() int {
	n := 0
	for _, s := range d.Text {
		n += len(s)
	}
	return n
}

// Query is what is asked for. All that is given must hold. The zero value asks for everything.
type Query struct {
	Words    []string // each is a word, or several that stand side by side; with * at its end the beginning of a word
	File     string
	Command  string
	Error    string
	Sessions []string // whole ids; nil means all
	Projects []string
	Types    []string // names or patterns as tool.*
	Tools    []string
	From, To uint64 // sequences, both included; 0 means no limit
	Since    int64  // Unix ms, included; 0 means no limit
	Until    int64  // Unix ms, not included
	Limit    int
	Every    bool // the newest matches as they are, without a judgement of which are best
}

// Match is one document that a query means.
type Match struct {
	Seq     uint64
	Time    int64
	Session string
	Project string
	Score   float64 // higher is better
}

// Log reads events from a sequence on, in order.
type Log func(ctx context.Context, from uint64, each func(events.Record) error) error

// Index is a searchable file. It is used by one goroutine.
type Index interface {
	// Update takes what the log has gained. The index is made anew where it does not fit the log. report may be nil.
	Update(ctx context.Context, log Log, report func(seq uint64)) error
	// Search gives the best matches, the best one first.
	Search(ctx context.Context, q Query) ([]Match, error)
	Close() error
}
