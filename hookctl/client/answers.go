package client

import (
	"encoding/json"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// What a request carries and what its answer is, where either has a form of its own; the others are events, cells and
// the results of package mend, carry and check.

// Status is what `hookctl status --json` prints; the names never change.
type Status struct {
	PID            *int                 `json:"pid" jsonschema:"nullable" jsonschema_description:"process id of the daemon; null when none runs"`
	Version        string               `json:"version" jsonschema_description:"of the daemon, or of this program when none runs"`
	Protocol       int                  `json:"protocol" jsonschema_description:"of the socket"`
	UptimeS        float64              `json:"uptime_s" jsonschema_description:"seconds since the daemon was started; 0 when none runs"`
	Seq            uint64               `json:"seq" jsonschema_description:"the log's newest event; 0 in an empty log and when no daemon runs"`
	Fsync          string               `json:"fsync" jsonschema_description:"shared: hooks that come together share one fsync; always: one each"`
	Home           string               `json:"home" jsonschema_description:"folder of the recorder"`
	Socket         string               `json:"socket" jsonschema_description:"path of the unix socket"`
	Listen         *Listening           `json:"listen,omitempty" jsonschema_description:"the door for clients of NATS, where the configuration wants one"`
	CleanStart     bool                 `json:"clean_start" jsonschema_description:"the store was closed in order before this start; false when no daemon runs"`
	Projections    []ProjectionStatus   `json:"projections" jsonschema_description:"empty when no daemon runs"`
	Spool          int                  `json:"spool" jsonschema_description:"frames that wait for the daemon"`
	Hooks          map[string]HookCount `json:"hooks" jsonschema_description:"by the client's name of the hook, of the sessions active last, 32 and more; empty when no daemon runs"`
	Again          int64                `json:"again" jsonschema_description:"frames that were delivered again, since the daemon's start"`
	Conflicts      int64                `json:"conflicts" jsonschema_description:"frame ids that came with other content, since the daemon's start"`
	SecondInstalls map[string]int       `json:"second_installs" jsonschema_description:"hooks that a second installation sent too, by its binary, since the daemon's start"`
	FreeBytes      int64                `json:"free_bytes" jsonschema_description:"of the disk with the home; with total_bytes 0 where it cannot be told"`
	TotalBytes     int64                `json:"total_bytes" jsonschema_description:"of that disk"`
	StoreBytes     int64                `json:"store_bytes" jsonschema_description:"of the files in the store; 0 where they cannot be read"`
	Warnings       []string             `json:"warnings" jsonschema_description:"what a person should know, in words"`
	Damage         []string             `json:"damage" jsonschema_description:"of the log, in words"`
	LiveSessions   int                  `json:"live_sessions" jsonschema_description:"sessions whose process is there"`
	Live           []LiveSession        `json:"live,omitempty" jsonschema_description:"the live sessions"`
	UnknownTypes   map[string]int       `json:"unknown_types" jsonschema_description:"events of types that this build does not know, by type, among the newest"`
}

// LiveSession is a live session and how it stands.
type LiveSession struct {
	ID       string           `json:"id" jsonschema_description:"whole id"`
	Title    string           `json:"title,omitempty" jsonschema_description:"beginning of its first prompt"`
	Standing session.Standing `json:"standing" jsonschema_description:"how it stands"`
}

// ProjectionStatus is how far one projection is written.
type ProjectionStatus struct {
	Name string `json:"name" jsonschema_description:"of the projection"`
	Seq  uint64 `json:"seq" jsonschema_description:"the newest event up to which its state is written"`
	Lag  uint64 `json:"lag" jsonschema_description:"events that are folded in memory and not yet written"`
}

// HookCount is how often a hook came, and when last: in the daemon since its start, in what people see in the whole log.
type HookCount struct {
	Last  time.Time `json:"last" jsonschema_description:"when one came last"`
	Count int       `json:"count" jsonschema_description:"how many came"`
}

// Listening is the door for clients of NATS, as status shows it.
type Listening struct {
	Address     string `json:"address,omitempty" jsonschema_description:"host and port; none while it does not listen"`
	Credentials string `json:"credentials,omitempty" jsonschema_description:"file with the URL that clients connect to, with user and password"`
	Problem     string `json:"problem,omitempty" jsonschema_description:"why it does not listen"`
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

// Order is a request for events of one branch's gates, or of the ledger of the project that Dir is in, all or none. The
// branch is that of Dir unless it is named; Session may be an alias, and one that is not known is left out for a ledger.
type Order struct {
	Dir     string        `json:"dir"`
	Branch  string        `json:"branch,omitempty"`
	Session string        `json:"session,omitempty"`
	Events  []GateCommand `json:"events"`
}

// GateCommand is one of them: gate.satisfied, gate.cleared, gate.imported, or an event of a ledger.
type GateCommand struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// GateReceipt is what became of an order.
type GateReceipt struct {
	Project string   `json:"project" jsonschema_description:"id"`
	Branch  string   `json:"branch" jsonschema_description:"whose gates they are"`
	Session string   `json:"session,omitempty" jsonschema_description:"whole id; absent where no session is meant"`
	Seq     uint64   `json:"seq" jsonschema_description:"of the last event"`
	Events  []string `json:"events" jsonschema_description:"ids of the events, in order"`
}

// LedgerReceipt is what became of an order.
type LedgerReceipt struct {
	Project string         `json:"project" jsonschema_description:"id"`
	Results []hook.Ordered `json:"results" jsonschema_description:"in the order they were asked for"`
}

// LineOrder is what the client gives its status line.
type LineOrder struct {
	Session string `json:"session"`
	Used    int64  `json:"used"`
	Window  int64  `json:"window"`
	Model   string `json:"model"`
}

// LineFacts is what a status line shows of a session.
type LineFacts struct {
	Brief string  `json:"brief"` // "" when the identity is not known
	IC    float64 `json:"ic"`
	Class string  `json:"class"`
	Phase string  `json:"phase"` // of the session's life

	Standing session.Standing `json:"standing"`

	Gates int `json:"gates"` // that are open: asked about and not satisfied
}

// Restored is the state of a checkpoint, and what of it was, or would be, restored.
type Restored struct {
	Session    string        `json:"session" jsonschema_description:"whole id"`
	Checkpoint uint64        `json:"checkpoint" jsonschema_description:"sequence of its event"`
	Time       time.Time     `json:"time" jsonschema_description:"when it was made"`
	Schema     int           `json:"schema_version" jsonschema_description:"of the state"`
	Left       []string      `json:"left" jsonschema_description:"what is not restored, and why"`
	Event      string        `json:"event,omitempty" jsonschema_description:"id of the event that restored it; only of checkpoint restore"`
	State      working.State `json:"state" jsonschema_description:"shown: whole; restored: without what is left"`
}

// Retracted is a retraction, with what it takes back.
type Retracted struct {
	Event  events.Record `json:"event" jsonschema_description:"the retraction, as it lies in the log"`
	Target events.Record `json:"target" jsonschema_description:"the event that it takes back; the log keeps it"`
}

// Rebuilt is the outcome of `replay rebuild`.
type Rebuilt struct {
	Projection string           `json:"projection" jsonschema_description:"that was asked for; empty for all"`
	DryRun     bool             `json:"dry_run" jsonschema_description:"nothing was changed"`
	Seq        uint64           `json:"seq" jsonschema_description:"sequence up to which it was folded"`
	Changed    []projector.Diff `json:"changed" jsonschema_description:"every value that differed"`
	TookMS     float64          `json:"took_ms" jsonschema_description:"milliseconds"`
}

// Why has the events that a line for a model comes from, and when the model got it.
type Why struct {
	Query   string           `json:"query" jsonschema_description:"text of a line, or id of an event"`
	Session string           `json:"session" jsonschema_description:"whole id"`
	Lines   []hook.Recovered `json:"lines" jsonschema_description:"what would be told at a start and has the text"`
	Sources []WhySource      `json:"sources" jsonschema_description:"entries of the states that have the text, each with the newest event that it comes from"`
	Told    []WhyTold        `json:"told" jsonschema_description:"when such a line was told, oldest first"`
}

// WhySource is an entry of a state.
type WhySource struct {
	Where string    `json:"where" jsonschema_description:"projection and path, as working files.3"`
	Text  string    `json:"text" jsonschema_description:"the value that has the text"`
	Event string    `json:"event" jsonschema_description:"id of its event"`
	Seq   uint64    `json:"seq,omitempty" jsonschema_description:"sequence of the event; absent when the log does not have it"`
	Type  string    `json:"type,omitempty" jsonschema_description:"of the event"`
	Time  time.Time `json:"time,omitzero" jsonschema_description:"when the event was captured"`
}

// WhyTold is one time that the model got a line.
type WhyTold struct {
	Seq   uint64    `json:"seq" jsonschema_description:"sequence of its context.injected"`
	Time  time.Time `json:"time" jsonschema_description:"when"`
	Hook  string    `json:"hook" jsonschema_description:"the client's name of the hook that was answered"`
	Items []string  `json:"items" jsonschema_description:"what it was about, as working.edited"`
}
