package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/spool"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/replay/past"
)

// Checks that ask the daemon; that of the spool goes without one.

// spool looks for frames that wait; with --fix a daemon that runs takes them.
func (x *examiner) spool(ctx context.Context, runs bool) {
	x.name = "spool"
	aside := 0
	for _, dir := range x.paths.Spools() {
		entries, _ := os.ReadDir(filepath.Join(dir, "quarantine")) // none there: none
		aside += len(entries)
	}
	if aside > 0 {
		x.warn(cmdline.Plural(aside, "file")+" set aside as unreadable", "they are in the folder quarantine of "+x.paths.Spool)
	}
	waiting := spool.Open(x.paths)
	n := waiting.Count()
	switch {
	case n == 0:
		x.pass("empty")
		return
	case !runs:
		x.warn(cmdline.Plural(n, "frame")+" waiting for the daemon", "`hookctl start` takes them in")
		return
	case !x.fix:
		x.warn(cmdline.Plural(n, "frame")+" waiting", "`hookctl doctor --fix` has the daemon take them now")
		return
	}

	_, err := api.Drain.Call(ctx, x, api.None{})
	left := waiting.Count()
	switch {
	case err != nil:
		x.fail("drain: "+err.Error(), "the daemon's log is "+x.paths.Log)
	case left > 0:
		x.fail(cmdline.Plural(left, "frame")+" cannot be taken", "the daemon's log is "+x.paths.Log)
	default:
		x.mended("took " + cmdline.Plural(n, "frame"))
	}
}

// kinds looks whether hooks have come.
func (x *examiner) kinds() {
	x.name = "client"
	if len(x.status.Hooks) == 0 {
		x.warn("no hook has come yet", "use the client: running sessions reload hooks within a second, and their next step calls one")
		return
	}
	var last time.Time
	for _, c := range x.status.Hooks {
		last = show.Latest(last, c.Last)
	}
	x.pass("%s of hooks came, the last %s; `hookctl status` lists them", cmdline.Plural(len(x.status.Hooks), "kind"), show.Ago(x.Env, last))
}

func (x *examiner) installs() {
	x.name = "installs"
	for _, binary := range show.SortedKeys(x.status.SecondInstalls) {
		x.warn(fmt.Sprintf("%s sends hooks that another install sends, too; %d came second and did not count again", binary, x.status.SecondInstalls[binary]),
			"take one of the installs out of the client's settings")
	}
}

func (x *examiner) unknown() {
	x.name = "event types"
	if names := show.SortedKeys(x.status.UnknownTypes); len(names) > 0 {
		x.warn("not known to this build: "+strings.Join(names, ", "), "nothing is lost, they are kept whole; a newer hookline may know them")
	}
}

// clockSince is how long a clock that was wrong is told.
const clockSince = 7 * 24 * time.Hour

// clock looks whether the machine's clock was wrong lately: it went back, or hooks were captured ahead of it.
func (x *examiner) clock(ctx context.Context) {
	x.name = "clock"
	var newest events.Record
	q := api.EventsRequest{Types: []string{"clock.*"}, Since: past.Point(clockSince.String()), Last: 1}
	err := query.Records(ctx, x.Env, q, func(r events.Record) { newest = r })
	if err != nil {
		x.warn("the log cannot be asked for it: "+err.Error(), "the daemon's log is "+x.paths.Log)
		return
	}

	const advice = "check the machine's clock and what sets it; `hookctl tail --type 'clock.*'` lists when it was wrong"
	switch e := newest.Event.(type) {
	case *events.ClockJumped:
		back := time.Duration(e.BackMS) * time.Millisecond
		x.warn(fmt.Sprintf("it went back by %s, %s", show.Span(back), show.Ago(x.Env, newest.Time)), advice)
	case *events.ClockCorrected:
		ahead := time.Duration(e.AheadMS) * time.Millisecond
		x.warn(fmt.Sprintf("a hook was captured %s ahead of the daemon's clock, %s; it has the daemon's time, and the other as captured in its facts",
			show.Span(ahead), show.Ago(x.Env, newest.Time)), advice)
	}
}

func (x *examiner) damage(ctx context.Context) {
	x.name = "log"
	before := len(x.checks)
	l, err := api.GetLosses.Call(ctx, x, api.None{})
	for _, d := range x.status.Damage {
		if err == nil && len(l.Lost) == 0 {
			x.warn("was damaged, and nothing is lost any more: "+d, "a disk that fails begins like this; `replay verify` checks what is there")
			continue
		}
		x.fail("damaged: "+d, "`replay repair` restores events from backups, exports and transcripts; `replay verify` tells what is there")
	}
	if len(l.Lost) > 0 {
		var runs []string
		for _, r := range l.Lost {
			runs = append(runs, r.String())
		}
		x.warn(fmt.Sprintf("lost sequences: %s, found %s", strings.Join(runs, ", "), show.Ago(x.Env, l.Found)),
			"`replay repair --from EXPORT` restores events from an export and from the client's transcripts")
	}
	for _, w := range x.status.Warnings {
		x.warn(w, "`replay verify` checks the log; the daemon's log is "+x.paths.Log)
	}
	if len(x.checks) == before {
		x.pass("%s, fsync %s, no damage", cmdline.Plural(x.status.Seq, "record"), x.status.Fsync)
	}
}

// causes of a rebuild in words; those that something is wrong behind are warnings.
var rebuilds = map[string]struct {
	words string
	bad   bool
}{
	events.RebuiltVersion:    {words: "this build has other versions of them"},
	events.RebuiltCommand:    {words: "by command"},
	events.RebuiltOtherLog:   {words: "they were of another log", bad: true},
	events.RebuiltDamaged:    {words: "their buckets were damaged", bad: true},
	events.RebuiltLost:       {words: "their buckets were gone", bad: true},
	events.RebuiltUnreadable: {words: "cells could not be read", bad: true},
}

// rebuilt tells of the newest rebuild of the buckets, for as long as a wrong clock is told.
func (x *examiner) rebuilt(ctx context.Context) {
	x.name = "buckets"
	var newest events.Record
	q := api.EventsRequest{Types: []string{events.TypeBucketRebuilt}, Since: past.Point(clockSince.String()), Last: 1}
	err := query.Records(ctx, x.Env, q, func(r events.Record) { newest = r })
	if err != nil {
		x.warn("the log cannot be asked for it: "+err.Error(), "the daemon's log is "+x.paths.Log)
		return
	}
	e, is := newest.Event.(*events.BucketRebuilt)
	if !is {
		return
	}

	cause := rebuilds[e.Cause]
	words := fmt.Sprintf("rebuilt %s, %s: %s of %s, up to sequence %s in %s", show.Ago(x.Env, newest.Time), cmp.Or(cause.words, e.Cause),
		cmdline.Plural(e.Cells, "cell"), cmdline.Plural(len(e.Projections), "projection"), cmdline.Count(e.Seq), time.Duration(e.TookMS)*time.Millisecond)
	if !cause.bad {
		x.pass("%s", words)
		return
	}
	if e.Detail != "" {
		words += " (" + cmdline.OneLine(e.Detail) + ")"
	}
	x.warn(words, "nothing is lost: the log has it all; `replay verify` compares every cell. A disk that fails begins like this")
}

// canary sends an event through the whole line.
func (x *examiner) canary(ctx context.Context) {
	x.name = "canary"
	c, err := api.RunCanary.Call(ctx, x, api.None{})
	if err != nil {
		x.fail(err.Error(), "the daemon's log is "+x.paths.Log)
		return
	}
	total := 0.0
	for _, s := range c.Steps {
		total += s.MS
		if !s.OK {
			x.fail(fmt.Sprintf("lost at %q: %s", s.Name, s.Detail), "`replay verify` checks the log; the daemon's log is "+x.paths.Log)
			return
		}
	}
	x.pass("a test event passed all %d stages in %.1f ms", len(c.Steps), total)
}
