// Package ledger folds what a project has decided, what comes next, which questions and test scenarios are open, and
// where something was decided otherwise than the ledger has it (S3). One cell per project, keyed by its id.
//
// NOTES.md and beads are views of this state. Every entry keeps the id of its event; the log has those that a full cell
// has dropped.
package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
)

// Name and Version of the projection's cells.
const (
	Name    = "ledger"
	Version = 1
)

// Bounds of what one cell keeps; the log has all of it.
const (
	maxEntries  = 500
	maxForks    = 20
	maxHandoffs = 20
	maxText     = 400 // characters
	maxEvidence = 20
)

// State is the ledger of one project.
type State struct {
	Project string  `json:"project,omitempty" jsonschema_description:"its id"`
	Entries []Entry `json:"entries,omitempty" jsonschema_description:"in the order they were added, closed ones too, at most 500"`
	Forks   []Fork  `json:"forks,omitempty" jsonschema_description:"the newest last, at most 20"`

	Handoffs []Handoff `json:"handoffs,omitempty" jsonschema_description:"the newest last, at most 20"`
}

// Entry is one decision, step, question, scenario or ghost.
type Entry struct {
	ID        string            `json:"id" jsonschema_description:"of the event that added it"`
	Seq       uint64            `json:"seq" jsonschema_description:"its sequence"`
	Time      time.Time         `json:"time" jsonschema_description:"when it was added"`
	Project   string            `json:"project,omitempty" jsonschema_description:"whose cell it is in: a project may have taken in another"`
	Session   string            `json:"session,omitempty" jsonschema_description:"in which it was added"`
	Kind      string            `json:"kind" jsonschema_description:"decision, step, question, scenario or ghost"`
	Text      string            `json:"text" jsonschema_description:"shortened"`
	Subject   string            `json:"subject,omitempty" jsonschema_description:"what a decision is about"`
	Rationale string            `json:"rationale,omitempty" jsonschema_description:"why"`
	Evidence  []events.Citation `json:"evidence,omitempty" jsonschema_description:"places in files"`
	Case      string            `json:"case,omitempty" jsonschema_description:"of a scenario or ghost"`
	Expected  string            `json:"expected,omitempty" jsonschema_description:"of a scenario"`
	By        string            `json:"by" jsonschema_description:"agent, person or user"`
	Source    string            `json:"source,omitempty" jsonschema_description:"file or hook"`
	Closed    *Closing          `json:"closed,omitempty" jsonschema_description:"absent while it is open"`
}

// Closing is how an entry ended.
type Closing struct {
	Event  string    `json:"event" jsonschema_description:"id of the event that closed it"`
	Time   time.Time `json:"time" jsonschema_description:"when"`
	Reason string    `json:"reason,omitempty" jsonschema_description:"why, or the answer"`
}

// Fork is a decision that was said otherwise than the ledger has it.
type Fork struct {
	Event   string    `json:"event" jsonschema_description:"id"`
	Time    time.Time `json:"time" jsonschema_description:"when"`
	Session string    `json:"session,omitempty" jsonschema_description:"in which it was said"`
	Entry   string    `json:"entry" jsonschema_description:"id of the entry that holds"`
	Ledger  string    `json:"ledger_decision" jsonschema_description:"what holds"`
	Context string    `json:"context_decision" jsonschema_description:"what was said"`
}

// Handoff is a synthesis before a context was cleared (S3 "handoffs[]").
type Handoff struct {
	Event    string    `json:"event" jsonschema_description:"id"`
	Seq      uint64    `json:"trajectory_ref" jsonschema_description:"its sequence: the log up to there is the trajectory"`
	Session  string    `json:"session_id,omitempty" jsonschema_description:"that was handed over"`
	Ended    time.Time `json:"ended" jsonschema_description:"when"`
	NotesRef string    `json:"notes_ref,omitempty" jsonschema_description:"file and lines of the rendered view"`
	Ratio    float64   `json:"grounding_ratio" jsonschema_description:"of the decisions then"`
	Level    string    `json:"level" jsonschema_description:"strict, warn or disabled"`
	Passed   bool      `json:"passed" jsonschema_description:"the context could be cleared"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Before: func(s *State, r events.Record) bool {
		s.Project = r.Project
		return true
	},
	On: projector.Handlers(
		projector.On((*State).added),
		projector.On((*State).entryClosed),
		projector.On((*State).forked),
		projector.On((*State).synthesized),
		projector.On((*State).sessionDeleted),
	),
})

func (s *State) added(r events.Record, e *events.LedgerEntryAdded) {
	if e.Replaces != "" {
		s.close(e.Replaces, Closing{Event: r.ID, Time: r.Time, Reason: "replaced"})
	}
	s.Entries = room(append(slices.Clip(s.Entries), entryOf(r, e)))
}

func (s *State) entryClosed(r events.Record, e *events.LedgerEntryClosed) {
	s.close(e.Entry, Closing{Event: r.ID, Time: r.Time, Reason: short(e.Reason)})
}

func (s *State) forked(r events.Record, e *events.ForkDetected) {
	f := Fork{
		Event:   r.ID,
		Time:    r.Time,
		Session: r.Session,
		Entry:   e.Entry,
		Ledger:  short(e.Ledger),
		Context: short(e.Context),
	}
	s.Forks = copies.Push(s.Forks, f, maxForks)
}

func (s *State) synthesized(r events.Record, e *events.LedgerSynthesized) {
	h := Handoff{
		Event:    r.ID,
		Seq:      r.Seq,
		Session:  r.Session,
		Ended:    r.Time,
		NotesRef: short(e.NotesRef),
		Ratio:    e.Ratio,
		Level:    short(e.Level),
		Passed:   e.Passed,
	}
	s.Handoffs = copies.Push(s.Handoffs, h, maxHandoffs)
}

// sessionDeleted leaves out what the deleted session said.
func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	s.Entries, _ = copies.Take(s.Entries, func(e Entry) bool { return e.Session == r.Session })
	s.Forks, _ = copies.Take(s.Forks, func(f Fork) bool { return f.Session == r.Session })
	s.Handoffs, _ = copies.Take(s.Handoffs, func(h Handoff) bool { return h.Session == r.Session })
}

func entryOf(r events.Record, e *events.LedgerEntryAdded) Entry {
	out := Entry{ID: r.ID, Seq: r.Seq, Time: r.Time, Project: r.Project, Session: r.Session, Kind: e.Kind, By: e.By,
		Text: short(e.Text), Subject: short(e.Subject), Rationale: short(e.Rationale),
		Case: short(e.Case), Expected: short(e.Expected), Source: short(e.Source)}
	for _, c := range e.Evidence[:min(len(e.Evidence), maxEvidence)] {
		out.Evidence = append(out.Evidence, events.Citation{Path: short(c.Path), Line: c.Line, End: c.End, Quote: short(c.Quote)})
	}
	return out
}

// room drops what a cell has no room for: the oldest closed entry, else the oldest.
func room(list []Entry) []Entry {
	if len(list) <= maxEntries {
		return list
	}
	i := max(0, slices.IndexFunc(list, func(e Entry) bool { return e.Closed != nil }))
	return slices.Delete(slices.Clone(list), i, i+1)
}

// close ends an entry that is still open.
func (s *State) close(id string, c Closing) {
	i := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 || s.Entries[i].Closed != nil {
		return
	}
	s.Entries = slices.Clone(s.Entries)
	s.Entries[i].Closed = &c
}

// Open are the open entries of a kind, in the order they were added.
func (s State) Open(kind string) []Entry {
	var list []Entry
	for _, e := range s.Entries {
		if e.Kind == kind && e.Closed == nil {
			list = append(list, e)
		}
	}
	return list
}

// Merge is the ledger of a project together with those of the projects that it took in.
func Merge(own State, others ...State) State {
	for _, o := range others {
		own.Entries = append(slices.Clip(own.Entries), o.Entries...)
		own.Forks = append(slices.Clip(own.Forks), o.Forks...)
		own.Handoffs = append(slices.Clip(own.Handoffs), o.Handoffs...)
	}
	slices.SortStableFunc(own.Entries, func(a, b Entry) int { return int(int64(a.Seq) - int64(b.Seq)) })
	return own
}

// Times are when entries were added, forks detected and handoffs made.
func (s State) Times() []time.Time {
	var list []time.Time
	for _, e := range s.Entries {
		list = append(list, e.Time)
	}
	for _, f := range s.Forks {
		list = append(list, f.Time)
	}
	for _, h := range s.Handoffs {
		list = append(list, h.Ended)
	}
	return list
}

// Search gives the n entries that have the most of the words, the newer first, closed ones too; none without any word.
func (s State) Search(asked []string, n int) []Entry {
	score := func(e Entry) int {
		has := strings.Fields(words(e.Subject + " " + e.Text + " " + e.Rationale + " " + e.Expected))
		found := 0
		for _, w := range strings.Fields(words(strings.Join(asked, " "))) {
			if slices.Contains(has, w) {
				found++
			}
		}
		return found
	}
	list := slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return score(e) == 0 })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Entry) int { return score(b) - score(a) })
	return list[:min(n, len(list))]
}

// Judge returns the open entry that says what e says already, and the open decision that e contradicts: of the same subject, or with
// the same place as evidence, and another decision (DECISIONS S3 "Fork"). The one that e replaces does not count. Both are nil
// where there is none.
func (s State) Judge(e *events.LedgerEntryAdded) (same, fork *Entry) {
	text, about := words(e.Text), words(e.Subject)
	for i := range s.Entries {
		known := &s.Entries[i]
		if known.Kind != e.Kind || known.Closed != nil {
			continue
		}
		equal := words(known.Text) == text
		sameSubject := about == words(known.Subject)
		switch {
		case equal && (e.Subject == "" || sameSubject):
			same = cmp.Or(same, known)
		case equal, known.ID == e.Replaces, e.Kind != events.LedgerDecision:
		case about != "" && sameSubject, samePlace(known.Evidence, e.Evidence):
			fork = cmp.Or(fork, known)
		}
	}
	return same, fork
}

func samePlace(a, b []events.Citation) bool {
	return slices.ContainsFunc(a, func(c events.Citation) bool {
		return slices.ContainsFunc(b, func(d events.Citation) bool { return c.Path == d.Path && c.Line == d.Line })
	})
}

// stopWords say nothing about a subject.
var stopWords = strings.Fields("a an and are as at be by for from how in into is it its of on or our should that the this to use used uses using we what which with")

// words normalises a text: its words in lower case without stop words, sorted, each once.
func words(text string) string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	kept := slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(stopWords, w) })
	if len(kept) == 0 {
		kept = list
	}
	slices.Sort(kept)
	return strings.Join(slices.Compact(kept), " ")
}

// SplitSubject takes "subject: decision" apart; the subject is empty where there is none of at most six words.
func SplitSubject(text string) (subject, decision string) {
	before, after, found := strings.Cut(text, ": ")
	if !found || len(strings.Fields(before)) > 6 || strings.TrimSpace(after) == "" {
		return "", text
	}
	return strings.TrimSpace(before), strings.TrimSpace(after)
}

func short(text string) string { return wording.Short(text, maxText) }
