package api

import (
	"encoding/json"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/transcript"
	"hookline/hookctl/wire"
	"hookline/projector/ledger"
	"hookline/replay/past"
)

// What the daemon says of itself, and what it is told to do with itself.
var (
	// Alive answers as soon as there is a daemon.
	Alive = Endpoint[None, None]{"GET", wire.AlivePath}

	// GetStatus returns the daemon's state.
	GetStatus = Endpoint[None, Status]{"GET", "/v1/status"}

	// RunCanary sends an event through the whole line and looks for it at every place that it must come by.
	RunCanary = Endpoint[None, Canary]{"POST", "/v1/canary"}

	// Drain takes the frames that wait in the spool.
	Drain = Endpoint[None, Drained]{"POST", "/v1/gone"}

	// Stop ends the daemon.
	Stop = Endpoint[StopRequest, None]{"POST", "/v1/stop"}
)

// The log.
var (
	// Events gives the events that are asked for, the oldest first, and with Follow those that come later.
	Events = Stream[EventsRequest, events.Record]{"GET", "/v1/events"}

	// Event returns one event.
	Event = Endpoint[EventRequest, events.Record]{"GET", "/v1/events/{id}"}

	// HookJSON returns the hook's own JSON of an event, redacted, with its large contents put back.
	HookJSON = Endpoint[EventRequest, json.RawMessage]{"GET", "/v1/events/{id}?raw=1"}

	// GetLosses returns the sequences that the log says are lost.
	GetLosses = Endpoint[None, Losses]{"GET", "/v1/losses"}

	// Export gives the log, or a part of it, in the file form of package replay/carry, a line at a time.
	Export = Stream[ExportRequest, json.RawMessage]{"GET", "/v1/export"}
)

// States, now and in the past.
var (
	// Cells gives cells of a projection.
	Cells = Stream[CellsRequest, past.Cell]{"GET", "/v1/cells/{projection}"}

	// Cell returns one cell.
	Cell = Endpoint[CellRequest, past.Cell]{"GET", "/v1/cells/{projection}/{key...}"}

	// Ledger returns a project's ledger, together with those of the projects that it took in.
	Ledger = Endpoint[LedgerRequest, ledger.State]{"GET", "/v1/ledger/{project}"}

	// Context returns what a session would be told at a start, and what each section of it costs.
	Context = Endpoint[ContextRequest, hook.Recovery]{"GET", "/v1/context/{session}"}

	// ExplainLine returns the events that a line for the model comes from.
	ExplainLine = Endpoint[WhyRequest, Why]{"GET", "/v1/why/{session}"}

	// GetBuckets returns what buckets there are, and how far each projection is written.
	GetBuckets = Endpoint[None, Buckets]{"GET", "/v1/buckets"}

	// BucketCells gives the values of a bucket as they are stored, or what is written to the buckets from now on.
	BucketCells = Stream[BucketRequest, BucketCell]{"GET", "/v1/buckets/cells"}

	// At returns the cells at a point of the log.
	At = Endpoint[past.Question, past.State]{"GET", "/v1/at"}

	// Diff returns what is different between two points of the log.
	Diff = Endpoint[past.Comparison, past.Change]{"GET", "/v1/diff"}

	// Walk gives every event of a session with what it changed.
	Walk = Stream[WalkRequest, past.Step]{"GET", "/v1/walk/{session...}"}
)

// Commands: each is decided about the states as they are, and its events go through the recorder.
var (
	// Emit appends an event of a type that can be commanded.
	Emit = Endpoint[Emission, events.Record]{"POST", "/v1/do/emit"}

	// OrderGates appends what a person decided about the gates of a branch.
	OrderGates = Endpoint[Order, GateReceipt]{"POST", "/v1/do/gates"}

	// OrderLedger appends what a person or an agent says of a project's ledger.
	OrderLedger = Endpoint[Order, LedgerReceipt]{"POST", "/v1/do/ledger"}

	// Dream starts a dream of a session.
	Dream = Endpoint[DreamRequest, DreamStarted]{"POST", "/v1/do/dream"}

	// Retract takes an event back.
	Retract = Endpoint[RetractRequest, Retracted]{"POST", "/v1/do/retract"}

	// Restore makes the state of a checkpoint the session's own again, or only shows it.
	Restore = Endpoint[RestoreRequest, Restored]{"POST", "/v1/do/restore"}

	// StatusLine records how full the context is, and returns what a status line shows.
	StatusLine = Endpoint[LineRequest, LineFacts]{"POST", "/v1/do/line"}

	// ImportTranscripts takes the sessions of transcripts into the log.
	ImportTranscripts = Long[TranscriptsRequest, transcript.Imported]{"POST", "/v1/do/import"}

	// Recover makes an identity of the past the current one.
	Recover = Long[RecoverRequest, past.Recovered]{"POST", "/v1/do/recover"}
)

// What is done with the whole log.
var (
	// Verify proves the log record by record, folds it again and compares every cell.
	Verify = Long[None, Verdict]{"POST", "/v1/verify"}

	// Rebuild folds the log again and puts the cells in the place of those that are there.
	Rebuild = Long[RebuildRequest, Rebuilt]{"POST", "/v1/rebuild"}

	// Import takes the events of an export that the log does not have.
	Import = Long[ImportRequest, Imported]{"POST", "/v1/import"}

	// Backup writes the store into one new file.
	Backup = Long[BackupRequest, BackedUp]{"POST", "/v1/backup"}

	// Repair finds what is lost, and appends what exports and transcripts have of it.
	Repair = Long[RepairRequest, Repaired]{"POST", "/v1/repair"}
)

// All lists every endpoint; a test compares it with the declarations above.
var All = []Route{
	Alive, GetStatus, RunCanary, Drain, Stop,
	Events, Event, HookJSON, GetLosses, Export,
	Cells, Cell, Ledger, Context, ExplainLine, GetBuckets, BucketCells, At, Diff, Walk,
	Emit, OrderGates, OrderLedger, Dream, Retract, Restore, StatusLine, ImportTranscripts, Recover,
	Verify, Rebuild, Import, Backup, Repair,
}
