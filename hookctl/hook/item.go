package hook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hookline/events/wording"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Items: what there is to tell, each with the event that it comes from and the shorter forms that it has.

// Rank is the place of an item in the text (DECISIONS "order in the injection"). Where the budget does not hold all,
// the highest rank gives way first.
type Rank int

// The ranks.
const (
	RankIdentity Rank = iota
	RankGoal          // and phase
	RankHandoff       // and next steps
	RankBlockers
	RankDecisions
	RankFiles // that were changed
	RankRead  // files that were read
	RankCommands
	RankFunctions
	RankSeen // files that outputs named, not opened yet
	RankGates
	RankRest
)

// sections name the ranks for people. A capability that tells something of its own adds a rank above and its name here.
var sections = [...]string{RankIdentity: "identity", RankGoal: "goal and phase", RankHandoff: "handoff and next steps", RankBlockers: "blockers",
	RankDecisions: "decisions", RankFiles: "files changed", RankRead: "files read", RankCommands: "commands", RankFunctions: "functions", RankSeen: "files seen in outputs",
	RankGates: "gates", RankRest: "rest"}

// Item is one thing to tell: in its longest form that fits, or not at all.
type Item struct {
	ID      string // what it is about; told again in the same context only when Same changed
	Rank    Rank
	Text    string
	Shorter []string // other forms, longest first
	Same    string   // what counts as its content; "" = Text
	Paths   []string // files that Text names, below the work tree
	form    int      // that is told, 0: Text, n: Shorter[n-1]
	list    *list    // that Text has; nil for none
	shown   int      // entries of the list that are told
	dropped bool     // it is not told
	Event   string   // id of the event it comes from

	start session.Start // that was not told in time and that it belongs to; the zero value for an item of the hook itself

	User  bool // for the user, not for the model; an empty text takes back what was said before
	Bare  bool // for the user, without our name before it
	Warns bool // an identity verb that says it exits with 1
}

// item makes an item for the model that has one form.
func item(id string, rank Rank, text, event string) Item {
	return Item{ID: id, Rank: rank, Text: text, Event: event}
}

// Digest is the item's content as [events.ContextInjected] keeps it.
func (it Item) Digest() string {
	return digestOf(cmp.Or(it.Same, it.Text), 6)
}

// digestOf returns the first bytes of a text's digest in hex.
func digestOf(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// Tokens estimates conservatively: bytes / 3.5, rounded up.
func Tokens(s string) int { return tokensOf(len(s)) }

// tokensOf estimates the tokens of so many bytes.
func tokensOf(bytes int) int { return (2*bytes + 6) / 7 }

// text returns the item in the form that is told. What it has from the log came from anybody, so it is made inert; the
// identity and the gates alone have lines of their own.
func (it Item) text() string {
	if it.list != nil {
		return it.list.write(it.shown) // inert
	}
	text := it.Text
	if it.form > 0 {
		text = it.Shorter[it.form-1]
	}
	if it.Rank == RankIdentity || it.Rank == RankGates {
		return wording.Untagged(wording.Visible(text))
	}
	return wording.Inert(text)
}

// noteItem returns the item of a note with at most so many characters; nothing where there is none.
func noteItem(id string, rank Rank, text string, n *working.Note, chars int) []Item {
	if n == nil {
		return nil
	}
	return []Item{item("working."+id, rank, fmt.Sprintf(text, wording.Short(n.Text, chars)), n.Event)}
}
