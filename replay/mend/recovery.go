package mend

import (
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/projector"
	"hookline/projector/identity"
)

// Recovered is the outcome of `replay recover`.
type Recovered struct {
	At       string    `json:"at" jsonschema:"format=date-time" jsonschema_description:"the moment that was asked for"`
	Seq      uint64    `json:"seq" jsonschema_description:"sequence that the identity was folded at"`
	Session  string    `json:"session" jsonschema_description:"whose identity it was"`
	Snapshot int64     `json:"snapshot" jsonschema_description:"milliseconds since 1970, of its newest snapshot then; 0 when none was taken"`
	Project  string    `json:"project" jsonschema_description:"id"`
	Target   string    `json:"target" jsonschema_description:"session that has it now"`
	Replaces string    `json:"replaces,omitempty" jsonschema_description:"session that was the project's latest before"`
	Before   Coherence `json:"before" jsonschema_description:"of the target"`
	After    Coherence `json:"after" jsonschema_description:"of the target"`
	DryRun   bool      `json:"dry_run" jsonschema_description:"nothing was changed"`
	Event    string    `json:"event,omitempty" jsonschema_description:"id of the event; absent in a dry run"`
}

// Coherence is an identity in four words.
type Coherence struct {
	IC    float64 `json:"ic" jsonschema_description:"continuity, 0 to 1"`
	C     float64 `json:"consciousness" jsonschema_description:"C, 0 to 1"`
	R     float64 `json:"r" jsonschema_description:"coherence, 0 to 1"`
	Class string  `json:"class" jsonschema_description:"of the continuity: healthy, good, warning or degraded; empty for a session without identity"`
}

func coherenceOf(s identity.State) Coherence {
	if !s.Born {
		return Coherence{}
	}
	return Coherence{IC: s.LastIC, C: s.Consciousness, R: s.Integration, Class: identity.Classify(s.LastIC)}
}

// Moment is a point of the log as a recovery understands it: a sequence, or a time of capture.
type Moment struct {
	Seq  uint64    // 0 when it is a time
	Time time.Time // of the event at Seq, or the time asked for
}

// Asked is what is asked for: the identity of a session, or of a project's newest snapshot.
type Asked struct {
	At      Moment
	Session string
	Project string
	DryRun  bool
}

// Past is where an identity of the past is looked for.
type Past struct {
	Log  *embedded.Stream
	View *projector.View
	Now  func() time.Time
	// Envelopes puts events into envelopes like base; the first is the cause of the others.
	Envelopes func(now time.Time, base events.Envelope, list ...events.Event) ([]events.Envelope, error)
}
