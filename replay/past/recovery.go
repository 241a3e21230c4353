package past

import (
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/identity"
)

// Recovery makes an identity of the past the current one (S0). The temporal index has which snapshot was the newest at a
// moment and where in the log it stands; the log is folded to there ([Recovery.Find]), and an event makes it current
// ([Recovery.Plan]). Nothing is erased.
type Recovery struct {
	Log  Log
	View *projector.View // of now: it has the temporal index
	Now  func() time.Time

	// Envelopes puts events into envelopes like base; the first is the cause of the others.
	Envelopes func(now time.Time, base events.Envelope, list ...events.Event) ([]events.Envelope, error)
}

// Moment is a point of the log as a recovery understands it: a sequence, or a time of capture.
type Moment struct {
	Seq  uint64    // 0 when it is a time
	Time time.Time // of the event at Seq, or the time asked for
}

// Wanted names the identity that is to be recovered: that of a session, or that of a project's newest snapshot.
type Wanted struct {
	At      Moment
	Session string
	Project string // counts where no session is named
	DryRun  bool
}

// Recovered is the outcome of `replay recover`.
type Recovered struct {
	At       string    `json:"at" jsonschema:"format=date-time" jsonschema_description:"the moment that was asked for"`
	Seq      uint64    `json:"seq" jsonschema_description:"sequence that the identity was folded at"`
	Session  string    `json:"session" jsonschema_description:"id of the session whose identity it was"`
	Snapshot int64     `json:"snapshot" jsonschema_description:"time of the newest snapshot that the identity had then, in milliseconds since 1970; 0 when none was taken"`
	Folded   bool      `json:"folded,omitempty" jsonschema_description:"whether the log has no snapshot of it from then, since the event is lost or there was none yet: it is the identity as it was folded up to the sequence"`
	Project  string    `json:"project" jsonschema_description:"id of the project"`
	Target   string    `json:"target" jsonschema_description:"id of the session that has the identity now"`
	Replaces string    `json:"replaces,omitempty" jsonschema_description:"id of the session that was the project's latest before"`
	Before   Coherence `json:"before" jsonschema_description:"identity of the target before the recovery"`
	After    Coherence `json:"after" jsonschema_description:"identity of the target after the recovery"`
	DryRun   bool      `json:"dry_run" jsonschema_description:"whether nothing was changed, because only the outcome was asked for"`
	Event    string    `json:"event,omitempty" jsonschema_description:"id of the event that was appended; absent in a dry run"`
}

// Coherence sums an identity up in three numbers and a word.
type Coherence struct {
	IC    float64 `json:"ic" jsonschema_description:"continuity of the identity, 0 to 1"`
	C     float64 `json:"consciousness" jsonschema_description:"value C of the identity, 0 to 1"`
	R     float64 `json:"r" jsonschema_description:"coherence of the identity, 0 to 1"`
	Class string  `json:"class" jsonschema_description:"class of the continuity: healthy, good, warning or degraded; empty for a session without identity"`
}

func coherenceOf(s identity.State) Coherence {
	if !s.Born {
		return Coherence{}
	}
	return Coherence{IC: s.LastIC, C: s.Consciousness, R: s.Integration, Class: identity.Classify(s.LastIC)}
}
