package daemon

import (
	"net/http"
	"os"
	"time"

	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/wire"
)

// Status is what `hookctl status --json` prints; the names never change.
type Status struct {
	PID            *int                 `json:"pid"` // null when no daemon runs
	Version        string               `json:"version"`
	Protocol       int                  `json:"protocol"`
	UptimeS        float64              `json:"uptime_s"`
	Seq            uint64               `json:"seq"`
	Fsync          string               `json:"fsync"`
	Home           string               `json:"home"`
	Socket         string               `json:"socket"`
	CleanStart     bool                 `json:"clean_start"`
	Projections    []ProjectionStatus   `json:"projections"`
	Spool          int                  `json:"spool"`
	Hooks          map[string]HookCount `json:"hooks"`
	Again          int64                `json:"again"`           // frames delivered again
	Conflicts      int64                `json:"conflicts"`       // frame ids with other content
	SecondInstalls map[string]int       `json:"second_installs"` // hooks from a second install, by its binary
	FreeBytes      int64                `json:"free_bytes"`
	TotalBytes     int64                `json:"total_bytes"`
	Warnings       []string             `json:"warnings"`
	Damage         []string             `json:"damage"`
	LiveSessions   int                  `json:"live_sessions"`
	UnknownTypes   map[string]int       `json:"unknown_types"` // among the newest records
}

// ProjectionStatus is how far one projection is written.
type ProjectionStatus struct {
	Name string `json:"name"`
	Seq  uint64 `json:"seq"`
	Lag  uint64 `json:"lag"` // records folded in memory and not yet written
}

// Status gathers the daemon's state.
func (d *Daemon) Status() Status {
	pid := os.Getpid()
	last, _ := d.stream.Last()
	rep := d.ground.Report()
	s := Status{PID: &pid, Version: wire.Build, Protocol: wire.Protocol, UptimeS: d.opts.Now().Sub(d.started).Seconds(), Seq: last,
		Fsync: d.ground.Fsync().String(), Home: d.opts.Home, Socket: d.socket(), CleanStart: rep.Clean, Spool: d.spool.Count(),
		Again: d.hooks.again.Load(), Conflicts: d.hooks.conflicts.Load(), LiveSessions: d.live.count(), Warnings: []string{}, Damage: damage.Status(rep),
		Projections: []ProjectionStatus{}}
	pos := d.view.Positions()
	for _, name := range d.view.Tables() {
		s.Projections = append(s.Projections, ProjectionStatus{Name: name, Seq: pos[name].Seq, Lag: last - min(last, pos[name].Seq)})
	}
	s.Hooks, s.SecondInstalls = d.hooks.copies()
	s.FreeBytes, s.TotalBytes, _ = d.ground.Free()
	for _, w := range rep.Warnings {
		s.Warnings = append(s.Warnings, w.Time.UTC().Format(time.RFC3339)+" "+w.Text)
	}
	s.UnknownTypes = d.hub.unknown()
	return s
}

func (d *Daemon) handleStatus(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, d.Status())
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

// unknown counts what this build has no type for among the newest records.
func (h *hub) unknown() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]int{}
	for _, r := range h.recent {
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
		return door.Path()
	}
	return d.paths.Socket
}
