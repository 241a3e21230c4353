package events

import (
	"fmt"
	"strings"
)

// The log: what is taken back, damage, and what was folded from it again.

// Wire names of this file.
const (
	TypeRecordRetracted = "record.retracted"
	TypeLogDamaged      = "log.damaged"
	TypeLogRepaired     = "log.repaired"
	TypeBucketRebuilt   = "bucket.rebuilt"
)

// RecordRetracted takes back what an earlier event said; folds honour it, the log keeps both.
type RecordRetracted struct {
	Target string `json:"target" jsonschema_description:"id of the event that is taken back"`
	Reason string `json:"reason" jsonschema_description:"why"`
}

// Type implements [Event].
func (*RecordRetracted) Type() string { return TypeRecordRetracted }

var _ = kind[RecordRetracted]("", "an earlier event was taken back")

// LogDamaged records damage of the log that was found and what became of it.
type LogDamaged struct {
	Block   string   `json:"block" jsonschema_description:"the block file"`
	Lost    []uint64 `json:"lost,omitempty" jsonschema_description:"the first 1,000 sequences that could not be had"`
	Runs    []SeqRun `json:"runs,omitempty" jsonschema_description:"all of them, in runs"`
	Healed  int      `json:"healed,omitempty" jsonschema_description:"records that came back from the archive"`
	Problem string   `json:"problem" jsonschema_description:"what was wrong"`
}

// Type implements [Event].
func (*LogDamaged) Type() string { return TypeLogDamaged }

var _ = kind[LogDamaged]("", "damage of the log was found")

// SeqRun is a run of sequences, both ends included.
type SeqRun struct {
	First uint64 `json:"first" jsonschema_description:"first sequence"`
	Last  uint64 `json:"last" jsonschema_description:"last sequence"`
}

// LogRepaired records that events whose sequences were lost are in the log again, under their own ids.
type LogRepaired struct {
	Back   []SeqRun `json:"back" jsonschema_description:"the sequences that the events had"`
	Source string   `json:"source" jsonschema_description:"where they were found"`
}

// Type implements [Event].
func (*LogRepaired) Type() string { return TypeLogRepaired }

var _ = kind[LogRepaired]("", "lost events came back")

// BucketRebuilt records that cells of the buckets were folded again from the log. Where the log itself was damaged they are
// folded again too, and [LogDamaged] stands for it.
type BucketRebuilt struct {
	Cause       string   `json:"cause" jsonschema_description:"version (of a projection, or a new one), damaged, lost, unreadable (cells), other_log (positions were of another log) or command"`
	Detail      string   `json:"detail,omitempty" jsonschema_description:"what was found, in words"`
	Buckets     []string `json:"buckets" jsonschema_description:"the buckets that the cells lie in"`
	Projections []string `json:"projections" jsonschema_description:"the projections that were folded again"`
	Cells       int      `json:"cells" jsonschema_description:"cells that the projections had afterwards"`
	Changed     int      `json:"changed,omitempty" jsonschema_description:"fields that were other than before, where the old cells could be compared"`
	Seq         uint64   `json:"seq" jsonschema_description:"sequence up to which the log was folded"`
	TookMS      int64    `json:"took_ms" jsonschema_description:"milliseconds that it took"`
}

// Type implements [Event].
func (*BucketRebuilt) Type() string { return TypeBucketRebuilt }

var _ = kind[BucketRebuilt]("", "states were folded again from the log")

// Causes of [BucketRebuilt].
const (
	RebuiltVersion    = "version"
	RebuiltDamaged    = "damaged"
	RebuiltLost       = "lost"
	RebuiltUnreadable = "unreadable"
	RebuiltOtherLog   = "other_log"
	RebuiltCommand    = "command"
)

// Summary implements [Summarizer].
func (e *BucketRebuilt) Summary() string {
	return fmt.Sprintf("%s: %s, %d cells up to %d", strings.ReplaceAll(e.Cause, "_", " "), strings.Join(e.Projections, ", "), e.Cells, e.Seq)
}
