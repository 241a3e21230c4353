package events

import (
	"fmt"
	"time"

	"hookline/events/wording"
)

// The daemon: its life, its health check and its clock.

// Wire names of this file.
const (
	TypeDaemonStarted  = "daemon.started"
	TypeDaemonStopped  = "daemon.stopped"
	TypeCanarySent     = "canary.sent"
	TypeClockJumped    = "clock.jumped"
	TypeClockCorrected = "clock.corrected"
)

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

// CanarySent is the health check's event: it goes in at one end and is looked for at every other.
type CanarySent struct {
	Nonce string `json:"nonce" jsonschema_description:"what the check looks for"`
}

// Type implements [Event].
func (*CanarySent) Type() string { return TypeCanarySent }

var _ = kind[CanarySent]("", "the health check's event")

// ClockJumped records that the machine's clock went backwards.
type ClockJumped struct {
	BackMS int64 `json:"back_ms" jsonschema_description:"milliseconds it went back"`
}

// Type implements [Event].
func (*ClockJumped) Type() string { return TypeClockJumped }

var _ = kind[ClockJumped]("", "the machine's clock went backwards")

// ClockCorrected records that a hook was captured at a time that is still to come by the daemon's clock: its event has the
// daemon's time, and the other among its facts. It is recorded once an hour at most.
type ClockCorrected struct {
	AheadMS int64 `json:"ahead_ms" jsonschema_description:"milliseconds that the capture was ahead of the daemon's clock"`
}

// Type implements [Event].
func (*ClockCorrected) Type() string { return TypeClockCorrected }

var _ = kind[ClockCorrected]("", "a hook was captured later than the daemon's clock says, and has the daemon's time")

// Summary implements [Summarizer].
func (e *ClockCorrected) Summary() string {
	return fmt.Sprintf("%s ahead", wording.Span(time.Duration(e.AheadMS)*time.Millisecond))
}
