// Package identity folds a session's events into its identity: what the session is about, how
// coherent it is, and how far it is still the one it was.
//
// # The quantities
//
//	purpose vector PV   13 facets of work (events.Facets). Evidence sums decay with a half-life of
//	                    15 facet events; PVᵢ = 2 + sumᵢ, then unit length; uniform at birth
//	phases θ, coupling K  13 Kuramoto oscillators, equal at birth, fanned out by failures and drawn
//	                    together by successes, little while a failure is open; order parameter r = |Σe^{iθ}|/13
//	consciousness C     r · σ(4·accuracy − 2) · H(PV)/log₂13: integration, reflection, differentiation
//	continuity IC       clamp(cos(PVₜ, PVₜ₋₁)·r, 0, 1). PVₜ₋₁ is the last trajectory entry, before the
//	                    first one the vector of birth, across sessions the previous snapshot's vector
//
// An example: a session at rest has r = 1.00 and IC = 1.00, its brief is "[C:CON r=1.00 IC=1.00]".
// Five failures of one shell command in a row take IC to .96, .86, .71, .54 and .36; the fifth is a
// crisis (IC < .5). A failure stays open on its target until that succeeds, or until 30 calls have
// left it alone; open failures keep r down whatever else succeeds.
//
// # What a facet event is
//
// A tool call gives evidence when it has come back (tool.succeeded, tool.failed), never when it is
// requested: only the outcome tells whether a Write made the file or replaced it, and a call must
// not count twice. A failed call feeds causality alone. An interrupted call is
// no evidence. A check is judged by what it printed (package outcome); one of which nobody can say how it
// went neither opens nor closes a failure, and counts for no accuracy. On one event the order is: accuracy, fan or shrink, evidence, one step of the
// oscillators, vector, IC, and only then the trajectory entry that the next IC is compared with.
//
// # Numbers
//
// Arithmetic is float64 with explicit conversions, so that no multiply-add is fused, and every
// number is rounded to four places when it enters the state: two machines agree although their last
// bits differ. All values are finite, whatever the log holds.
package identity

import (
	"encoding/json"
	"slices"
	"sort"

	"hookline/events"
	"hookline/projector"
)

// Name and Version are the projection's: cells are identity.v7.<session>. A change of the fold's
// meaning is a new version, and every cell is folded again.
const (
	Name    = "identity"
	Version = 7
)

// Limits of one state. They keep its encoding far below [MaxEncoded].
const (
	MaxTrajectory = 50  // entries, first in first out (S0 REQ-01)
	maxHistory    = 120 // points of the chart: as many columns as a wide terminal has
	maxSnapshots  = 32  // of a session that is resumed again and again
	maxSessionID  = 100 // characters (S0 EC-12)
	maxFiles      = 256 // remembered hashes; an older one is forgotten and counts as unseen
	maxCommands   = 256
	maxOpen       = 64 // targets with an open failure; a further one closes the oldest
	givenUp       = 30 // calls elsewhere after which a failure is closed
	entryEvery    = 25 // facet events between two trajectory entries
)

// CrisisThreshold is the continuity below which a session is in a crisis; the value itself is none.
const CrisisThreshold = 0.5

// Vector holds one value for each facet, in the order of events.Facets.
type Vector [events.Dim]float64

// Mark tells when a trajectory entry was taken and how coherent the session was then.
type Mark struct {
	AtMS int64   `json:"at_ms" jsonschema_description:"milliseconds since 1970"`
	R    float64 `json:"r" jsonschema_description:"coherence then"`
}

// Open is a target whose last call failed.
type Open struct {
	Target uint32 `json:"target" jsonschema_description:"hash of a file, of a program with its first word, or of a tool"`
	Call   int    `json:"call" jsonschema_description:"number of the call that failed there last"`
}

// Point is one value of the continuity chart.
type Point struct {
	AtMS int64   `json:"at_ms" jsonschema_description:"milliseconds since 1970"`
	IC   float64 `json:"ic" jsonschema_description:"continuity"`
}

// Snapshot is what a session was when its identity was persisted; it stays when the session goes on.
type Snapshot struct {
	AtMS int64   `json:"at_ms" jsonschema_description:"milliseconds since 1970"`
	IC   float64 `json:"ic" jsonschema_description:"continuity, 0 to 1"`
	R    float64 `json:"r" jsonschema_description:"coherence, 0 to 1"`
	C    float64 `json:"c" jsonschema_description:"consciousness, 0 to 1"`
}

// Held says which values an outside engine has set; the formulas leave those alone.
type Held struct {
	PurposeVector  bool   `json:"purpose_vector,omitempty" jsonschema_description:"an outside engine has set it"`
	KuramotoPhases bool   `json:"kuramoto_phases,omitempty" jsonschema_description:"as above"`
	Coupling       bool   `json:"coupling,omitempty" jsonschema_description:"as above"`
	Accuracy       bool   `json:"accuracy,omitempty" jsonschema_description:"as above"`
	Consciousness  bool   `json:"consciousness,omitempty" jsonschema_description:"as above"`
	Event          string `json:"event,omitempty" jsonschema_description:"id of the observation in force"`
}

// State is the identity of one session. The zero State is a session of which nothing is known; its
// brief is the cold one. Slices are never changed in place: two states may share them.
type State struct {
	SessionID         string   `json:"session_id" jsonschema_description:"whole id"`
	TimestampMS       int64    `json:"timestamp_ms" jsonschema_description:"milliseconds since 1970: of birth, then of the newest snapshot; of a tombstone the deletion's"`
	PreviousSessionID string   `json:"previous_session_id,omitempty" jsonschema_description:"session that it was restored from"`
	CrossSessionIC    float64  `json:"cross_session_ic" jsonschema_description:"continuity with that session, 0 to 1"`
	KuramotoPhases    Vector   `json:"kuramoto_phases" jsonschema_description:"radians in [0, 2π), a facet each"`
	Coupling          float64  `json:"coupling" jsonschema_description:"K, 0 to 2"`
	PurposeVector     Vector   `json:"purpose_vector" jsonschema_description:"-1 to 1, a facet each"`
	Trajectory        []Vector `json:"trajectory" jsonschema:"nullable" jsonschema_description:"earlier purpose vectors, newest last, at most 50; null in a tombstone"`
	LastIC            float64  `json:"last_ic" jsonschema_description:"continuity, 0 to 1"`
	CrisisThreshold   float64  `json:"crisis_threshold" jsonschema_description:"continuity below which a session is in crisis"`
	Consciousness     float64  `json:"consciousness" jsonschema_description:"C, 0 to 1"`
	Integration       float64  `json:"integration" jsonschema_description:"coherence r, 0 to 1"`
	Reflection        float64  `json:"reflection" jsonschema_description:"0 to 1"`
	Differentiation   float64  `json:"differentiation" jsonschema_description:"0 to 1"`

	Born          bool   `json:"born" jsonschema_description:"the first hook has come"`
	Live          bool   `json:"live" jsonschema_description:"it has not ended"`
	Deleted       bool   `json:"deleted,omitempty" jsonschema_description:"tombstone"`
	Project       string `json:"project,omitempty" jsonschema_description:"id"`
	Persisted     bool   `json:"persisted" jsonschema_description:"a snapshot was taken and nothing has come since"`
	PersistedAtMS int64  `json:"persisted_at_ms,omitempty" jsonschema_description:"milliseconds since 1970, of that snapshot"`

	Sums      Vector  `json:"sums" jsonschema_description:"decayed evidence, a facet each"`
	Successes float64 `json:"successes" jsonschema_description:"decayed, without the prior"`
	Calls     float64 `json:"calls" jsonschema_description:"decayed, without the prior"`
	Accuracy  float64 `json:"accuracy" jsonschema_description:"(2 + successes) / (2 + calls), or observed"`
	LastEntry Vector  `json:"last_entry" jsonschema_description:"purpose vector of the entry before"`
	Marks     []Mark  `json:"trajectory_marks,omitempty" jsonschema_description:"of the entries of the trajectory"`

	FacetEvents int              `json:"facet_events" jsonschema_description:"events that were evidence for a facet"`
	Prompts     int              `json:"prompts" jsonschema_description:"of the user; task notifications are none"`
	Used        [events.Dim]bool `json:"used" jsonschema_description:"facets with evidence in this session"`
	Unused      [events.Dim]int  `json:"unused" jsonschema_description:"sessions in a row without evidence, before this one, a facet each"`

	Edited    []uint32 `json:"edited,omitempty" jsonschema_description:"hashes of file paths"`
	Commands  []uint32 `json:"commands,omitempty" jsonschema_description:"hashes of command lines"`
	CallCount int      `json:"call_count" jsonschema_description:"tool calls that came back or were refused"`
	Open      []Open   `json:"open_failures,omitempty" jsonschema_description:"targets whose last call failed, oldest first, at most 64"`

	Origin     *Vector  `json:"origin,omitempty" jsonschema_description:"purpose vector of the snapshot that the session began with"`
	Continuity *float64 `json:"continuity,omitempty" jsonschema_description:"continuity with that snapshot after 25 facet events, 0 to 1"`

	Held           Held    `json:"held" jsonschema_description:"values that an outside engine has set"`
	PhasesUnstable bool    `json:"phases_unstable,omitempty" jsonschema_description:"phases were not finite and were reset; no event says so yet"`
	DreamAtMS      int64   `json:"dream_at_ms,omitempty" jsonschema_description:"milliseconds since 1970, when a dream was last asked for"`
	Dreams         int     `json:"dreams,omitempty" jsonschema_description:"that were completed"`
	History        []Point `json:"history,omitempty" jsonschema_description:"continuity over time, newest last, at most 120"`

	Snapshots []Snapshot `json:"snapshots,omitempty" jsonschema_description:"newest last"`
}

// SnapshotAt is what the session was when it was persisted at that moment.
func (s State) SnapshotAt(ms int64) (Snapshot, bool) {
	for _, p := range slices.Backward(s.Snapshots) {
		if p.AtMS == ms {
			return p, true
		}
	}
	return Snapshot{}, false
}

// Earlier tells that a snapshot of that moment is older than the first of the session: one that it had before
// it was deleted and began anew.
func (s State) Earlier(ms int64) bool {
	return len(s.Snapshots) > 0 && len(s.Snapshots) < maxSnapshots && ms < s.Snapshots[0].AtMS
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.BySession,
	Skip:    ephemeral,
	Before:  (*State).wake,
	On: projector.Handlers(
		projector.On((*State).sessionStarted),
		projector.On((*State).sessionEnded),
		projector.On((*State).sessionReaped),
		projector.On((*State).sessionDeleted),

		projector.On((*State).identityRestored),
		projector.On((*State).identityRecovered),
		projector.On((*State).observe),
		projector.On((*State).persist),
		projector.On((*State).phasesReset),
		projector.On((*State).trajectoryShortened),
		projector.On((*State).dreamTriggered),
		projector.On((*State).dreamCompleted),
		projector.On((*State).retract),

		projector.On(work[*events.PromptSubmitted]),
		projector.On(work[*events.TurnStopped]),
		projector.On(work[*events.ToolSucceeded]),
		projector.On(work[*events.ToolFailed]),
		projector.On(work[*events.PermissionRequested]),
		projector.On(work[*events.PermissionDenied]),
		projector.On(work[*events.GateBlocked]),
		projector.On(work[*events.SubagentStarted]),
		projector.On(work[*events.SubagentStopped]),
		projector.On(work[*events.TeammateIdled]),
		projector.On(work[*events.TaskCreated]),
		projector.On(work[*events.TaskCompleted]),
	),
	Views:   briefCell,
	Buckets: []string{projector.BucketCache},
})

// ephemeral reports records of a session that has no identity.
func ephemeral(r events.Record) bool { return r.Facts != nil && r.Facts.Ephemeral }

// wake gives the state a birth if it has none. After a deletion nothing counts but a new start, which [State.restored] judges.
func (s *State) wake(r events.Record) bool {
	switch r.Event.(type) {
	case *events.SessionDeleted, *events.IdentityRestored:
		return true
	}
	if s.Deleted {
		return false
	}
	*s = s.alive(r)
	return true
}

// sessionStarted needs nothing but [State.wake]: where the identity comes from is said by identity.restored.
func (s *State) sessionStarted(events.Record, *events.SessionStarted) {}

func (s *State) sessionEnded(events.Record, *events.SessionEnded) { s.Live = false }

func (s *State) sessionReaped(events.Record, *events.SessionReaped) { s.Live = false }

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	*s = State{SessionID: cut(r.Session), Project: r.Project, Deleted: true, TimestampMS: r.Time.UnixMilli()}
}

func (s *State) identityRestored(r events.Record, e *events.IdentityRestored) { *s = s.restored(r, e) }

func (s *State) identityRecovered(r events.Record, e *events.IdentityRecovered) {
	*s = s.recovered(r, e)
}

func (s *State) phasesReset(events.Record, *events.PhasesReset) {
	s.resetPhases()
	s.PhasesUnstable = false
	s.refresh()
}

func (s *State) trajectoryShortened(_ events.Record, e *events.TrajectoryShortened) {
	s.shorten(e.Dropped)
}

func (s *State) dreamTriggered(r events.Record, _ *events.DreamTriggered) {
	s.DreamAtMS = r.Time.UnixMilli()
}

func (s *State) dreamCompleted(_ events.Record, e *events.DreamCompleted) { s.dreamt(e) }

// work folds an event of the session's work, whatever its kind: each may be evidence for a facet.
func work[E events.Event](s *State, r events.Record, _ E) { s.work(r) }

// MaxEncoded is the size of a snapshot in bytes that must not be exceeded (S0 ERR-09).
const MaxEncoded = 30 << 10

// Encode is the snapshot as it lies in a bucket: one JSON object with S0 Appendix B's field names.
// Every state that [Fold] makes can be encoded; one with a value that is not finite gives nil.
func Encode(s State) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return b
}

// TooLarge gives the encoded size and, where that is above [MaxEncoded], how many of the oldest
// trajectory entries must go; 0 when it fits. The limits of a state make a folded one fit always,
// so this is the second wall for cells of other makers.
func TooLarge(s State) (size, drop int) {
	size = len(Encode(s))
	if size <= MaxEncoded {
		return size, 0
	}
	drop = sort.Search(len(s.Trajectory), func(n int) bool {
		less := s
		less.shorten(n)
		return len(Encode(less)) <= MaxEncoded
	})
	return size, drop
}
