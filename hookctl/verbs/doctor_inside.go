package verbs

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/spool"
	losses "hookline/replay/check"
)

// Checks that ask the daemon.

func (x *examiner) spool() {
	const name = "spool"
	if n := quarantined(x.paths); n > 0 {
		x.warn(name, cmdline.Plural(n, "file")+" set aside as unreadable", "they are in the folder quarantine of "+x.paths.Spool)
	}
	n := spool.Open(x.paths).Count()
	if n == 0 {
		x.pass(name, "empty")
		return
	}
	if !x.fix {
		x.warn(name, cmdline.Plural(n, "frame")+" waiting", "`hookctl doctor --fix` has the daemon take them now")
		return
	}
	var answer struct {
		Taken int `json:"taken"`
	}
	err := x.post("/v1/gone", nil, &answer)
	left := spool.Open(x.paths).Count()
	switch {
	case err != nil:
		x.fail(name, "drain: "+err.Error(), "the daemon's log is "+x.paths.Log)
	case left > 0:
		x.fail(name, cmdline.Plural(left, "frame")+" cannot be taken", "the daemon's log, "+x.paths.Log+", tells why")
	default:
		x.mended(name, "took "+cmdline.Plural(answer.Taken, "frame"))
	}
}

// ahead is how far an event may be in the future: clocks of containers and virtual machines differ
// by less.
const ahead = 2 * time.Minute

// clock looks for events of the future, and for jumps of the last day.
func (x *examiner) clock() {
	const name = "clock"
	var newest events.Record
	var jumps []time.Duration
	err := x.records(url.Values{"n": {"1"}}, func(r events.Record) { newest = r })
	if err == nil {
		query := url.Values{"type": {events.TypeClockJumped}, "since": {"24h"}, "n": {"10"}}
		err = x.records(query, func(r events.Record) {
			if e, ok := r.Event.(*events.ClockJumped); ok {
				jumps = append(jumps, time.Duration(e.BackMS)*time.Millisecond)
			}
		})
	}
	times := "once"
	if len(jumps) > 1 {
		times = fmt.Sprintf("%d times", len(jumps))
	}
	switch d := newest.Time.Sub(x.Now()); {
	case err != nil:
		x.fail(name, "read the newest event and the clock's jumps: "+err.Error(), "`replay verify` checks the log")
	case d > ahead:
		x.warn(name, fmt.Sprintf("the newest event is %s in the future: the clock has gone back", span(d)), "set the clock; new events get the newest event's time until then")
	case len(jumps) > 0:
		x.warn(name, fmt.Sprintf("went back %s in the last 24 hours, by up to %s", times, slices.Max(jumps)), "is time synchronisation on?")
	default:
		x.pass(name, "in order")
	}
}

func (x *examiner) installs() {
	for _, binary := range sortedKeys(x.status.SecondInstalls) {
		x.warn("installs", fmt.Sprintf("%s sends hooks that another install sends, too; %d came second and did not count again", binary, x.status.SecondInstalls[binary]),
			"take one of the installs out of the client's settings")
	}
}

func (x *examiner) unknown() {
	if names := sortedKeys(x.status.UnknownTypes); len(names) > 0 {
		x.warn("event types", "not known to this build: "+strings.Join(names, ", "), "nothing is lost, they are kept whole; a newer hookline may know them")
	}
}

func (x *examiner) damage() {
	const name = "log"
	var l losses.Known
	err := x.get("/v1/losses", nil, &l) // an older build's daemon does not know
	for _, d := range x.status.Damage {
		if err == nil && len(l.Lost) == 0 {
			x.warn(name, "was damaged, and nothing is lost any more: "+d, "a disk that fails begins like this; `replay verify` checks what is there")
			continue
		}
		x.fail(name, "damaged: "+d, "`replay repair` restores events from backups, exports and transcripts; `replay verify` tells what is there")
	}
	if len(l.Lost) > 0 {
		x.warn(name, fmt.Sprintf("lost sequences: %s, found %s", runsText(l.Lost), x.ago(l.Found)),
			"`replay repair --from EXPORT` restores events from an export and from the client's transcripts")
	}
	warnings := findings(x.status.Warnings)
	for _, w := range warnings {
		x.warn(name, w, "`replay verify` checks the log; the daemon's log is "+x.paths.Log)
	}
	if len(x.status.Damage)+len(l.Lost)+len(warnings) == 0 {
		x.pass(name, "%s, fsync %s, no damage", cmdline.Plural(int(x.status.Seq), "record"), x.status.Fsync)
	}
}

// maxShown bounds the runs of sequences in one line.
const maxShown = 10

func runsText(runs []block.Range) string {
	var parts []string
	for _, r := range runs[:min(len(runs), maxShown)] {
		parts = append(parts, r.String())
	}
	if more := len(runs) - maxShown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more runs", more))
	}
	return strings.Join(parts, ", ")
}

// canary sends an event through the whole line.
func (x *examiner) canary() {
	const name = "canary"
	var c client.Canary
	if err := x.post("/v1/canary", nil, &c); err != nil {
		x.fail(name, err.Error(), "the daemon's log is "+x.paths.Log)
		return
	}
	total := 0.0
	for _, s := range c.Steps {
		total += s.MS
		if !s.OK {
			x.fail(name, fmt.Sprintf("lost at %q: %s", s.Name, s.Detail), "`replay verify` checks the log; the daemon's log is "+x.paths.Log)
			return
		}
	}
	if !c.OK {
		x.fail(name, "the daemon calls it a failure", "the daemon's log is "+x.paths.Log)
		return
	}
	x.pass(name, "a test event passed all %d stages in %.1f ms", len(c.Steps), total)
}
