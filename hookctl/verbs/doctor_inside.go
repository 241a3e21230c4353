package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/projector/session"
)

// Checks that ask the daemon.

func (x *examiner) spool(ctx context.Context) []check {
	const name = "spool"
	var all []check
	if n := quarantined(x.paths); n > 0 {
		all = append(all, warned(name, plural(n, "file")+" set aside as unreadable", "they are in the folder quarantine of "+x.paths.Spool))
	}
	n := daemon.OpenSpool(x.paths).Count()
	if n == 0 {
		return append(all, passed(name, "empty"))
	}
	if !x.fix {
		return append(all, warned(name, plural(n, "frame")+" waiting", "`hookctl doctor --fix` has the daemon take them now"))
	}
	var answer struct {
		Taken int `json:"taken"`
	}
	err := x.house.Post(ctx, "/v1/gone", nil, &answer)
	left := daemon.OpenSpool(x.paths).Count()
	switch {
	case err != nil:
		return append(all, failed(name, "drain: "+err.Error(), "the daemon's log is "+x.paths.Log))
	case left > 0:
		return append(all, failed(name, plural(left, "frame")+" cannot be taken", "the daemon's log, "+x.paths.Log+", tells why"))
	}
	return append(all, fixed(name, fmt.Sprintf("took %s", plural(answer.Taken, "frame"))))
}

// ahead is how far an event may be in the future: clocks of containers and virtual machines differ
// by less.
const ahead = 2 * time.Minute

// clock looks for events of the future, and for jumps of the last day.
func (x *examiner) clock(ctx context.Context) []check {
	const name = "clock"
	var newest events.Record
	if err := x.each(ctx, url.Values{"n": {"1"}}, func(r events.Record) { newest = r }); err != nil {
		return []check{failed(name, "read the newest event: "+err.Error(), "`replay verify` checks the log")}
	}
	if d := newest.Time.Sub(x.now()); d > ahead {
		return []check{warned(name, fmt.Sprintf("the newest event is %s in the future: the clock has gone back", span(d)), "set the clock; new events get the newest event's time until then")}
	}
	var jumps []time.Duration
	query := url.Values{"type": {events.TypeClockJumped}, "since": {"24h"}, "n": {"10"}}
	if err := x.each(ctx, query, func(r events.Record) {
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

func (x *examiner) each(ctx context.Context, q url.Values, f func(events.Record)) error {
	return x.house.Stream(ctx, "GET", "/v1/events", q, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var r events.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		f(r)
		return nil
	})
}

// expectations say which kind of hook must have come once others have. A session always begins with
// SessionStart and a prompt; a tool call that came back was asked for; of five asked for, one comes
// back; after two prompts there was a Stop (not after one: it may still run).
var expectations = []struct {
	kind  string
	given []string
	times int
	full  bool // only in the full profile
}{
	{kind: "SessionStart", given: []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}, times: 1},
	{kind: "UserPromptSubmit", given: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"}, times: 1},
	{kind: "PreToolUse", given: []string{"PostToolUse", "PostToolUseFailure"}, times: 1, full: true},
	{kind: "PostToolUse", given: []string{"PreToolUse"}, times: 5, full: true},
	{kind: "Stop", given: []string{"UserPromptSubmit"}, times: 2, full: true},
}

// kinds looks for hooks that the client should have called and never did.
func (x *examiner) kinds(ctx context.Context) []check {
	const name = "client"
	seen := map[string]int{}
	for kind, c := range x.status.Hooks {
		seen[kind] += c.Count
	}
	all, err := cells[session.State](ctx, x.house, session.Name, "")
	if err != nil {
		return []check{failed(name, "read the sessions: "+err.Error(), "`hookctl repair --bucket session` folds them again")}
	}
	for _, c := range all {
		for kind, n := range c.State.Hooks {
			seen[kind] = max(seen[kind], n)
		}
	}
	if len(seen) == 0 {
		return []check{warned(name, "no hook has come yet", "start a session of the client; it reads its settings only then")}
	}
	var never []string
	for _, e := range expectations {
		if seen[e.kind] == 0 && (x.full || !e.full) && slices.ContainsFunc(e.given, func(g string) bool { return seen[g] >= e.times }) {
			never = append(never, e.kind)
		}
	}
	if len(never) > 0 {
		return []check{warned(name, "it has never called "+strings.Join(never, ", ")+", though it should have", "`hookctl install` again, then a new session; hooks may be disabled by policy")}
	}
	return []check{passed(name, "%s of hooks have come, the last %s", plural(len(seen), "kind"), x.ago(lastHook(x.status)))}
}

func lastHook(st Status) time.Time {
	var last time.Time
	for _, c := range st.Hooks {
		if c.Last.After(last) {
			last = c.Last
		}
	}
	return last
}

func (x *examiner) installs(context.Context) []check {
	var all []check
	for _, binary := range sortedKeys(x.status.SecondInstalls) {
		all = append(all, warned("second install", fmt.Sprintf("%s sends the same hooks: %d counted as duplicates", binary, x.status.SecondInstalls[binary]),
			"take one of the installs out of the client's settings"))
	}
	return all
}

func (x *examiner) unknown(context.Context) []check {
	if len(x.status.UnknownTypes) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(x.status.UnknownTypes))
	return []check{warned("event types", "not known to this build: "+strings.Join(names, ", "), "nothing is lost, they are kept whole; a newer hookline may know them")}
}

func (x *examiner) damage(context.Context) []check {
	const name = "log"
	var all []check
	for _, d := range x.status.Damage {
		all = append(all, failed(name, "damaged: "+d, "`replay verify` tells what is lost and what can be had back"))
	}
	for _, w := range x.status.Warnings {
		all = append(all, warned(name, w, ""))
	}
	if len(all) == 0 {
		return []check{passed(name, "%s, fsync %s, no damage", plural(int(x.status.Seq), "record"), x.status.Fsync)}
	}
	return all
}

// canary sends an event through the whole line.
func (x *examiner) canary(ctx context.Context) []check {
	const name = "canary"
	var c daemon.Canary
	if err := x.house.Post(ctx, "/v1/canary", nil, &c); err != nil {
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
	return []check{passed(name, "event %d came back from %s in %.1f ms", c.Seq, plural(len(c.Steps), "station"), total)}
}
