package daemon

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"hookline/hookctl/wire"
)

// handleMetrics answers with the daemon's status in the text form that Prometheus reads (exposition format 0.0.4). It is
// written here because the client library costs every start and the idle daemon more than 5 %; a test reads it with that
// library. Names and labels never change.
func (ep *processEndpoints) handleMetrics(w http.ResponseWriter, _ *http.Request) {
	st := ep.status()
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
