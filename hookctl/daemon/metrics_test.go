//go:build unix

package daemon

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"hookline/expect"
	"hookline/hookctl/recorder"
)

// The metrics tell the status in names that Prometheus' own linter finds nothing about, whatever a hook is called.
func TestMetrics(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	take(t, d, hookFrame(`{"hook_event_name":"Stop","session_id":"s-1"}`))
	d.intake.counts.count(countedHook{verdict: recorder.Fresh, name: "bad\xffname\"\n"}, d.opts.Now())

	code, body := ask(t, d, "GET", "/metrics", "")
	expect.EqualNow(t, code, 200, body)
	for _, line := range []string{`hookline_hooks_total{hook="SessionStart"} 1`, `hookline_hooks_total{hook="bad�name\"\n"} 1`,
		`hookline_sessions{standing="waiting_for_prompt"} 1`, `hookline_spool_frames 0`, `hookline_projection_lag_events{projection="session"} `,
		`hookline_log_sequence `, `hookline_disk_free_bytes `, `hookline_build_info{version="`} {
		if !strings.Contains(body, "\n"+line) {
			t.Errorf("%s is missing in\n%s", line, body)
		}
	}
	problems := expect.Value(promlint.New(strings.NewReader(body + "\n")).Lint())(t)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
