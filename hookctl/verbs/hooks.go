package verbs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/projector/session"
)

// newestRecords is how many of the log's newest records are looked at for the exact time of a hook: some
// ten minutes of work. A kind that came before has the time at which its session was last active.
const newestRecords = 500

// hookPast is what the log and its sessions tell of the kinds of hooks; a daemon only knows what came
// since it was started.
type hookPast struct {
	kinds    map[string]daemon.HookCount
	newest   []string        // the kinds of the newest records, in their order
	sessions []session.State // the last active first, without deleted ones
}

func pastHooks(ctx context.Context, h house) (hookPast, error) {
	p := hookPast{kinds: map[string]daemon.HookCount{}}
	all, err := cells[session.State](ctx, h, session.Name, "")
	if err != nil {
		return p, err
	}
	for _, c := range all {
		if c.State.Status == session.Deleted {
			continue
		}
		p.sessions = append(p.sessions, c.State)
		for kind, n := range c.State.Hooks {
			k := p.kinds[kind]
			p.kinds[kind] = daemon.HookCount{Count: k.Count + n, Last: latest(k.Last, c.State.LastActive)}
		}
	}
	slices.SortFunc(p.sessions, func(x, y session.State) int {
		return cmp.Or(y.LastActive.Compare(x.LastActive), strings.Compare(x.ID, y.ID))
	})
	exact := map[string]time.Time{}
	err = records(ctx, h, url.Values{"n": {strconv.Itoa(newestRecords)}}, func(r events.Record) {
		if r.Hook != "" {
			p.newest = append(p.newest, r.Hook)
			exact[r.Hook] = latest(exact[r.Hook], r.Time)
		}
	})
	for kind, t := range exact {
		p.kinds[kind] = daemon.HookCount{Count: max(1, p.kinds[kind].Count), Last: t}
	}
	return p, err
}

// records gives the events of a query one after the other.
func records(ctx context.Context, h house, q url.Values, f func(events.Record)) error {
	return h.Stream(ctx, "GET", "/v1/events", q, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var r events.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("read event record: %w", err)
		}
		f(r)
		return nil
	})
}

func latest(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}

// with adds what a daemon has counted itself: hooks of no session, and those of sessions that were deleted.
func (p hookPast) with(now map[string]daemon.HookCount) map[string]daemon.HookCount {
	out := maps.Clone(p.kinds)
	for kind, c := range now {
		if _, known := p.kinds[kind]; !known {
			out[kind] = c
			continue
		}
		out[kind] = daemon.HookCount{Count: max(out[kind].Count, c.Count), Last: latest(out[kind].Last, c.Last)}
	}
	return out
}

// expectations say which kind of hook must have come once others have. A session always begins with
// SessionStart and a prompt; a tool call that came back was asked for; of five asked for, one comes
// back; after two prompts there was a Stop (not after one: it may still run).
var expectations = []struct {
	kind  string
	or    string // comes instead of it
	given []string
	times int
	full  bool // only in the full profile
}{
	{kind: "SessionStart", given: []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}, times: 1},
	{kind: "UserPromptSubmit", given: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"}, times: 1},
	{kind: "PreToolUse", given: []string{"PostToolUse", "PostToolUseFailure"}, times: 1, full: true},
	{kind: "PostToolUse", or: "PostToolUseFailure", given: []string{"PreToolUse"}, times: 5, full: true},
	{kind: "Stop", or: "StopFailure", given: []string{"UserPromptSubmit"}, times: 2, full: true},
}

// kinds looks for hooks that the client should have called and never did, and for those that it has
// stopped calling while others come.
func (x *examiner) kinds(ctx context.Context) []check {
	const name = "client"
	past, err := pastHooks(ctx, x.house)
	if err != nil {
		return []check{failed(name, "read the sessions: "+err.Error(), "`hookctl repair --bucket session` folds them again")}
	}
	seen := past.with(x.status.Hooks)
	if len(seen) == 0 {
		return []check{warned(name, "no hook has come yet", "use the client: running sessions reload hooks within a second, and their next step calls one")}
	}
	var bad []check
	if never := x.never(seen); len(never) > 0 {
		bad = append(bad, warned(name, "it has never called "+strings.Join(never, ", ")+", though it should have", "`hookctl install` again, then a new session; hooks may be disabled by policy"))
	}
	if gone := x.stopped(past); len(gone) > 0 {
		for i, kind := range gone {
			gone[i] = fmt.Sprintf("%s (last %s)", kind, x.ago(seen[kind].Last))
		}
		bad = append(bad, warned(name, "other hooks come, but no more "+strings.Join(gone, ", "), "`hookctl install` writes all of them again; hooks may also be disabled by policy"))
	}
	if len(bad) > 0 {
		return bad
	}
	var last time.Time
	for _, c := range seen {
		last = latest(last, c.Last)
	}
	come := "1 kind of hook has come"
	if len(seen) != 1 {
		come = fmt.Sprintf("%d kinds of hooks have come", len(seen))
	}
	return []check{passed(name, "%s, the last %s; `hookctl status` lists them", come, x.ago(last))}
}

func (x *examiner) never(seen map[string]daemon.HookCount) []string {
	var never []string
	for _, e := range expectations {
		if seen[e.kind].Count == 0 && (x.full || !e.full) && slices.ContainsFunc(e.given, func(g string) bool { return seen[g].Count >= e.times }) {
			never = append(never, e.kind)
		}
	}
	return never
}

// How sure it must be that a kind is missing: five times what it takes to expect it once; or three
// sessions that ended without it, each of some size, after three that had it.
const (
	surely      = 5
	fewSessions = 3
	someHooks   = 10
)

// stopped finds kinds that came once and come no more.
func (x *examiner) stopped(p hookPast) []string {
	gone := x.overdue(p)
	if x.full {
		gone = append(gone, abandoned(p, gone)...)
	}
	return gone
}

// overdue are the kinds that the newest records should have had. SessionStart and a prompt come once for
// any number of others; they are left to [abandoned].
func (x *examiner) overdue(p hookPast) []string {
	var gone []string
	for _, e := range expectations[2:] {
		since := 0
		for _, kind := range slices.Backward(p.newest) {
			if kind == e.kind || kind == e.or {
				break
			}
			if slices.Contains(e.given, kind) {
				since++
			}
		}
		if (x.full || !e.full) && p.kinds[e.kind].Count > 0 && since >= surely*e.times {
			gone = append(gone, e.kind)
		}
	}
	return gone
}

// abandoned are the kinds, but for those known already, that the sessions of late lack and those before had.
func abandoned(p hookPast, known []string) []string {
	var ended []session.State
	for _, s := range p.sessions {
		hooks := 0
		for _, n := range s.Hooks {
			hooks += n
		}
		if s.Status != session.Live && hooks >= someHooks {
			ended = append(ended, s)
		}
	}
	if len(ended) < 2*fewSessions {
		return nil
	}
	var gone []string
	for _, kind := range sortedKeys(p.kinds) {
		has := func(s session.State) bool { return s.Hooks[kind] > 0 }
		had := 0
		for _, s := range ended[fewSessions : 2*fewSessions] {
			if has(s) {
				had++
			}
		}
		if had == fewSessions && !slices.ContainsFunc(ended[:fewSessions], has) && !slices.Contains(known, kind) {
			gone = append(gone, kind)
		}
	}
	return gone
}
