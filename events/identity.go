package events

import "time"

// Identity and dreams (S0). Vectors have 13 elements, one per facet, in the order of [Facets].

// Wire names of this file.
const (
	TypeIdentityRestored  = "identity.restored"
	TypeIdentityObserved  = "identity.observed"
	TypeIdentityPersisted = "identity.persisted"
	TypePhasesReset       = "identity.phases_reset"
	TypeIdentityShortened = "identity.trajectory_shortened"
	TypeIdentityRecovered = "identity.recovered"
	TypeDreamTriggered    = "dream.triggered"
	TypeDreamCompleted    = "dream.completed"
	TypeDreamFailed       = "dream.failed"
)

// Dim is the number of facets of the purpose vector.
const Dim = 13

// Facets names the 13 facets in order (S0 origins, 0.4).
var Facets = [Dim]string{"meaning", "freshness", "periodicity", "ordering", "causality", "selectivity", "correctness",
	"connectivity", "robustness", "multimodality", "factuality", "precision", "keyword precision"}

// Carry is what one session hands to the next. All values are finite; sums are already decayed by
// the gap between the two.
type Carry struct {
	PurposeVector []float64   `json:"purpose_vector" jsonschema_description:"13 values, unit length"`
	Sums          []float64   `json:"sums" jsonschema_description:"13 decayed evidence sums"`
	Phases        []float64   `json:"phases" jsonschema_description:"13 oscillator phases, radians in [0,2π)"`
	Coupling      float64     `json:"coupling" jsonschema_description:"K, 0 to 2"`
	Successes     float64     `json:"successes" jsonschema_description:"decayed number of successful tool calls"`
	Calls         float64     `json:"calls" jsonschema_description:"decayed number of tool calls"`
	LastEntry     []float64   `json:"last_entry,omitempty" jsonschema_description:"newest trajectory entry"`
	LastIC        float64     `json:"last_ic" jsonschema_description:"identity continuity at the snapshot, 0 to 1"`
	Unused        map[int]int `json:"unused,omitempty" jsonschema_description:"facet index to number of sessions in a row without evidence"`
}

// IdentityRestored records from what a session's identity starts.
type IdentityRestored struct {
	Source   string `json:"source" jsonschema_description:"startup, resume, clear, compact, fork or what the client said"`
	Outcome  string `json:"outcome" jsonschema_description:"restored, resumed, new, fresh, continued or not_found"`
	Previous string `json:"previous,omitempty" jsonschema_description:"session it comes from"`
	Snapshot int64  `json:"snapshot,omitempty" jsonschema_description:"Unix ms of that session's snapshot"`
	GapMS    int64  `json:"gap_ms,omitempty" jsonschema_description:"time since that snapshot"`
	Carry    *Carry `json:"carry,omitempty" jsonschema_description:"restored: what is inherited; absent otherwise"`
}

// Type implements [Event].
func (*IdentityRestored) Type() string { return TypeIdentityRestored }

var _ = kind[IdentityRestored]("", "from what a session's identity starts")

// IdentityObserved sets values from outside; they hold until the next observation or the session's
// end. Absent fields keep what the formulas give.
type IdentityObserved struct {
	PurposeVector   []float64 `json:"purpose_vector,omitempty" jsonschema_description:"13 values in [-1,1], not all zero"`
	KuramotoPhases  []float64 `json:"kuramoto_phases,omitempty" jsonschema_description:"13 phases, radians"`
	Coupling        *float64  `json:"coupling,omitempty" jsonschema_description:"0 to 2"`
	Accuracy        *float64  `json:"accuracy,omitempty" jsonschema_description:"0 to 1"`
	Consciousness   *float64  `json:"consciousness,omitempty" jsonschema_description:"0 to 1"`
	Observer        string    `json:"observer,omitempty" jsonschema_description:"who observed"`
	PreviousSession string    `json:"previous_session,omitempty" jsonschema_description:"the session it was known by before"`
}

// Type implements [Event].
func (*IdentityObserved) Type() string { return TypeIdentityObserved }

var _ = kind[IdentityObserved]("", "an outside engine set identity values")

// IdentityPersisted records that the identity's snapshot was taken; the fold keeps it and points
// the project's latest and the temporal index at it.
type IdentityPersisted struct {
	Reason string `json:"reason" jsonschema_description:"session_end, reaped or command"`
	AsOf   string `json:"as_of,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339, the time that the snapshot is of where it was taken later"`
}

// Type implements [Event].
func (*IdentityPersisted) Type() string { return TypeIdentityPersisted }

var _ = kind[IdentityPersisted]("", "the identity's snapshot was taken")

// At is the time that the snapshot is of: AsOf, or when it was recorded.
func (e *IdentityPersisted) At(recorded time.Time) time.Time {
	of, err := time.Parse(time.RFC3339Nano, e.AsOf)
	if err != nil || of.After(recorded) {
		return recorded
	}
	return of
}

// PhasesReset sets the 13 phases to 2πi/13.
type PhasesReset struct {
	Reason string `json:"reason" jsonschema_description:"command, or what was not finite"`
}

// Type implements [Event].
func (*PhasesReset) Type() string { return TypePhasesReset }

var _ = kind[PhasesReset]("", "the phases were set back to an even spread")

// TrajectoryShortened records that a snapshot was above 30 KB and lost its oldest entries.
type TrajectoryShortened struct {
	SizeBytes int `json:"size_bytes" jsonschema_description:"size before"`
	Dropped   int `json:"dropped" jsonschema_description:"entries that went"`
}

// Type implements [Event].
func (*TrajectoryShortened) Type() string { return TypeIdentityShortened }

var _ = kind[TrajectoryShortened]("", "a snapshot was too large and lost its oldest entries")

// IdentityRecovered makes an identity of the past the session's current one.
type IdentityRecovered struct {
	At       string `json:"at" jsonschema:"format=date-time" jsonschema_description:"RFC 3339, the moment asked for"`
	Session  string `json:"session" jsonschema_description:"session whose identity it was"`
	Seq      uint64 `json:"seq" jsonschema_description:"log position it was folded at"`
	Replaces string `json:"replaces,omitempty" jsonschema_description:"session that was latest before"`
	Carry    *Carry `json:"carry" jsonschema_description:"the identity as it was"`
}

// Type implements [Event].
func (*IdentityRecovered) Type() string { return TypeIdentityRecovered }

var _ = kind[IdentityRecovered]("", "an identity of the past became the current one")

// DreamTriggered records that a consolidation was asked for.
type DreamTriggered struct {
	Phase  string  `json:"phase" jsonschema_description:"nrem, rem or full"`
	Reason string  `json:"reason" jsonschema_description:"crisis or manual"`
	IC     float64 `json:"ic" jsonschema_description:"identity continuity at that moment"`
}

// Type implements [Event].
func (*DreamTriggered) Type() string { return TypeDreamTriggered }

var _ = kind[DreamTriggered]("", "a consolidation was asked for")

// DreamCompleted carries the outcome; folds take vector and phases from it.
type DreamCompleted struct {
	Phase         string    `json:"phase" jsonschema_description:"nrem, rem or full"`
	BeforeIC      float64   `json:"before_ic" jsonschema_description:"identity continuity before"`
	AfterIC       float64   `json:"after_ic" jsonschema_description:"identity continuity after"`
	BeforeR       float64   `json:"before_r" jsonschema_description:"order parameter before"`
	AfterR        float64   `json:"after_r" jsonschema_description:"order parameter after"`
	Entries       int       `json:"entries" jsonschema_description:"trajectory entries replayed, at most 100"`
	BlindSpots    []string  `json:"blind_spots,omitempty" jsonschema_description:"facets without evidence for three sessions"`
	Expired       int       `json:"expired,omitempty" jsonschema_description:"full: codes and checkpoints folded away"`
	PurposeVector []float64 `json:"purpose_vector,omitempty" jsonschema_description:"nrem, full: the vector after"`
	Sums          []float64 `json:"sums,omitempty" jsonschema_description:"nrem, full: evidence sums that give that vector"`
	Phases        []float64 `json:"phases,omitempty" jsonschema_description:"nrem, full: the phases after"`
	DurationMS    float64   `json:"duration_ms" jsonschema_description:"milliseconds"`
}

// Type implements [Event].
func (*DreamCompleted) Type() string { return TypeDreamCompleted }

var _ = kind[DreamCompleted]("", "a consolidation was done")

// DreamFailed records a consolidation that came to nothing.
type DreamFailed struct {
	Phase string  `json:"phase" jsonschema_description:"nrem, rem or full"`
	Error string  `json:"error" jsonschema_description:"why"`
	IC    float64 `json:"ic" jsonschema_description:"identity continuity remains at"`
}

// Type implements [Event].
func (*DreamFailed) Type() string { return TypeDreamFailed }

var _ = kind[DreamFailed]("", "a consolidation came to nothing")
