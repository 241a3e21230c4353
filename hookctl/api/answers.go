package api

import (
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// What answers have, where no package of a capability has a type for it. Those of verify, import, backup and repair are in
// results.go.

// Status is what `hookctl status --json` prints; the names never change.
type Status struct {
	PID            *int                 `json:"pid" jsonschema:"nullable" jsonschema_description:"process id of the daemon; null when none runs"`
	Version        string               `json:"version" jsonschema_description:"version of the daemon, or of this program when none runs"`
	Protocol       int                  `json:"protocol" jsonschema_description:"version of the protocol of the socket"`
	UptimeS        float64              `json:"uptime_s" jsonschema_description:"seconds since the daemon was started; 0 when none runs"`
	Seq            uint64               `json:"seq" jsonschema_description:"sequence of the log's newest event; 0 in an empty log and when no daemon runs"`
	Fsync          string               `json:"fsync" jsonschema_description:"way of the log to the disk: shared (hooks that come together share one fsync) or always (one each)"`
	Home           string               `json:"home" jsonschema_description:"folder of the recorder"`
	Socket         string               `json:"socket" jsonschema_description:"path of the unix socket"`
	Listen         *Listening           `json:"listen,omitempty" jsonschema_description:"address for clients of NATS, where the configuration wants one"`
	CleanStart     bool                 `json:"clean_start" jsonschema_description:"whether the store was closed in order before this start; false when no daemon runs"`
	Projections    []ProjectionStatus   `json:"projections" jsonschema_description:"how far each projection is written; empty when no daemon runs"`
	Spool          int                  `json:"spool" jsonschema_description:"number of frames that wait for the daemon"`
	Hooks          map[string]HookCount `json:"hooks" jsonschema_description:"hooks that came, by the client's name of the hook, of the sessions active last, 32 and more; empty when no daemon runs"`
	Again          int64                `json:"again" jsonschema_description:"number of frames that were delivered again, since the daemon's start"`
	Conflicts      int64                `json:"conflicts" jsonschema_description:"number of frame ids that came with other content, since the daemon's start"`
	SecondInstalls map[string]int       `json:"second_installs" jsonschema_description:"number of hooks that a second installation sent too, by its binary, since the daemon's start"`
	FreeBytes      int64                `json:"free_bytes" jsonschema_description:"free bytes of the disk with the home; with total_bytes 0 where it cannot be told"`
	TotalBytes     int64                `json:"total_bytes" jsonschema_description:"size of that disk in bytes"`
	StoreBytes     int64                `json:"store_bytes" jsonschema_description:"size of the files in the store in bytes; 0 where they cannot be read"`
	Warnings       []string             `json:"warnings" jsonschema_description:"warnings for a person, in words"`
	Damage         []string             `json:"damage" jsonschema_description:"damage of the log, in words"`
	LiveSessions   int                  `json:"live_sessions" jsonschema_description:"number of sessions whose process is there"`
	Live           []LiveSession        `json:"live,omitempty" jsonschema_description:"the live sessions"`
	UnknownTypes   map[string]int       `json:"unknown_types" jsonschema_description:"number of events of types that this build does not know, by type, among the newest"`
}

// LiveSession is a live session and how it stands.
type LiveSession struct {
	ID       string           `json:"id" jsonschema_description:"whole id of the session"`
	Title    string           `json:"title,omitempty" jsonschema_description:"beginning of the session's first prompt"`
	Standing session.Standing `json:"standing" jsonschema_description:"standing of the session"`
}

// ProjectionStatus is how far one projection is written.
type ProjectionStatus struct {
	Name string `json:"name" jsonschema_description:"name of the projection"`
	Seq  uint64 `json:"seq" jsonschema_description:"sequence of the newest event up to which the projection's state is written"`
	Lag  uint64 `json:"lag" jsonschema_description:"number of events that are folded in memory and not yet written"`
}

// HookCount is how often a hook came, and when last: in the daemon since its start, in what people see in the whole log.
type HookCount struct {
	Last  time.Time `json:"last" jsonschema_description:"time at which the hook came last"`
	Count int       `json:"count" jsonschema_description:"number of times that the hook came"`
}

// Listening is the address for clients of NATS, as status shows it.
type Listening struct {
	Address     string `json:"address,omitempty" jsonschema_description:"host and port; absent while the daemon does not listen"`
	Credentials string `json:"credentials,omitempty" jsonschema_description:"file with the URL that clients connect to, with user and password"`
	Problem     string `json:"problem,omitempty" jsonschema_description:"reason why the daemon does not listen"`
}

// Canary is the health check through the whole line: an event goes in and is looked for at every
// place it must come by.
type Canary struct {
	OK    bool         `json:"ok"`
	Seq   uint64       `json:"seq"`
	ID    string       `json:"id"`
	Steps []CanaryStep `json:"steps"`
}

// CanaryStep is one place.
type CanaryStep struct {
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	Detail string  `json:"detail,omitempty"`
	MS     float64 `json:"ms"`
}

// Drained says how many frames were taken from the spool.
type Drained struct {
	Taken int `json:"taken"`
}

// GateReceipt is what became of an order.
type GateReceipt struct {
	Project string   `json:"project" jsonschema_description:"id of the project"`
	Branch  string   `json:"branch" jsonschema_description:"branch whose gates they are"`
	Session string   `json:"session,omitempty" jsonschema_description:"whole id of the session; absent where no session is meant"`
	Seq     uint64   `json:"seq" jsonschema_description:"sequence of the last event"`
	Events  []string `json:"events" jsonschema_description:"ids of the events, in order"`
}

// LedgerReceipt is what became of an order.
type LedgerReceipt struct {
	Project string         `json:"project" jsonschema_description:"id of the project"`
	Results []hook.Ordered `json:"results" jsonschema_description:"outcomes, in the order they were asked for"`
}

// DreamStarted names a dream that was started; its outcome is an event that comes later.
type DreamStarted struct {
	Triggered uint64 `json:"triggered"` // sequence of dream.triggered
	Session   string `json:"session"`
	Phase     string `json:"phase"`
}

// LineFacts is what a status line shows of a session.
type LineFacts struct {
	Brief string  `json:"brief"` // "" when the identity is not known
	IC    float64 `json:"ic"`
	Class string  `json:"class"`
	Phase string  `json:"phase"` // of the session's life

	Standing session.Standing `json:"standing"`

	Gates int `json:"gates"` // number that is open: asked about and not satisfied
}

// Restored is the state of a checkpoint, and what of it was, or would be, restored.
type Restored struct {
	Session    string        `json:"session" jsonschema_description:"whole id of the session"`
	Checkpoint uint64        `json:"checkpoint" jsonschema_description:"sequence of the checkpoint's event"`
	Time       time.Time     `json:"time" jsonschema_description:"time at which the checkpoint was made"`
	Schema     int           `json:"schema_version" jsonschema_description:"version of the state's schema"`
	Left       []string      `json:"left" jsonschema_description:"parts that are not restored, and why"`
	Event      string        `json:"event,omitempty" jsonschema_description:"id of the event that restored it; only of checkpoint restore"`
	State      working.State `json:"state" jsonschema_description:"state of the checkpoint, shown: whole; restored: without what is left"`
}

// Retracted is a retraction, with what it takes back.
type Retracted struct {
	Event  events.Record `json:"event" jsonschema_description:"retraction, as it lies in the log"`
	Target events.Record `json:"target" jsonschema_description:"event that the retraction takes back; the log keeps it"`
}

// Rebuilt is the outcome of `replay rebuild`.
type Rebuilt struct {
	Projection string           `json:"projection" jsonschema_description:"projection that was asked for; empty for all"`
	DryRun     bool             `json:"dry_run" jsonschema_description:"whether nothing was changed, because only the outcome was asked for"`
	Seq        uint64           `json:"seq" jsonschema_description:"sequence up to which the log was folded"`
	Changed    []projector.Diff `json:"changed" jsonschema_description:"values that differed, all of them"`
	TookMS     float64          `json:"took_ms" jsonschema_description:"duration in milliseconds"`
}

// Why has the events that a line for a model comes from, and when the model got it.
type Why struct {
	Query   string           `json:"query" jsonschema_description:"text of a line, or id of an event, as it was asked for"`
	Session string           `json:"session" jsonschema_description:"whole id of the session"`
	Lines   []hook.Recovered `json:"lines" jsonschema_description:"lines that would be told at a start and have the text"`
	Sources []WhySource      `json:"sources" jsonschema_description:"events that the told lines come from, and entries of the states that have the text, each with its newest event"`
	Told    []WhyTold        `json:"told" jsonschema_description:"times at which such a line was told, oldest first; of other sessions of the project where the asked one was told none"`
}

// WhySource is an entry of a state.
type WhySource struct {
	Where string    `json:"where" jsonschema_description:"projection and path of the entry, as working files.3"`
	Text  string    `json:"text" jsonschema_description:"value that has the text"`
	Event string    `json:"event" jsonschema_description:"id of the event that the entry comes from"`
	Seq   uint64    `json:"seq,omitempty" jsonschema_description:"sequence of the event; absent when the log does not have it"`
	Type  string    `json:"type,omitempty" jsonschema_description:"type of the event"`
	Time  time.Time `json:"time,omitzero" jsonschema_description:"time at which the event was captured"`

	Session string `json:"session,omitempty" jsonschema_description:"whole id of the session that the event is of"`
}

// WhyTold is one time that the model got a line.
type WhyTold struct {
	Seq   uint64    `json:"seq" jsonschema_description:"sequence of the context.injected event"`
	Time  time.Time `json:"time" jsonschema_description:"time at which the model got the line"`
	Hook  string    `json:"hook" jsonschema_description:"client's name of the hook that was answered"`
	Items []string  `json:"items" jsonschema_description:"subjects of the lines, as working.edited"`

	Session string    `json:"session" jsonschema_description:"whole id of the session that was told it"`
	Tokens  int       `json:"tokens" jsonschema_description:"estimate for the lines: bytes / 3.5, rounded up"`
	Lines   []WhyLine `json:"lines" jsonschema_description:"lines as they were told"`
}

// WhyLine is a line that was told.
type WhyLine struct {
	ID     string   `json:"id" jsonschema_description:"subject of the line, as working.edited"`
	Text   string   `json:"text" jsonschema_description:"words of the line; empty in records of builds before 0.1.0"`
	Events []string `json:"events" jsonschema_description:"ids of the events that the line comes from"`
}
