package hook

import (
	"slices"
	"time"

	"hookline/events"
)

// What a session would be told when it starts, for people who ask.

// Recovery is what a session would be told at a start.
type Recovery struct {
	Text     string      `json:"text" jsonschema_description:"as the model would get it"`
	Tokens   int         `json:"tokens" jsonschema_description:"estimate for the text: bytes / 3.5, rounded up"`
	Budget   int         `json:"budget" jsonschema_description:"tokens that it may have"`
	Left     int         `json:"left,omitempty" jsonschema_description:"number of entries of lists and of whole items that the budget has no room for"`
	Source   string      `json:"source" jsonschema_description:"of the start: compact, startup, resume or clear"`
	Seq      uint64      `json:"seq" jsonschema_description:"sequence that it is told from"`
	Sections []Section   `json:"sections" jsonschema_description:"in order"`
	Items    []Recovered `json:"items" jsonschema_description:"in order"`

	LeftOut []events.LeftOut `json:"left_out,omitempty" jsonschema_description:"what the budget has no room for, in the order in which it would be told"`
}

// Section is what the items of one rank cost.
type Section struct {
	Name   string `json:"name" jsonschema_description:"as files changed"`
	Tokens int    `json:"tokens" jsonschema_description:"estimate"`
}

// Recovered is one item of a [Recovery].
type Recovered struct {
	ID      string `json:"id" jsonschema_description:"what it is about, as working.goal"`
	Section string `json:"section" jsonschema_description:"name of its section"`
	Text    string `json:"text" jsonschema_description:"as it is told"`
	Event   string `json:"event" jsonschema_description:"id of the event that it comes from; empty for what the start itself would say"`
	Tokens  int    `json:"tokens" jsonschema_description:"estimate"`
}

// Sources are the starts that a session can be asked about.
var Sources = []string{"compact", "startup", "resume", "clear"}

// RecoveryQuery asks what a session would be told at a start.
type RecoveryQuery struct {
	Session string          // whole id
	Source  string          // of the start, one of [Sources]
	At      time.Time       // when it would start
	Budget  int             // tokens, below those of such a start; 0: those
	Gates   *Gates          // nil: no section of gates; their rules are not in the log, so the caller reads them
	Missing map[string]bool // files of [RecoveryPaths] that are not on the disk
}

// start returns the frame of the start that is asked about.
func (q RecoveryQuery) start(r Reader) (Input, World) {
	own := sessionOf(r, q.Session)
	w := World{Project: own.Project, Worktree: own.Worktree, NowMS: q.At.UnixMilli(), Gates: q.Gates, Missing: q.Missing}
	e := &events.SessionStarted{Source: q.Source}
	e.Cwd = own.Cwd
	in := Input{Call: Call{Verb: VerbHook, Hook: "SessionStart"}, Time: q.At, Session: q.Session, Event: e, Hook: e}
	return in, w
}

// RecoveryPaths returns the files that [RecoveryOf] may name, as absolute paths.
func RecoveryPaths(r Reader, q RecoveryQuery) []string {
	in, w := q.start(r)
	return PathsToTell(in, w, r)
}

// RecoveryOf composes what a session would be told at a start.
func RecoveryOf(r Reader, q RecoveryQuery) Recovery {
	in, w := q.start(r)
	_, born := identityOf(r, q.Session)
	started, _ := in.Event.(*events.SessionStarted)
	r.Decided = []events.Event{restored(in, started, born, identityBefore(in, w, r))}
	decideGates(in, w, r) // the judgement is kept in g, its events are for a real start
	items := slices.DeleteFunc(Tell(in, w, r, true), func(it Item) bool { return it.User })

	b := budgetOf(in)
	if !slices.ContainsFunc(items, func(it Item) bool { return it.Rank == RankGates }) {
		b.whole = b.shares[len(b.shares)-1].tokens // what is above is for the gates
	}
	if q.Budget > 0 {
		b = budget{whole: min(q.Budget, b.whole)}
	}
	t := fit(b, items, true)

	out := Recovery{Text: t.text(), Budget: b.whole, Left: t.left(), LeftOut: t.leftOut(), Source: q.Source, Seq: r.Position().Seq, Sections: []Section{}, Items: []Recovered{}}
	out.Tokens = Tokens(out.Text)
	for _, c := range t.told() {
		name := sections[c.Rank]
		cost := Tokens(c.text())
		out.Items = append(out.Items, Recovered{ID: c.ID, Section: name, Text: c.text(), Event: c.Event, Tokens: cost})
		if n := len(out.Sections); n > 0 && out.Sections[n-1].Name == name {
			out.Sections[n-1].Tokens += cost
		} else {
			out.Sections = append(out.Sections, Section{Name: name, Tokens: cost})
		}
	}
	return out
}
