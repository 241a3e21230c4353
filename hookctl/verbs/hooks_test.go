package verbs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/projector/session"
)

// After a restart the daemon has counted nothing; the log and the sessions know the last hook of every kind.
func TestStatusAfterRestart(t *testing.T) {
	f := newFake()
	f.status.Hooks = map[string]daemon.HookCount{"Stop": {Last: noon.Add(-time.Second), Count: 1}}
	f.events = []events.Record{record(1, events.TypeSessionStarted, sessionA, `{}`)}
	f.events[0].Time = noon.Add(-2 * time.Hour)
	f.cells[session.Name][sessionA] = session.State{ID: sessionA, LastActive: noon.Add(-time.Hour), Hooks: map[string]int{"SessionStart": 1, "Stop": 4}}
	f.cells[session.Name][sessionB] = session.State{ID: sessionB, LastActive: noon.Add(-48 * time.Hour), Hooks: map[string]int{"SessionStart": 2, "PreCompact": 1}}
	f.cells[session.Name][sessionC] = session.State{ID: sessionC, Status: session.Deleted, Hooks: map[string]int{"SessionEnd": 1}}
	b := newBench(t, f)
	_, table, _ := strings.Cut(b.must("status"), "\n\n  HOOK")
	if want := "          COUNT  LAST\n  Stop          4      1s ago\n  SessionStart  3      2h0m ago\n  PreCompact    1      2 days ago\n"; table != want {
		t.Errorf("%q, want %q", table, want)
	}
}

// ended makes sessions that ended, the newest first, with so many hooks of each kind.
func (f *fakeHouse) ended(hooks ...map[string]int) {
	for i, h := range hooks {
		id := fmt.Sprintf("%08d-0000", i)
		f.cells[session.Name][id] = session.State{ID: id, Status: session.Ended, LastActive: noon.Add(-time.Duration(i+1) * time.Hour), Hooks: h}
	}
}

// A kind of hook that came and comes no more, while others do, is a finding with its last time.
func TestDoctorStoppedKinds(t *testing.T) {
	whole := map[string]int{"SessionStart": 1, "UserPromptSubmit": 4, "PreToolUse": 9, "PostToolUse": 9, "Stop": 4, "PostToolBatch": 2}
	less := map[string]int{"SessionStart": 1, "UserPromptSubmit": 4, "PreToolUse": 9, "PostToolUse": 9, "Stop": 4}
	prompts := func(f *fakeHouse, n int) {
		for i := range n {
			f.events = append(f.events, record(uint64(i+2), events.TypePromptSubmitted, sessionA, `{}`))
		}
	}
	for _, tc := range []struct {
		name string
		set  func(f *fakeHouse)
		want string
	}{
		{"all come", func(f *fakeHouse) { f.ended(whole, whole, whole, whole, whole, whole) }, ""},
		{"three sessions lack one", func(f *fakeHouse) { f.ended(less, less, less, whole, whole, whole) }, "other hooks come, but no more PostToolBatch (last 4h0m ago)"},
		{"two sessions lack one", func(f *fakeHouse) { f.ended(less, less, whole, whole, whole, whole) }, ""},
		{"not all had it", func(f *fakeHouse) { f.ended(less, less, less, whole, less, whole) }, ""},
		{"ten prompts and no stop", func(f *fakeHouse) { f.ended(whole); prompts(f, 10) }, "other hooks come, but no more Stop (last 1h0m ago)"},
		{"nine prompts and no stop", func(f *fakeHouse) { f.ended(whole); prompts(f, 9) }, ""},
		{"a failed stop counts", func(f *fakeHouse) {
			f.ended(whole)
			prompts(f, 10)
			f.events = append(f.events, record(50, events.TypeTurnFailed, sessionA, `{}`))
		}, ""},
	} {
		b, f := healthy(t)
		f.status.Hooks = map[string]daemon.HookCount{}
		tc.set(f)
		_, checks := b.diagnose()
		c := checks["client"]
		if tc.want == "" && c.Result != resultOK || tc.want != "" && (c.Words != tc.want || c.Result != resultWarn) {
			t.Errorf("%s: %+v", tc.name, c)
		}
	}
}
