package daemon

import (
	"maps"
	"os"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/wire"
	"hookline/projector/session"
	"hookline/replay/check"
)

// Status gathers the daemon's state.
func (d *Daemon) Status() client.Status {
	pid := os.Getpid()
	last, _ := d.stream.Last()
	rep := d.ground.Report()
	s := client.Status{PID: &pid, Version: wire.Build, Protocol: wire.Protocol, UptimeS: d.opts.Now().Sub(d.started).Seconds(), Seq: last,
		Fsync: d.ground.Fsync().String(), Home: d.opts.Home, Socket: d.socket(), Listen: d.listener.status(), CleanStart: rep.Clean, Spool: d.spool.Count(),
		Again: d.hooks.again.Load(), Conflicts: d.hooks.conflicts.Load(), Warnings: []string{}, Damage: check.Status(rep),
		Projections: []client.ProjectionStatus{}}
	for _, l := range d.sessionsBy(d.life, session.Alive) {
		s.Live = append(s.Live, client.LiveSession{ID: l.ID, Title: l.Title, Standing: l.Standing()})
	}
	s.LiveSessions = len(s.Live)
	pos := d.view.Positions()
	for _, name := range d.view.Tables() {
		s.Projections = append(s.Projections, client.ProjectionStatus{Name: name, Seq: pos[name].Seq, Lag: last - min(last, pos[name].Seq)})
	}
	s.Hooks, s.SecondInstalls = d.hooks.copies()
	s.FreeBytes, s.TotalBytes, _ = d.ground.Free()
	for _, w := range rep.Warnings {
		s.Warnings = append(s.Warnings, w.Time.UTC().Format(time.RFC3339)+" "+w.Text)
	}
	s.UnknownTypes = unknownIn(d.rec.Recent())
	return s
}

func (c *hookCounts) copies() (map[string]client.HookCount, map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Collect(maps.All(c.kinds)), maps.Collect(maps.All(c.installs)) // never nil, as clients expect
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
