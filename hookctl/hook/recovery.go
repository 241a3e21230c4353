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

// RecoveryOf composes what a session would be told at a start with a source, as of a time. most bounds the tokens below
// the budget of such a start; 0 leaves it. Gates have a section where g is not nil: their rules are not in the log, so the
// caller reads them.
func RecoveryOf(r Reader, g *Gates, id, source string, at time.Time, most int) Recovery {
	own := sessionOf(r, id)
	w := World{Project: own.Project, NowMS: at.UnixMilli(), Gates: g}
	e := &events.SessionStarted{Source: source}
	e.Cwd = own.Cwd
	in := Input{Call: Call{Verb: VerbHook, Hook: "SessionStart"}, Time: at, Session: id, Event: e, Hook: e}

	_, born := identityOf(r, id)
	r.Decided = []events.Event{restored(in, e, born, identityBefore(in, w, r))}
	decideGates(in, w, r) // the judgement is kept in g, its events are for a real start
	items := slices.DeleteFunc(Tell(in, w, r, true), func(it Item) bool { return it.User })

	b := budgetOf(in)
	if !slices.ContainsFunc(items, func(it Item) bool { return it.Rank == RankGates }) {
		b.whole = b.shares[len(b.shares)-1].tokens // what is above is for the gates
	}
	if most > 0 {
		b = budget{whole: min(most, b.whole)}
	}
	t := fit(b, items, true)

	out := Recovery{Text: t.text(), Budget: b.whole, Left: t.left(), LeftOut: t.leftOut(), Source: source, Seq: r.Position().Seq, Sections: []Section{}, Items: []Recovered{}}
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
