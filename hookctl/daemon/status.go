package daemon

import (
	"os"
	"time"

	"hookline/events"
	"hookline/hookctl/wire"
	"hookline/projector/session"
	"hookline/replay/check"
)

// Status is what `hookctl status --json` prints; the names never change.
type Status struct {
	PID            *int                 `json:"pid" jsonschema:"nullable" jsonschema_description:"process id of the daemon; null when none runs"`
	Version        string               `json:"version" jsonschema_description:"of the daemon, or of this program when none runs"`
	Protocol       int                  `json:"protocol" jsonschema_description:"of the socket"`
	UptimeS        float64              `json:"uptime_s" jsonschema_description:"seconds since the daemon was started; 0 when none runs"`
	Seq            uint64               `json:"seq" jsonschema_description:"the log's newest event; 0 in an empty log and when no daemon runs"`
	Fsync          string               `json:"fsync" jsonschema_description:"shared: hooks that come together share one fsync; always: one each"`
	Home           string               `json:"home" jsonschema_description:"folder of the recorder"`
	Socket         string               `json:"socket" jsonschema_description:"path of the unix socket"`
	Listen         *Listening           `json:"listen,omitempty" jsonschema_description:"the door for clients of NATS, where the configuration wants one"`
	CleanStart     bool                 `json:"clean_start" jsonschema_description:"the store was closed in order before this start; false when no daemon runs"`
	Projections    []ProjectionStatus   `json:"projections" jsonschema_description:"empty when no daemon runs"`
	Spool          int                  `json:"spool" jsonschema_description:"frames that wait for the daemon"`
	Hooks          map[string]HookCount `json:"hooks" jsonschema_description:"by the client's name of the hook, over the whole log; empty when no daemon runs"`
	Again          int64                `json:"again" jsonschema_description:"frames that were delivered again, since the daemon's start"`
	Conflicts      int64                `json:"conflicts" jsonschema_description:"frame ids that came with other content, since the daemon's start"`
	SecondInstalls map[string]int       `json:"second_installs" jsonschema_description:"hooks that a second installation sent too, by its binary, since the daemon's start"`
	FreeBytes      int64                `json:"free_bytes" jsonschema_description:"of the disk with the home; with total_bytes 0 where it cannot be told"`
	TotalBytes     int64                `json:"total_bytes" jsonschema_description:"of that disk"`
	StoreBytes     int64                `json:"store_bytes" jsonschema_description:"of the files in the store; 0 where they cannot be read"`
	Warnings       []string             `json:"warnings" jsonschema_description:"what a person should know, in words"`
	Damage         []string             `json:"damage" jsonschema_description:"of the log, in words"`
	LiveSessions   int                  `json:"live_sessions" jsonschema_description:"sessions whose process is there"`
	Live           []LiveSession        `json:"live,omitempty" jsonschema_description:"the live sessions"`
	UnknownTypes   map[string]int       `json:"unknown_types" jsonschema_description:"events of types that this build does not know, by type, among the newest"`
}

// LiveSession is a live session and how it stands.
type LiveSession struct {
	ID       string           `json:"id" jsonschema_description:"whole id"`
	Title    string           `json:"title,omitempty" jsonschema_description:"beginning of its first prompt"`
	Standing session.Standing `json:"standing" jsonschema_description:"how it stands"`
}

// ProjectionStatus is how far one projection is written.
type ProjectionStatus struct {
	Name string `json:"name" jsonschema_description:"of the projection"`
	Seq  uint64 `json:"seq" jsonschema_description:"the newest event that is folded into it"`
	Lag  uint64 `json:"lag" jsonschema_description:"events that are folded in memory and not yet written"`
}

// Status gathers the daemon's state.
func (d *Daemon) Status() Status {
	pid := os.Getpid()
	last, _ := d.stream.Last()
	rep := d.ground.Report()
	s := Status{PID: &pid, Version: wire.Build, Protocol: wire.Protocol, UptimeS: d.opts.Now().Sub(d.started).Seconds(), Seq: last,
		Fsync: d.ground.Fsync().String(), Home: d.opts.Home, Socket: d.socket(), Listen: d.listener.status(), CleanStart: rep.Clean, Spool: d.spool.Count(),
		Again: d.hooks.again.Load(), Conflicts: d.hooks.conflicts.Load(), Warnings: []string{}, Damage: check.Status(rep),
		Projections: []ProjectionStatus{}}
	for _, l := range d.sessionsBy(d.life, session.Alive) {
		s.Live = append(s.Live, LiveSession{ID: l.ID, Title: l.Title, Standing: l.Standing()})
	}
	s.LiveSessions = len(s.Live)
	pos := d.view.Positions()
	for _, name := range d.view.Tables() {
		s.Projections = append(s.Projections, ProjectionStatus{Name: name, Seq: pos[name].Seq, Lag: last - min(last, pos[name].Seq)})
	}
	s.Hooks, s.SecondInstalls = d.hooks.copies()
	s.FreeBytes, s.TotalBytes, _ = d.ground.Free()
	for _, w := range rep.Warnings {
		s.Warnings = append(s.Warnings, w.Time.UTC().Format(time.RFC3339)+" "+w.Text)
	}
	s.UnknownTypes = unknownIn(d.rec.Recent())
	return s
}

func (c *hookCounts) copies() (map[string]HookCount, map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds, installs := make(map[string]HookCount, len(c.kinds)), make(map[string]int, len(c.installs))
	for k, v := range c.kinds {
		kinds[k] = v
	}
	for k, v := range c.installs {
		installs[k] = v
	}
	return kinds, installs
}

// unknownIn counts what this build has no type for among the newest records.
func unknownIn(newest []events.Record) map[string]int {
	out := map[string]int{}
	for _, r := range newest {
		switch e := r.Event.(type) {
		case *events.Unknown:
			out[e.Name]++
		case *events.HookUnrecognized:
			out["hook "+r.Hook]++
		}
	}
	return out
}

// socket is where callers find this daemon.
func (d *Daemon) socket() string {
	if door := d.door.Load(); door != nil {
		return door.path()
	}
	return d.paths.Socket
}
