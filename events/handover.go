package events

import (
	"fmt"
	"math"
	"time"
)

// What one session of a project hands over to another.

// TypeHandoverTaken is the wire name of [HandoverTaken].
const TypeHandoverTaken = "handover.taken"

// HandoverTaken records which session of its project a session that starts goes on from, and what was open in the project
// then. Of a fork it is its origin, whose conversation the fork has.
type HandoverTaken struct {
	From     string     `json:"from" jsonschema_description:"whole id of the session that hands over"`
	Origin   bool       `json:"origin,omitempty" jsonschema_description:"the session that starts is a fork of that one"`
	Headless bool       `json:"headless,omitempty" jsonschema_description:"that session did all its work without a person at the terminal"`
	Goals    bool       `json:"goals,omitempty" jsonschema_description:"goal and task of that session are handed over, too; they are not to a headless session, nor after 24 hours"`
	Open     []OpenItem `json:"open,omitempty" jsonschema_description:"what was open in the project, in that session and in earlier ones, at most 40"`
}

// Type implements [Event].
func (*HandoverTaken) Type() string { return TypeHandoverTaken }

var _ = kind[HandoverTaken]("", "a session that starts goes on from another one of its project")

// Summary implements [Summarizer].
func (e *HandoverTaken) Summary() string {
	return fmt.Sprintf("from %s, %d open", Alias(e.From), len(e.Open))
}

// Kinds of an [OpenItem].
const (
	OpenFailure    = "failure"    // a call that failed and was not mended
	OpenTodo       = "todo"       // an entry of a list of things to do
	OpenStep       = "step"       // a next step that the agent named
	OpenConstraint = "constraint" // what the user said is always, never or only to be done, of a goal that is open
)

// OpenItem is one thing that a session left open.
type OpenItem struct {
	Kind    string `json:"kind" jsonschema_description:"kind of what is open: failure, todo, step or constraint"`
	Text    string `json:"text" jsonschema_description:"words of the error, the entry, the step or the constraint"`
	Target  string `json:"target,omitempty" jsonschema_description:"what failed: the file of an edit, the command"`
	Folder  string `json:"folder,omitempty" jsonschema_description:"folder that the command ran in, from the work tree"`
	Tool    string `json:"tool,omitempty" jsonschema_description:"name of the tool that failed"`
	Session string `json:"session" jsonschema_description:"whole id of the session that left it open"`
	Event   string `json:"event" jsonschema_description:"id of the event that it comes from"`
	Time    string `json:"time" jsonschema:"format=date-time" jsonschema_description:"RFC 3339, when that event was captured"`
}

// IsTask reports whether the item is a thing to do: an entry of a list, or a step.
func (i OpenItem) IsTask() bool { return i.Kind == OpenTodo || i.Kind == OpenStep }

// Age returns how long ago the event of the item was captured; what has no time is as old as can be.
func (i OpenItem) Age(now time.Time) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, i.Time)
	if err != nil {
		return math.MaxInt64
	}
	return now.Sub(at)
}

// Before reports whether the event of the item was captured before a time.
func (i OpenItem) Before(at time.Time) bool { return i.Age(at) > 0 }

// Same reports whether two items stand for one thing: the same event says the same.
func (i OpenItem) Same(other OpenItem) bool {
	return i.Kind == other.Kind && i.Event == other.Event && i.Text == other.Text
}
