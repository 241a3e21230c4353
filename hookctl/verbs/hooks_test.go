package verbs

import (
	"strings"
	"testing"
	"time"

	"hookline/hookctl/client"
	"hookline/projector/session"
)

// After a restart the daemon has counted nothing; the sessions have the hooks of every kind.
func TestStatusAfterRestart(t *testing.T) {
	f := newFake()
	f.status.Hooks = map[string]client.HookCount{"Stop": {Last: noon.Add(-time.Second), Count: 1}}
	f.cells[session.Name][sessionA] = session.State{ID: sessionA, LastActive: noon.Add(-time.Hour), Hooks: map[string]int{"SessionStart": 1, "Stop": 4}}
	f.cells[session.Name][sessionB] = session.State{ID: sessionB, LastActive: noon.Add(-48 * time.Hour), Hooks: map[string]int{"SessionStart": 2, "PreCompact": 1}}
	f.cells[session.Name][sessionC] = session.State{ID: sessionC, Status: session.Deleted, Hooks: map[string]int{"SessionEnd": 1}}
	b := newBench(t, f)
	_, table, _ := strings.Cut(b.must("status"), "\n\n  HOOK")
	if want := "          COUNT  LAST\n  Stop          4      1s ago\n  SessionStart  3      1h0m ago\n  PreCompact    1      2 days ago\n"; table != want {
		t.Errorf("%q, want %q", table, want)
	}
}
