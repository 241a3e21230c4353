package verbs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/home"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

type statusVerb struct{}

func (statusVerb) run(a *app, _ []string) error {
	st, err := a.statusNow()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(st)
	}
	a.printStatus(st)
	return nil
}

// statusNow asks the daemon; without one it tells what the files do. A disk that runs full is a warning
// either way, in the words of `doctor`.
func (a *app) statusNow() (client.Status, error) {
	st, err := a.hookedStatus()
	if errors.Is(err, client.ErrNotRunning) {
		st, err = a.statusDown(), nil
	}
	st.Warnings = findings(st.Warnings)
	st.StoreBytes = a.storeBytes()
	if err != nil || st.TotalBytes <= 0 { // this platform does not tell
		return st, err
	}
	if c := spaceCheck("disk", uint64(max(0, st.FreeBytes)), uint64(st.TotalBytes)); c.Result != resultOK {
		st.Warnings = append(st.Warnings, c.Name+": "+c.Words+": "+c.Do)
	}
	return st, nil
}

// storeBytes is how much the files of the store hold; a link of the archive counts once, with its block.
func (a *app) storeBytes() int64 {
	var sum int64
	store := filepath.Join(a.Home(), "store")
	_ = filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it went, or is not ours to read
		}
		if d.IsDir() && path == filepath.Join(store, "archive") {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// hookedStatus is the daemon's status, with the hooks of the whole log.
func (a *app) hookedStatus() (st client.Status, err error) {
	err = a.with(needRunning, func() error {
		if st, err = a.stand(); err != nil {
			return err
		}
		past, err := pastHooks(a)
		if err == nil {
			st.Hooks = past.with(st.Hooks)
		}
		return err
	})
	return st, err
}

// findings leaves out what the store's server says at every start after an unclean end: it builds its
// index again from the blocks, which is what should happen.
func findings(warnings []string) []string {
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool {
		return strings.Contains(w, "Filestore [") && (strings.Contains(w, "will rebuild") || strings.Contains(w, "Stream state outdated"))
	})
}

func (a *app) statusDown() client.Status {
	p := home.PathsOf(a.Home(), a.Getenv)
	st := client.Status{Version: wire.Build, Protocol: wire.Protocol, Fsync: a.conf.Values.Fsync, Home: p.Home, Socket: p.Socket,
		Spool: spool.Open(p).Count(), Projections: []client.ProjectionStatus{}, Hooks: map[string]client.HookCount{},
		SecondInstalls: map[string]int{}, Warnings: []string{}, Damage: []string{}, UnknownTypes: map[string]int{}}
	if free, total, err := a.room(p.Home); err == nil {
		st.FreeBytes, st.TotalBytes = int64(free), int64(total)
	}
	if s := p.LastStart(); s.Reason != "" {
		st.Warnings = append(st.Warnings, time.UnixMilli(s.Time).UTC().Format(time.RFC3339)+" the last start failed: "+s.Reason)
	}
	return st
}

func (a *app) printStatus(st client.Status) {
	field := func(name, v string) {
		a.Printf("  %s  %s\n", a.Paint.Faint(cmdline.Pad(name, 12)), v)
	}
	if st.PID == nil {
		words := a.Paint.Warn("hookd is not running") + "  the next hook starts it"
		if busy := client.Busy(home.PathsOf(a.Home(), a.Getenv)); busy != nil && a.starting() {
			words = a.Paint.Warn("hookd does not answer") + "  " + busy.Message
		}
		a.Printf("%s\n\n", words)
		field("home", st.Home)
		field("socket", st.Socket)
		field("spool", a.spoolWords(st.Spool))
	} else {
		a.Printf("%s  %s, pid %d, up %s\n\n", a.Paint.Good("hookd is running"), cmdline.OneLine(st.Version), *st.PID, span(time.Duration(st.UptimeS*float64(time.Second))))
		field("home", st.Home)
		field("socket", st.Socket)
		if l := st.Listen; l != nil && l.Problem == "" {
			field("listens", l.Address+" for clients of NATS, credentials in "+l.Credentials)
		} else if l != nil {
			field("listens", a.Paint.Warn("not: "+cmdline.OneLine(l.Problem)))
		}
		log := fmt.Sprintf("sequence %d, fsync %s", st.Seq, st.Fsync)
		if !st.CleanStart {
			log += ", checked after an unclean shutdown"
		}
		field("log", log)
		field("sessions", cmdline.Plural(st.LiveSessions, "live session"))
		field("projections", projectionWords(st.Projections))
		field("spool", a.spoolWords(st.Spool))
		field("delivered", fmt.Sprintf("duplicates %d, conflicting resends %d", st.Again, st.Conflicts))
	}
	field("store", cmdline.Bytes(uint64(st.StoreBytes))+" in "+filepath.Join(st.Home, "store"))
	field("its log", filepath.Join(st.Home, "hookd.log")+", shown by `hookctl log`")
	field("config", orDash(a.tilde(config.UserFile(a.Getenv))))
	if st.TotalBytes > 0 {
		field("disk", fmt.Sprintf("%s free of %s", cmdline.Bytes(uint64(max(0, st.FreeBytes))), cmdline.Bytes(uint64(st.TotalBytes))))
	}
	var lines []string
	for _, l := range st.Live {
		if l.Standing.Stuck || l.Standing.Needs && l.Standing.Kind != session.WaitsForPrompt {
			lines = append(lines, alias(l.ID)+" "+join(" — ", l.Standing.Words, l.Title))
		}
	}
	a.printList("sessions that need you", lines)
	a.printHooks(st.Hooks)
	a.printList("installs that send the same hooks", countList(st.SecondInstalls))
	a.printList("unknown types", countList(st.UnknownTypes))
	a.printList("warnings", st.Warnings)
	a.printList("damage", st.Damage)
}

func (a *app) spoolWords(n int) string {
	if n == 0 {
		return "empty"
	}
	return a.Paint.Warn(cmdline.Plural(n, "frame") + " waiting")
}

// projectionWords says how far the projections are: in one clause where all are equally far, else one by one.
func projectionWords(list []client.ProjectionStatus) string {
	if len(list) > 1 && !slices.ContainsFunc(list, func(p client.ProjectionStatus) bool { return upTo(p) != upTo(list[0]) }) {
		return fmt.Sprintf("all %d ", len(list)) + upTo(list[0])
	}
	var parts []string
	for _, p := range list {
		parts = append(parts, p.Name+" "+upTo(p))
	}
	return strings.Join(parts, "; ")
}

// upTo says how far a projection is folded, in memory too.
func upTo(p client.ProjectionStatus) string {
	words := "up to " + strconv.FormatUint(p.Seq+p.Lag, 10)
	if p.Lag > 0 {
		words += fmt.Sprintf(", %d not yet saved", p.Lag)
	}
	return words
}

func (a *app) printHooks(hooks map[string]client.HookCount) {
	if len(hooks) == 0 {
		return
	}
	names := sortedKeys(hooks)
	slices.SortStableFunc(names, func(x, y string) int { return hooks[y].Last.Compare(hooks[x].Last) })
	a.Printf("\n")
	t := a.Table("  HOOK", "COUNT", "LAST")
	t.Columns = 0
	for _, n := range names {
		t.Row("  "+n, strconv.Itoa(hooks[n].Count), a.ago(hooks[n].Last))
	}
	t.Print()
	if hooks["SessionStart"].Count >= shortList { // there may be more sessions than were read
		a.Printf("  %s\n", a.Paint.Faint("counts are of the live sessions and those active last"))
	}
}

func (a *app) printList(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	a.Printf("\n%s\n", a.Paint.Warn(title))
	for _, l := range lines {
		a.Printf("  %s\n", cmdline.OneLine(l))
	}
}

func countList(m map[string]int) []string {
	var lines []string
	for _, k := range sortedKeys(m) {
		lines = append(lines, fmt.Sprintf("%s: %d", k, m[k]))
	}
	return lines
}

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
