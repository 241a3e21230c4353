package lifecycle

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/spool"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// StatusCommand returns the command that shows the daemon's state.
func StatusCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "status",
		Short: "Show the daemon: version, log, projections, spool, hooks",
		Long: "Show the daemon: version, log, projections, spool, and when each kind of hook came last.\n" +
			"Exits 0 also when no daemon runs; --json says so by a pid of null.",
		Example: "  hookctl status\n" +
			"  hookctl status --json | jq .pid",
	}, statusVerb)
}

func statusVerb(ctx context.Context, e *env.Env, _ []string) error {
	st, err := HookedStatus(ctx, e)
	if env.NotRunning(err) {
		st, err = statusDown(e), nil
	}
	if err != nil {
		return err
	}
	st.StoreBytes = storeBytes(e)
	if st.TotalBytes > 0 { // this platform reports it
		room := JudgeRoom(uint64(max(0, st.FreeBytes)), uint64(st.TotalBytes))
		if room.Level != enough {
			st.Warnings = append(st.Warnings, "disk: "+room.Words+": "+room.Do)
		}
	}
	if e.JSON {
		return e.PrintJSON(st)
	}
	printStatus(e, st)
	return nil
}

// storeBytes is how much the files of the store hold; a link of the archive counts once, with its block.
func storeBytes(e *env.Env) int64 {
	var sum int64
	store := filepath.Join(e.Home(), "store")
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

// HookedStatus is the daemon's status, with the hooks of the live sessions and of those active last: a daemon has only
// counted what came since its start. What the store's server says at every start after an unclean end is left out of the
// warnings: it builds its index again from the blocks, which is what should happen.
func HookedStatus(ctx context.Context, e *env.Env) (st api.Status, err error) {
	var list []session.State
	err = e.With(ctx, env.Running, func() error {
		st, err = e.Status(ctx)
		if err == nil {
			list, err = query.Newest(ctx, e, query.ShortList)
		}
		return err
	})
	if err != nil {
		return st, err
	}

	st.Warnings = slices.DeleteFunc(st.Warnings, func(w string) bool {
		return strings.Contains(w, "Filestore [") && (strings.Contains(w, "will rebuild") || strings.Contains(w, "Stream state outdated"))
	})
	past := map[string]api.HookCount{}
	for _, s := range list {
		for kind, n := range s.Hooks {
			past[kind] = api.HookCount{Count: past[kind].Count + n, Last: show.Latest(past[kind].Last, s.LastActive)}
		}
	}
	for kind, c := range st.Hooks { // those of no session, and of sessions that were deleted, too
		past[kind] = api.HookCount{Count: max(past[kind].Count, c.Count), Last: c.Last}
	}
	st.Hooks = past
	return st, nil
}

func statusDown(e *env.Env) api.Status {
	p := e.Files()
	st := api.Status{Version: wire.Build, Protocol: wire.Protocol, Fsync: e.Conf.Values.Fsync, Home: p.Home, Socket: p.Socket,
		Spool: spool.Open(p).Count(), Projections: []api.ProjectionStatus{}, Hooks: map[string]api.HookCount{},
		SecondInstalls: map[string]int{}, Warnings: []string{}, Damage: []string{}, UnknownTypes: map[string]int{}}
	if free, total, err := e.Room(p.Home); err == nil {
		st.FreeBytes, st.TotalBytes = int64(free), int64(total)
	}
	if s := p.LastStart(); s.Reason != "" {
		st.Warnings = append(st.Warnings, time.UnixMilli(s.Time).UTC().Format(time.RFC3339)+" the last start failed: "+s.Reason)
	}
	return st
}

func printStatus(e *env.Env, st api.Status) {
	if st.PID == nil {
		words := e.Paint.Warn("hookd is not running") + "  the next hook starts it"
		if busy := client.Busy(e.Files()); busy != nil {
			words = e.Paint.Warn("hookd does not answer") + "  " + busy.Message
		}
		e.Printf("%s\n\n", words)
	} else {
		e.Printf("%s  %s, pid %d, up %s\n\n", e.Paint.Good("hookd is running"), cmdline.OneLine(st.Version), *st.PID, show.Span(time.Duration(st.UptimeS*float64(time.Second))))
	}

	waiting := "empty"
	if st.Spool > 0 {
		waiting = cmdline.Plural(st.Spool, "frame") + " waiting"
	}
	show.Fields(e, "home", st.Home, "socket", st.Socket, "spool", waiting)
	if st.PID != nil {
		if l := st.Listen; l != nil && l.Problem == "" {
			show.Fields(e, "listens", l.Address+" for clients of NATS, credentials in "+l.Credentials)
		} else if l != nil {
			show.Fields(e, "listens", "not: "+l.Problem)
		}
		log := fmt.Sprintf("sequence %d, fsync %s", st.Seq, st.Fsync)
		if !st.CleanStart {
			log += ", checked after an unclean shutdown"
		}
		lag := uint64(0)
		for _, p := range st.Projections {
			lag = max(lag, p.Lag)
		}
		show.Fields(e, "log", log, "projections", fmt.Sprintf("%d, of the log at most %s not yet saved", len(st.Projections), cmdline.Plural(lag, "event")),
			"sessions", cmdline.Plural(st.LiveSessions, "live session"),
			"delivered", fmt.Sprintf("duplicates %d, conflicting resends %d", st.Again, st.Conflicts))
	}
	show.Fields(e, "store", cmdline.Bytes(uint64(st.StoreBytes))+" in "+filepath.Join(st.Home, "store"),
		"its log", filepath.Join(st.Home, "hookd.log")+", shown by `hookctl log`", "config", show.Tilde(e, config.UserFile(e.Getenv)))
	if st.TotalBytes > 0 {
		show.Fields(e, "disk", fmt.Sprintf("%s free of %s", cmdline.Bytes(uint64(max(0, st.FreeBytes))), cmdline.Bytes(uint64(st.TotalBytes))))
	}

	var lines []string
	for _, l := range st.Live {
		if l.Standing.Stuck || l.Standing.Needs && l.Standing.Kind != session.WaitsForPrompt {
			lines = append(lines, show.Alias(l.ID)+" "+show.Join(" — ", l.Standing.Words, l.Title))
		}
	}
	printList(e, "sessions that need you", lines)
	names := show.SortedKeys(st.Hooks)
	slices.SortStableFunc(names, func(x, y string) int { return st.Hooks[y].Last.Compare(st.Hooks[x].Last) })
	t := e.Table("  HOOK", "COUNT", "LAST")
	t.Columns = 0
	for _, n := range names {
		t.Row("  "+n, strconv.Itoa(st.Hooks[n].Count), show.Ago(e, st.Hooks[n].Last))
	}
	if len(names) > 0 {
		e.Printf("\n")
		t.Print()
	}
	printList(e, "warnings", st.Warnings)
	printList(e, "damage", st.Damage)
}

// printList prints lines below a title; nothing where there are none.
func printList(e *env.Env, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	e.Printf("\n%s\n", e.Paint.Warn(title))
	for _, l := range lines {
		e.Printf("  %s\n", cmdline.OneLine(l))
	}
}

// Room is the free space of the disk with the home.
type Room struct {
	Level roomLevel
	Words string
	Do    string // what a person can do; "" where there is enough
}

// roomLevel says whether the free space will do.
type roomLevel int

// Levels of free space.
const (
	enough roomLevel = iota
	Little           // it will end in time
	Danger           // the store cannot be written within days of heavy use
)

// leastRoom is where the store is in danger; a twentieth of the disk is where file systems become slow.
const leastRoom = 1 << 30

// JudgeRoom judges the free space of a disk, in bytes.
func JudgeRoom(free, total uint64) Room {
	words := fmt.Sprintf("%s free of %s", cmdline.Bytes(free), cmdline.Bytes(total))
	switch {
	case free < leastRoom:
		return Room{Level: Danger, Words: words, Do: "make room; while the home has none, hooks are kept in another place"}
	case total > 0 && free < total/20:
		return Room{Level: Little, Words: words + ", less than 5 %", Do: "make room in time"}
	}
	return Room{Level: enough, Words: words}
}
