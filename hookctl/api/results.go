package api

import (
	"time"

	"hookline/embedded/block"
	"hookline/projector"
)

// What comes of work with the whole log. The packages of the folder replay make these results; they are declared here so
// that who reads them links no store.

// Losses are the sequences that the log says are lost and that are not back.
type Losses struct {
	Lost  []block.Range `json:"lost"`
	Found time.Time     `json:"found"` // when the newest loss was found
}

// Verdict is the outcome of `replay verify`.
type Verdict struct {
	Clean    bool             `json:"clean" jsonschema_description:"whether nothing is wrong: exit is 0"`
	Events   uint64           `json:"events" jsonschema_description:"sequence up to which cells and log were compared"`
	Read     uint64           `json:"records" jsonschema_description:"number of records that were folded"`
	Unknown  uint64           `json:"unknown" jsonschema_description:"number of records of a type or version that this build does not know: kept, not wrong"`
	Holes    uint64           `json:"holes" jsonschema_description:"number of sequences that could not be read, known and new"`
	Known    []Hole           `json:"known" jsonschema_description:"holes that the log itself explains: no fault"`
	New      []Hole           `json:"new" jsonschema_description:"all other holes"`
	Compared []string         `json:"compared" jsonschema_description:"projections whose cells were judged"`
	Unsure   []string         `json:"unsure" jsonschema_description:"projections that differ, perhaps because of events that are lost"`
	Diffs    []projector.Diff `json:"diffs" jsonschema_description:"cells that are not what the log says"`
	Damage   []string         `json:"damage" jsonschema_description:"faults of the log, all of them, in words"`
	Exit     int              `json:"exit" jsonschema_description:"exit code of the verb: 0 clean, 1 projections differ, 2 the log is damaged"`
	TookMS   float64          `json:"took_ms" jsonschema_description:"duration in milliseconds"`
}

// Hole is a run of sequences that the log does not give.
type Hole struct {
	First  uint64 `json:"first" jsonschema_description:"first sequence of the hole"`
	Last   uint64 `json:"last" jsonschema_description:"last sequence of the hole"`
	Kind   string `json:"kind" jsonschema_description:"kind of the hole: erased, cut, damaged, missing or unreadable"`
	Block  string `json:"block,omitempty" jsonschema_description:"name of the file with the damage"`
	Offset int64  `json:"offset,omitempty" jsonschema_description:"offset of the damage in that file, in bytes"`
	Why    string `json:"why,omitempty" jsonschema_description:"fault that is there, in words"`
	Event  string `json:"event,omitempty" jsonschema_description:"id of the event that names the loss"`
}

// Imported is the outcome of `replay import`.
type Imported struct {
	File    string         `json:"file" jsonschema_description:"name of the file that was read"`
	Build   string         `json:"build" jsonschema_description:"version that wrote the file"`
	Events  uint64         `json:"events" jsonschema_description:"number of events in the file, or in what could be read of it"`
	Added   uint64         `json:"added" jsonschema_description:"number of events that were appended"`
	Known   uint64         `json:"known" jsonschema_description:"number of events that were in the log already"`
	Blobs   uint64         `json:"blobs" jsonschema_description:"number of large contents in the file"`
	NoBlob  uint64         `json:"missing_blobs" jsonschema_description:"number of contents that added events refer to and that are nowhere"`
	Unknown map[string]int `json:"unknown" jsonschema_description:"number of added events of types that this build does not know, by type"`
	Seq     uint64         `json:"seq" jsonschema_description:"sequence of the log's newest event now"`
	Problem string         `json:"problem,omitempty" jsonschema_description:"fault of the rest of the file; only with --partial"`
}

// BackedUp is the outcome of `replay backup`.
type BackedUp struct {
	File   string `json:"file" jsonschema_description:"name of the backup"`
	Bytes  int64  `json:"bytes" jsonschema_description:"size of the file in bytes"`
	Seq    uint64 `json:"seq" jsonschema_description:"sequence of the newest event in the backup"`
	ID     string `json:"id" jsonschema_description:"id of that event"`
	Blocks int    `json:"blocks" jsonschema_description:"number of sealed blocks of the log"`
	Events uint64 `json:"events" jsonschema_description:"number of events behind those blocks"`
	Blobs  int    `json:"blobs" jsonschema_description:"number of large contents"`
	Frames int    `json:"frames" jsonschema_description:"number of frames from the spool"`
	SHA256 string `json:"sha256" jsonschema_description:"SHA-256 of the file, in hex"`
}

// Repaired is the outcome of `replay repair`, or with DryRun what it would be.
type Repaired struct {
	DryRun bool `json:"dry_run" jsonschema_description:"whether nothing was changed, because only the outcome was asked for"`
	PID    int  `json:"pid" jsonschema_description:"id of the process that has the store"`

	Opened  []string      `json:"opened" jsonschema_description:"findings and mendings of the store's opening, in words"`
	Blocks  int           `json:"blocks" jsonschema_description:"number of sealed blocks that were read"`
	Damage  []string      `json:"damage" jsonschema_description:"damage in sealed blocks, in words; only another opening can mend it"`
	Lost    []block.Range `json:"lost" jsonschema_description:"sequences that the log does not have, or lost once"`
	LostN   uint64        `json:"lost_n" jsonschema_description:"number of the sequences in lost"`
	Back    []block.Range `json:"back" jsonschema_description:"lost sequences whose events are in the log again, under their ids"`
	BackN   uint64        `json:"back_n" jsonschema_description:"number of the sequences in back"`
	Fetched uint64        `json:"fetched" jsonschema_description:"number of lost sequences whose events are back, or an export has"`
	Rebuilt uint64        `json:"rebuilt" jsonschema_description:"number of events made from transcripts, now and earlier"`
	NotHad  uint64        `json:"not_had" jsonschema_description:"number of lost sequences that nothing stands for"`

	Blobs     int      `json:"blobs" jsonschema_description:"number of large contents that were read"`
	BadBlobs  []string `json:"bad_blobs" jsonschema_description:"digests of large contents that are damaged"`
	GoneBlobs []string `json:"gone_blobs" jsonschema_description:"digests of large contents that events refer to and that are not there"`
	NewBlobs  int      `json:"new_blobs" jsonschema_description:"number of damaged and missing contents that an export has"`

	Waiting     int      `json:"waiting" jsonschema_description:"number of frames in the spool"`
	Quarantined int      `json:"quarantined" jsonschema_description:"number of frames that could not be read"`
	Sources     []Source `json:"sources" jsonschema_description:"places that were looked into"`
	Added       uint64   `json:"added" jsonschema_description:"number of events that were appended"`
	Seq         uint64   `json:"seq" jsonschema_description:"sequence of the log's newest event"`
}

// Source is one place that a repair looked into.
type Source struct {
	Kind    string `json:"kind" jsonschema_description:"kind of the place: export or transcript"`
	Name    string `json:"name" jsonschema_description:"file or folder that was read"`
	Events  uint64 `json:"events" jsonschema_description:"number of events that the log lacks and this place has"`
	Known   uint64 `json:"known" jsonschema_description:"number of events of this place that the log has"`
	Blobs   int    `json:"blobs" jsonschema_description:"number of lost or damaged large contents that this place has"`
	Problem string `json:"problem,omitempty" jsonschema_description:"reason why the place could not be read to its end"`
}
