// Package ledger folds what a project has decided, what comes next, which questions and test scenarios are open, and
// where something was decided otherwise than the ledger has it (S3). One cell per project, keyed by its id.
//
// NOTES.md and beads are views of this state. Every entry keeps the id of its event; the log has those that a full cell
// has dropped.
package ledger

import (
	"slices"
	"time"

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
	Project string  `json:"project,omitempty" jsonschema_description:"id of the project"`
	Entries []Entry `json:"entries,omitempty" jsonschema_description:"entries in the order they were added, closed ones too, at most 500"`
	Forks   []Fork  `json:"forks,omitempty" jsonschema_description:"decisions that were said otherwise than the ledger has them, the newest last, at most 20"`

	Handoffs []Handoff `json:"handoffs,omitempty" jsonschema_description:"syntheses before a context was cleared, the newest last, at most 20"`
}

// Entry is one decision, step, question, scenario or ghost.
type Entry struct {
	ID        string            `json:"id" jsonschema_description:"id of the event that added the entry"`
	Seq       uint64            `json:"seq" jsonschema_description:"sequence of the event that added the entry"`
	Time      time.Time         `json:"time" jsonschema_description:"when the entry was added"`
	Project   string            `json:"project,omitempty" jsonschema_description:"id of the project whose cell the entry is in: a project may have taken in another"`
	Session   string            `json:"session,omitempty" jsonschema_description:"id of the session in which the entry was added"`
	Kind      string            `json:"kind" jsonschema_description:"kind of the entry: decision, step, question, scenario or ghost"`
	Text      string            `json:"text" jsonschema_description:"text of the entry, shortened"`
	Subject   string            `json:"subject,omitempty" jsonschema_description:"what a decision is about"`
	Rationale string            `json:"rationale,omitempty" jsonschema_description:"why it was decided so"`
	Evidence  []events.Citation `json:"evidence,omitempty" jsonschema_description:"places in files that the entry rests on"`
	Case      string            `json:"case,omitempty" jsonschema_description:"the case that a scenario or ghost is about"`
	Expected  string            `json:"expected,omitempty" jsonschema_description:"what a scenario expects"`
	By        string            `json:"by" jsonschema_description:"who added the entry: agent, person or user"`
	Source    string            `json:"source,omitempty" jsonschema_description:"the file or hook that the entry was taken from"`
	Closed    *Closing          `json:"closed,omitempty" jsonschema_description:"how the entry ended; absent while it is open"`
}

// Closing is how an entry ended.
type Closing struct {
	Event  string    `json:"event" jsonschema_description:"id of the event that closed the entry"`
	Time   time.Time `json:"time" jsonschema_description:"when the entry was closed"`
	Reason string    `json:"reason,omitempty" jsonschema_description:"why the entry was closed, or the answer to a question"`
}

// Fork is a decision that was said otherwise than the ledger has it.
type Fork struct {
	Event   string    `json:"event" jsonschema_description:"id of the event that found the fork"`
	Time    time.Time `json:"time" jsonschema_description:"when the fork was found"`
	Session string    `json:"session,omitempty" jsonschema_description:"id of the session in which it was said"`
	Entry   string    `json:"entry" jsonschema_description:"id of the entry that the ledger has"`
	Ledger  string    `json:"ledger_decision" jsonschema_description:"the decision that the ledger has"`
	Context string    `json:"context_decision" jsonschema_description:"the decision that was said"`
}

// Handoff is a synthesis before a context was cleared (S3 "handoffs[]").
type Handoff struct {
	Event    string    `json:"event" jsonschema_description:"id of the synthesis' event"`
	Seq      uint64    `json:"trajectory_ref" jsonschema_description:"sequence of the synthesis: the log up to there is the trajectory"`
	Session  string    `json:"session_id,omitempty" jsonschema_description:"id of the session whose context was handed over"`
	Ended    time.Time `json:"ended" jsonschema_description:"when the synthesis was made"`
	NotesRef string    `json:"notes_ref,omitempty" jsonschema_description:"file and lines of the view that was rendered"`
	Ratio    float64   `json:"grounding_ratio" jsonschema_description:"share of the decisions that had evidence then"`
	Level    string    `json:"level" jsonschema_description:"how missing evidence is taken: strict, warn or disabled"`
	Passed   bool      `json:"passed" jsonschema_description:"the context could be cleared"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Start:   func(project string) State { return State{Project: project} },
	On: projector.Handlers(
		projector.On((*State).entryAdded),
		projector.On((*State).entryClosed),
		projector.On((*State).forkDetected),
		projector.On((*State).synthesized),
		projector.On((*State).sessionDeleted),
	),
})

func (s *State) entryAdded(r events.Record, e *events.LedgerEntryAdded) {
	if e.Replaces != "" {
		s.close(e.Replaces, Closing{Event: r.ID, Time: r.Time, Reason: "replaced"})
	}
	s.Entries = withoutSurplus(append(slices.Clip(s.Entries), entryOf(r, e)))
}

func (s *State) entryClosed(r events.Record, e *events.LedgerEntryClosed) {
	s.close(e.Entry, Closing{Event: r.ID, Time: r.Time, Reason: short(e.Reason)})
}

func (s *State) forkDetected(r events.Record, e *events.ForkDetected) {
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

// entryOf returns the entry that an event adds.
func entryOf(r events.Record, e *events.LedgerEntryAdded) Entry {
	out := Entry{
		ID:        r.ID,
		Seq:       r.Seq,
		Time:      r.Time,
		Project:   r.Project,
		Session:   r.Session,
		Kind:      e.Kind,
		Text:      short(e.Text),
		Subject:   short(e.Subject),
		Rationale: short(e.Rationale),
		Case:      short(e.Case),
		Expected:  short(e.Expected),
		By:        e.By,
		Source:    short(e.Source),
	}
	for _, c := range e.Evidence[:min(len(e.Evidence), maxEvidence)] {
		citation := events.Citation{Path: short(c.Path), Line: c.Line, End: c.End, Quote: short(c.Quote)}
		out.Evidence = append(out.Evidence, citation)
	}
	return out
}

// withoutSurplus drops the entry that a cell has no room for: the oldest closed one, else the oldest.
func withoutSurplus(list []Entry) []Entry {
	if len(list) <= maxEntries {
		return list
	}
	oldestClosed := slices.IndexFunc(list, func(e Entry) bool { return e.Closed != nil })
	i := max(0, oldestClosed)
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

func short(text string) string { return wording.Short(text, maxText) }
