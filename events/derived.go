package events

import "encoding/json"

// What hookline itself finds out or does. Each is caused by a hook's event, a command or the daemon.

// Wire names of this file.
const (
	TypeHookUnrecognized = "hook.unrecognized"
	TypeHookRefused      = "hook.refused"
	TypeFrameConflicted  = "frame.conflicted"
	TypeFrameDuplicated  = "frame.duplicated"
	TypeSessionReaped    = "session.reaped"
	TypeSessionDeleted   = "session.deleted"
	TypeProjectSeen      = "project.seen"
	TypeProjectMoved     = "project.moved"
	TypeProjectRehomed   = "project.rehomed"
	TypeRecordRetracted  = "record.retracted"
	TypeCanarySent       = "canary.sent"
	TypeDaemonStarted    = "daemon.started"
	TypeDaemonStopped    = "daemon.stopped"
	TypeLogDamaged       = "log.damaged"
	TypeLogRepaired      = "log.repaired"
	TypeClockJumped      = "clock.jumped"
)

// HookRefused records input that is no hook: what came instead, and why it was refused; or a hook whose content was lost.
type HookRefused struct {
	Reason string `json:"reason" jsonschema_description:"empty, truncated, not_an_object, invalid_json, too_deep, no_stdin, or lost: the hook came, but nobody could keep its content"`
	Size   int64  `json:"size" jsonschema_description:"bytes that were read"`
	Head   string `json:"head,omitempty" jsonschema_description:"the first 4096 bytes after redaction; bytes that are no UTF-8 as U+FFFD"`
	Digest string `json:"digest,omitempty" jsonschema_description:"sha256 of the input after redaction"`
	Given  string `json:"given,omitempty" jsonschema_description:"the event name on the command line"`

	ToolUseID string `json:"tool_use_id,omitempty" jsonschema_description:"the tool call of a lost hook"`
}

// Type implements [Event].
func (*HookRefused) Type() string { return TypeHookRefused }

var _ = kind[HookRefused]("", "input that is no hook, with the reason")

// FrameConflicted records a frame that came with the id of another frame but other content.
type FrameConflicted struct {
	Frame  string          `json:"frame" jsonschema_description:"the id both used"`
	Digest string          `json:"digest" jsonschema_description:"sha256 of the refused content"`
	Data   json.RawMessage `json:"data,omitempty" jsonschema_description:"the refused content, so that nothing is lost"`
}

// Type implements [Event].
func (*FrameConflicted) Type() string { return TypeFrameConflicted }

var _ = kind[FrameConflicted]("", "a frame id came twice with different content; the second was refused")

// FrameDuplicated records that a second install sends the same hooks; once per session and install.
type FrameDuplicated struct {
	Original string `json:"original" jsonschema_description:"event that counted"`
	Install  string `json:"install" jsonschema_description:"the second install: path of its hookctl"`
	First    string `json:"first,omitempty" jsonschema_description:"the first install"`
}

// Type implements [Event].
func (*FrameDuplicated) Type() string { return TypeFrameDuplicated }

var _ = kind[FrameDuplicated]("", "a second install sends the same hooks")

// SessionReaped records that a session ended without saying so.
type SessionReaped struct {
	Reason     string `json:"reason" jsonschema_description:"process_gone or silent"`
	PID        int    `json:"pid,omitempty" jsonschema_description:"the client process that is gone"`
	LastActive string `json:"last_active,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339, its last event"`
}

// Type implements [Event].
func (*SessionReaped) Type() string { return TypeSessionReaped }

var _ = kind[SessionReaped]("", "a session ended without saying so")

// SessionDeleted is a tombstone: folds and lists drop the session, the log keeps it.
type SessionDeleted struct {
	Reason string `json:"reason,omitempty" jsonschema_description:"why"`
}

// Type implements [Event].
func (*SessionDeleted) Type() string { return TypeSessionDeleted }

var _ = kind[SessionDeleted]("", "a tombstone: lists and folds drop the session")

// ProjectSeen records what tells a project: written at its first hook and when one of these changed.
type ProjectSeen struct {
	Path       string `json:"path" jsonschema_description:"git common directory, or the directory itself without git"`
	Git        bool   `json:"git" jsonschema_description:"whether path is a git common directory"`
	Name       string `json:"name" jsonschema_description:"base name for people"`
	RootCommit string `json:"root_commit,omitempty" jsonschema_description:"first commit of the history, hex"`
	Remote     string `json:"remote,omitempty" jsonschema_description:"URL of origin, without credentials"`
}

// Type implements [Event].
func (*ProjectSeen) Type() string { return TypeProjectSeen }

var _ = kind[ProjectSeen]("", "a project was seen first, or what identifies it changed")

// ProjectMoved records that a known project was found at another path.
type ProjectMoved struct {
	From string `json:"from" jsonschema_description:"path before"`
	To   string `json:"to" jsonschema_description:"path now"`
	By   string `json:"by" jsonschema_description:"root_commit and remote that told it"`
}

// Type implements [Event].
func (*ProjectMoved) Type() string { return TypeProjectMoved }

var _ = kind[ProjectMoved]("", "a known project was found at another path")

// ProjectRehomed joins two projects: what belonged to From counts for this event's project.
type ProjectRehomed struct {
	From string `json:"from" jsonschema_description:"project id that is given up"`
	Path string `json:"path,omitempty" jsonschema_description:"path that From was known by"`
}

// Type implements [Event].
func (*ProjectRehomed) Type() string { return TypeProjectRehomed }

var _ = kind[ProjectRehomed]("", "two projects were joined by command")

// RecordRetracted takes back what an earlier event said; folds honour it, the log keeps both.
type RecordRetracted struct {
	Target string `json:"target" jsonschema_description:"id of the event that is taken back"`
	Reason string `json:"reason" jsonschema_description:"why"`
}

// Type implements [Event].
func (*RecordRetracted) Type() string { return TypeRecordRetracted }

var _ = kind[RecordRetracted]("", "an earlier event was taken back")

// CanarySent is the health check's event: it goes in at one end and is looked for at every other.
type CanarySent struct {
	Nonce string `json:"nonce" jsonschema_description:"what the check looks for"`
}

// Type implements [Event].
func (*CanarySent) Type() string { return TypeCanarySent }

var _ = kind[CanarySent]("", "the health check's event")

// DaemonStarted records a start of the daemon.
type DaemonStarted struct {
	Build   string `json:"build" jsonschema_description:"version of the binary"`
	PID     int    `json:"pid" jsonschema_description:"its process"`
	Clean   bool   `json:"clean" jsonschema_description:"the run before ended in order"`
	Spooled int    `json:"spooled,omitempty" jsonschema_description:"frames that waited in the spool"`
	After   string `json:"after,omitempty" jsonschema_description:"build that handed over"`
}

// Type implements [Event].
func (*DaemonStarted) Type() string { return TypeDaemonStarted }

var _ = kind[DaemonStarted]("", "the daemon started")

// DaemonStopped records an orderly end of the daemon.
type DaemonStopped struct {
	Reason string `json:"reason" jsonschema_description:"stop, idle, hand_over or signal"`
}

// Type implements [Event].
func (*DaemonStopped) Type() string { return TypeDaemonStopped }

var _ = kind[DaemonStopped]("", "the daemon ended in order")

// LogDamaged records damage of the log that was found and what became of it.
type LogDamaged struct {
	Block   string   `json:"block" jsonschema_description:"the block file"`
	Lost    []uint64 `json:"lost,omitempty" jsonschema_description:"the first 1,000 sequences that could not be had"`
	Runs    []SeqRun `json:"runs,omitempty" jsonschema_description:"all of them, in runs"`
	Healed  int      `json:"healed,omitempty" jsonschema_description:"records that came back from the archive"`
	Problem string   `json:"problem" jsonschema_description:"what was wrong"`
}

// SeqRun is a run of sequences, both ends included.
type SeqRun struct {
	First uint64 `json:"first" jsonschema_description:"first sequence"`
	Last  uint64 `json:"last" jsonschema_description:"last sequence"`
}

// Type implements [Event].
func (*LogDamaged) Type() string { return TypeLogDamaged }

var _ = kind[LogDamaged]("", "damage of the log was found")

// LogRepaired records that events whose sequences were lost are in the log again, under their own ids.
type LogRepaired struct {
	Back   []SeqRun `json:"back" jsonschema_description:"the sequences that the events had"`
	Source string   `json:"source" jsonschema_description:"where they were found"`
}

// Type implements [Event].
func (*LogRepaired) Type() string { return TypeLogRepaired }

var _ = kind[LogRepaired]("", "lost events came back")

// ClockJumped records that the machine's clock went backwards.
type ClockJumped struct {
	BackMS int64 `json:"back_ms" jsonschema_description:"milliseconds it went back"`
}

// Type implements [Event].
func (*ClockJumped) Type() string { return TypeClockJumped }

var _ = kind[ClockJumped]("", "the machine's clock went backwards")
