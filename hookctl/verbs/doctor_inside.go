package verbs

import (
	"fmt"
	"maps"
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

func (x *examiner) spool() []check {
	const name = "spool"
	var all []check
	if n := quarantined(x.paths); n > 0 {
		all = append(all, warned(name, cmdline.Plural(n, "file")+" set aside as unreadable", "they are in the folder quarantine of "+x.paths.Spool))
	}
	n := spool.Open(x.paths).Count()
	if n == 0 {
		return append(all, passed(name, "empty"))
	}
	if !x.fix {
		return append(all, warned(name, cmdline.Plural(n, "frame")+" waiting", "`hookctl doctor --fix` has the daemon take them now"))
	}
	var answer struct {
		Taken int `json:"taken"`
	}
	err := x.post("/v1/gone", nil, &answer)
	left := spool.Open(x.paths).Count()
	switch {
	case err != nil:
		return append(all, failed(name, "drain: "+err.Error(), "the daemon's log is "+x.paths.Log))
	case left > 0:
		return append(all, failed(name, cmdline.Plural(left, "frame")+" cannot be taken", "the daemon's log, "+x.paths.Log+", tells why"))
	}
	return append(all, fixed(name, fmt.Sprintf("took %s", cmdline.Plural(answer.Taken, "frame"))))
}

// ahead is how far an event may be in the future: clocks of containers and virtual machines differ
// by less.
const ahead = 2 * time.Minute

// clock looks for events of the future, and for jumps of the last day.
func (x *examiner) clock() []check {
	const name = "clock"
	var newest events.Record
	if err := x.records(url.Values{"n": {"1"}}, func(r events.Record) { newest = r }); err != nil {
		return []check{failed(name, "read the newest event: "+err.Error(), "`replay verify` checks the log")}
	}
	if d := newest.Time.Sub(x.Now()); d > ahead {
		return []check{warned(name, fmt.Sprintf("the newest event is %s in the future: the clock has gone back", span(d)), "set the clock; new events get the newest event's time until then")}
	}
	var jumps []time.Duration
	query := url.Values{"type": {events.TypeClockJumped}, "since": {"24h"}, "n": {"10"}}
	if err := x.records(query, func(r events.Record) {
		if e, ok := r.Event.(*events.ClockJumped); ok {
			jumps = append(jumps, time.Duration(e.BackMS)*time.Millisecond)
		}
	}); err != nil {
		return []check{failed(name, "read clock jumps: "+err.Error(), "`replay verify` checks the log")}
	}
	if len(jumps) > 0 {
		return []check{warned(name, fmt.Sprintf("went back %s in the last 24 hours, by up to %s", times(len(jumps)), slices.Max(jumps)), "is time synchronisation on?")}
	}
	return []check{passed(name, "in order")}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (x *examiner) installs() []check {
	var all []check
	for _, binary := range sortedKeys(x.status.SecondInstalls) {
		all = append(all, warned("second install", fmt.Sprintf("%s sends the same hooks: %d counted as duplicates", binary, x.status.SecondInstalls[binary]),
			"take one of the installs out of the client's settings"))
	}
	return all
}

func (x *examiner) unknown() []check {
	if len(x.status.UnknownTypes) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(x.status.UnknownTypes))
	return []check{warned("event types", "not known to this build: "+strings.Join(names, ", "), "nothing is lost, they are kept whole; a newer hookline may know them")}
}

func (x *examiner) damage() []check {
	const name = "log"
	var l losses.Known
	err := x.get("/v1/losses", nil, &l) // an older build's daemon does not know
	var all []check
	for _, d := range x.status.Damage {
		if err == nil && len(l.Lost) == 0 {
			all = append(all, warned(name, "was damaged, and nothing is lost any more: "+d, "a disk that fails begins like this; `replay verify` checks what is there"))
			continue
		}
		all = append(all, failed(name, "damaged: "+d, "`replay repair` restores events from backups, exports and transcripts; `replay verify` tells what is there"))
	}
	if len(l.Lost) > 0 {
		all = append(all, warned(name, fmt.Sprintf("lost sequences: %s, found %s", runsText(l.Lost), x.ago(l.Found)),
			"`replay repair --from EXPORT` restores events from an export and from the client's transcripts"))
	}
	for _, w := range findings(x.status.Warnings) {
		all = append(all, warned(name, w, "`replay verify` checks the log; the daemon's log is "+x.paths.Log))
	}
	if len(all) == 0 {
		return []check{passed(name, "%s, fsync %s, no damage", cmdline.Plural(int(x.status.Seq), "record"), x.status.Fsync)}
	}
	return all
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
func (x *examiner) canary() []check {
	const name = "canary"
	var c client.Canary
	if err := x.post("/v1/canary", nil, &c); err != nil {
		return []check{failed(name, err.Error(), "the daemon's log is "+x.paths.Log)}
	}
	total := 0.0
	for _, s := range c.Steps {
		total += s.MS
		if !s.OK {
			return []check{failed(name, fmt.Sprintf("lost at %q: %s", s.Name, s.Detail), "`replay verify` checks the log; the daemon's log is "+x.paths.Log)}
		}
	}
	if !c.OK {
		return []check{failed(name, "the daemon calls it a failure", "the daemon's log is "+x.paths.Log)}
	}
	return []check{passed(name, "a test event passed all %d stages in %.1f ms", len(c.Steps), total)}
}
