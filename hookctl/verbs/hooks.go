package verbs

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
)

// newestRecords is how many of the log's newest records are looked at for the exact time of a hook: some
// ten minutes of work. A kind that came before has the time at which its session was last active.
const newestRecords = 500

// kinds are the kinds of hooks that came, by what the log's end and the sessions active last tell; a daemon only knows what came since it
// was started.
type kinds map[string]client.HookCount

func pastHooks(a *app) (kinds, error) {
	past := kinds{}
	all, err := newest(a, shortList)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		for kind, n := range s.Hooks {
			past[kind] = client.HookCount{Count: past[kind].Count + n, Last: latest(past[kind].Last, s.LastActive)}
		}
	}

	exact := map[string]time.Time{}
	err = a.records(url.Values{"n": {strconv.Itoa(newestRecords)}}, func(r events.Record) {
		if r.Hook != "" && !r.Imported {
			exact[r.Hook] = latest(exact[r.Hook], r.Time)
		}
	})
	for kind, t := range exact {
		past[kind] = client.HookCount{Count: max(1, past[kind].Count), Last: t}
	}
	return past, err
}

func latest(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}

// with adds what a daemon has counted itself: hooks of no session, and those of sessions that were deleted.
func (k kinds) with(now map[string]client.HookCount) kinds {
	out := maps.Clone(k)
	for kind, c := range now {
		out[kind] = client.HookCount{Count: max(out[kind].Count, c.Count), Last: latest(out[kind].Last, c.Last)}
	}
	return out
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
func (x *examiner) kinds() {
	const name = "client"
	past, err := pastHooks(x.app)
	if err != nil {
		x.fail(name, "read the sessions: "+err.Error(), "`hookctl repair --bucket session` folds them again")
		return
	}
	seen := past.with(x.status.Hooks)
	if len(seen) == 0 {
		x.warn(name, "no hook has come yet", "use the client: running sessions reload hooks within a second, and their next step calls one")
		return
	}
	if never := x.never(seen); len(never) > 0 {
		x.warn(name, "it has never called "+strings.Join(never, ", ")+", though it should have", "`hookctl install` again, then a new session; hooks may be disabled by policy")
		return
	}

	var last time.Time
	for _, c := range seen {
		last = latest(last, c.Last)
	}
	come := "1 kind of hook has come"
	if len(seen) != 1 {
		come = fmt.Sprintf("%d kinds of hooks have come", len(seen))
	}
	x.pass(name, "%s, the last %s; `hookctl status` lists them", come, x.ago(last))
}

func (x *examiner) never(seen kinds) []string {
	var never []string
	for _, e := range expectations {
		if seen[e.kind].Count == 0 && (x.full || !e.full) && slices.ContainsFunc(e.given, func(g string) bool { return seen[g].Count >= e.times }) {
			never = append(never, e.kind)
		}
	}
	return never
}
