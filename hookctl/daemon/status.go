package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/recorder"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/check"
)

// Status gathers the daemon's state.
func (d *Daemon) Status() api.Status {
	pid := os.Getpid()
	last, _ := d.stream.Last()
	rep := d.ground.Report()
	s := api.Status{PID: &pid, Version: wire.Build, Protocol: wire.Protocol, UptimeS: d.opts.Now().Sub(d.started).Seconds(), Seq: last,
		Fsync: cmp.Or(d.opts.Fsync, "shared"), Home: d.opts.Home, Socket: d.paths.Socket, Listen: d.listening.Load(), CleanStart: rep.Clean, Spool: d.spool.Count(),
		Warnings: []string{}, Damage: check.Status(rep), Projections: []api.ProjectionStatus{}}
	for _, l := range d.sessionsBy(d.life, session.Alive) {
		s.Live = append(s.Live, api.LiveSession{ID: l.ID, Title: l.Title, Standing: l.Standing()})
	}
	s.LiveSessions = len(s.Live)
	pos := d.view.Positions()
	for _, name := range tables.Names() {
		s.Projections = append(s.Projections, api.ProjectionStatus{Name: name, Seq: pos[name].Seq, Lag: last - min(last, pos[name].Seq)})
	}
	d.hooks.mu.Lock()
	s.Again, s.Conflicts = d.hooks.again, d.hooks.conflicts
	s.Hooks, s.SecondInstalls = maps.Collect(maps.All(d.hooks.kinds)), maps.Collect(maps.All(d.hooks.installs)) // never nil, as clients expect
	s.UnknownTypes = maps.Collect(maps.All(d.hooks.unknown))
	d.hooks.mu.Unlock()
	s.FreeBytes, s.TotalBytes, _ = d.ground.Free()
	for _, w := range rep.Warnings {
		s.Warnings = append(s.Warnings, w.Time.UTC().Format(time.RFC3339)+" "+w.Text)
	}
	if door := d.door.Load(); door != nil {
		s.Socket = door.path()
	}
	return s
}

// hookCounts are the counters of status; they start at zero with the daemon.
type hookCounts struct {
	mu               sync.Mutex
	kinds            map[string]api.HookCount
	installs         map[string]int // second ones
	unknown          map[string]int // hooks that this build has no type for
	again, conflicts int64
}

// Bounds of the counters: names come from outside.
const (
	maxKinds    = 200
	maxInstalls = 100
)

// count counts a hook by what became of it.
func (c *hookCounts) count(seen recorder.Verdict, name, install string, e events.Event, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds == nil {
		c.kinds, c.installs, c.unknown = map[string]api.HookCount{}, map[string]int{}, map[string]int{}
	}
	switch seen {
	case recorder.Again:
		c.again++
	case recorder.Conflict:
		c.conflicts++
	case recorder.SecondHit:
		if len(c.installs) < maxInstalls {
			c.installs[install]++
		}
	case recorder.Fresh:
		if name == "" {
			return
		}
		if _, ok := c.kinds[name]; !ok && len(c.kinds) > maxKinds {
			name = "(other)"
		}
		if _, unknown := e.(*events.HookUnrecognized); unknown {
			c.unknown["hook "+name]++
		}
		c.kinds[name] = api.HookCount{Last: now.UTC().Truncate(time.Millisecond), Count: c.kinds[name].Count + 1}
	}
}

// handleMetrics answers with the daemon's status in the text form that Prometheus reads (exposition format 0.0.4). It is
// written here because the client library costs every start and the idle daemon more than 5 %; a test reads it with that
// library. Names and labels never change.
func (d *Daemon) handleMetrics(w http.ResponseWriter, _ *http.Request) {
	st := d.Status()
	var m metricText
	m.write("gauge", "build_info", "The build of the daemon; always 1.", map[string]float64{wire.Build: 1}, "version")
	m.write("gauge", "uptime_seconds", "Time since the daemon was started.", only(st.UptimeS))
	m.write("gauge", "log_sequence", "Sequence of the newest event in the log.", only(float64(st.Seq)))
	m.write("gauge", "damage_findings", "Findings of damage in the log at this start.", only(float64(len(st.Damage))))
	m.write("gauge", "spool_frames", "Frames that wait for the daemon.", only(float64(st.Spool)))
	m.write("counter", "frames_again_total", "Frames that were delivered again, since the daemon's start.", only(float64(st.Again)))
	m.write("counter", "frames_conflicting_total", "Frame ids that came with other content, since the daemon's start.", only(float64(st.Conflicts)))

	count := map[string]float64{}
	last := map[string]float64{}
	for name, h := range st.Hooks {
		count[name] = float64(h.Count)
		last[name] = float64(h.Last.UnixMilli()) / 1000
	}
	m.write("counter", "hooks_total", "Hooks since the daemon's start, by the client's name of the hook.", count, "hook")
	m.write("gauge", "hook_last_timestamp_seconds", "When a hook came last, in Unix time.", last, "hook")

	lag := map[string]float64{}
	for _, p := range st.Projections {
		lag[p.Name] = float64(p.Lag)
	}
	m.write("gauge", "projection_lag_events", "Events that are folded in memory and not yet written.", lag, "projection")

	live := map[string]float64{}
	for _, l := range st.Live {
		live[l.Standing.Kind]++
	}
	m.write("gauge", "sessions", "Live sessions, by how they stand.", live, "standing")

	if st.TotalBytes > 0 {
		m.write("gauge", "disk_free_bytes", "Free room on the disk with the home.", only(float64(st.FreeBytes)))
		m.write("gauge", "disk_size_bytes", "Size of the disk with the home.", only(float64(st.TotalBytes)))
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, m.String())
}

// metricText writes metrics one below the other.
type metricText struct{ strings.Builder }

// only returns a metric without a label.
func only(v float64) map[string]float64 { return map[string]float64{"": v} }

// labelText escapes what a label's value may not hold as it is.
var labelText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (m *metricText) write(kind, name, help string, values map[string]float64, label ...string) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(m, "# HELP hookline_%s %s\n# TYPE hookline_%s %s\n", name, help, name, kind)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		labels := ""
		if len(label) > 0 {
			labels = "{" + label[0] + `="` + labelText.Replace(strings.ToValidUTF8(k, "�")) + `"}`
		}
		fmt.Fprintf(m, "hookline_%s%s %v\n", name, labels, values[k])
	}
}

// canary sends an event through the whole line, and writes and reads one cell of each bucket and one large content.
func (d *Daemon) canary(ctx context.Context) api.Canary {
	c := api.Canary{OK: true}
	nonce := wire.NewID(d.opts.Now().UnixMilli())
	step := func(name string, fn func() error) {
		begin := time.Now()
		err := fn()
		s := api.CanaryStep{Name: name, OK: err == nil, MS: float64(time.Since(begin).Microseconds()) / 1000}
		if err != nil {
			s.Detail, c.OK = err.Error(), false
		}
		c.Steps = append(c.Steps, s)
	}
	same := func(got []byte, want string, err error) error {
		if err == nil && string(got) != want {
			err = fmt.Errorf("it came back as %q", got)
		}
		return err
	}
	step("append, fold and sync", func() error {
		recs, err := d.rec.Note(ctx, events.Envelope{}, &events.CanarySent{Nonce: nonce})
		if err == nil {
			c.Seq, c.ID = recs[0].Seq, recs[0].ID
		}
		return err
	})
	step("read back from the log", func() error {
		rec, err := d.stream.Get(ctx, c.Seq)
		return same([]byte(rec.ID), c.ID, err)
	})
	step("projections written", func() error {
		pos, err := d.view.Flush(ctx)
		if err == nil && pos.Seq < c.Seq {
			err = fmt.Errorf("written up to %d only", pos.Seq)
		}
		return err
	})
	for _, bucket := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		step("bucket "+bucket, func() error { // the cell belongs to no projection
			key, store := projector.ProbePrefix+nonce, d.ground.Store()
			if err := store.Save(ctx, bucket, []projector.Cell{{Key: key, Value: []byte(nonce)}}); err != nil {
				return err
			}
			got, err := store.Load(ctx, bucket, key)
			return errors.Join(same(got, nonce, err), store.Save(ctx, bucket, []projector.Cell{{Key: key}}))
		})
	}
	step("blob store", func() error {
		digest, err := d.ground.Blobs().Put([]byte("canary"))
		if err != nil {
			return err
		}
		got, err := d.ground.Blobs().Get(digest)
		return same(got, "canary", err)
	})
	return c
}
