//go:build unix

package daemon

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/recorder"
	"hookline/projector/tables"
)

// The names of `status --json` never change.
func TestStatusKeys(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	take(t, d, hookFrame(`{"hook_event_name":"Brandnew","session_id":"s-1"}`))
	_, body := ask(t, d, "GET", "/v1/status", "")
	for _, name := range []string{"pid", "version", "protocol", "uptime_s", "seq", "fsync", "home", "socket", "clean_start", "projections", "spool", "hooks", "again",
		"conflicts", "second_installs", "free_bytes", "total_bytes", "warnings", "damage", "live_sessions", "unknown_types"} {
		if !strings.Contains(body, `"`+name+`":`) {
			t.Errorf("%s is missing", name)
		}
	}
	s := d.Status()
	if s.Seq != 4 || s.Protocol != 1 || s.Fsync != "shared" || *s.PID != os.Getpid() || s.LiveSessions != 1 || s.Hooks["Brandnew"].Count != 1 || s.UnknownTypes["hook Brandnew"] != 1 {
		t.Errorf("%+v", s)
	}
	expect.Equal(t, len(s.Projections), len(tables.All()))
	expect.Equal(t, s.Projections[0], api.ProjectionStatus{Name: tables.All()[0].Name(), Lag: 4})
	expect.Value(d.view.Flush(t.Context()))(t)
	expect.Equal(t, d.Status().Projections[0], api.ProjectionStatus{Name: tables.All()[0].Name(), Seq: 4})
}

// Counters stay bounded whatever names come.
func TestHookCounts(t *testing.T) {
	var c hookCounts
	now := time.Date(2026, 11, 21, 8, 0, 0, 5e5, time.FixedZone("", 3600))
	for i := range 1000 {
		c.count(countedHook{verdict: recorder.Fresh, name: fmt.Sprint("H", i)}, now)
		c.count(countedHook{verdict: recorder.SecondHit, name: "H", install: fmt.Sprint("/b/", i)}, now)
	}
	c.count(countedHook{verdict: recorder.Fresh}, now)
	c.count(countedHook{verdict: recorder.Fresh, name: "H1"}, now)
	expect.Equal(t, len(c.kinds), 202, "kinds")
	expect.Equal(t, c.kinds["(other)"].Count, 1000-201)
	expect.Equal(t, c.kinds["H1"], api.HookCount{Last: now.UTC().Truncate(time.Millisecond), Count: 2})
	expect.Equal(t, len(c.installs), 100, "installs")
}
