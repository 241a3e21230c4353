//go:build unix

package daemon

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// Two sessions at once in one project never see each other's values.
func TestSessionsDoNotMix(t *testing.T) {
	d := opened(t)
	dir := t.TempDir()
	for _, s := range []string{"calm", "failing"} {
		take(t, d, startIn(dir, s))
	}
	together(16, func(i int) {
		f := bashOf("calm", i)
		if i%2 == 1 {
			f = hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"failing","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"false"},"error":"Exit code 1"}`, i))
		}
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		if _, err := d.Take(context.Background(), f); err != nil {
			t.Error(err)
		}
	})
	brief := func(s string) string {
		f := hookFrame("")
		f.Args, f.Env["CLAUDE_CODE_SESSION_ID"] = []string{"consciousness", "brief"}, s
		return strings.TrimSpace(string(take(t, d, f).Stdout))
	}
	if got := brief("calm"); !strings.HasPrefix(got, "[C:") || !strings.Contains(got, " r=1.00 IC=") || strings.Contains(got, "DOR") {
		t.Errorf("calm: %s", got)
	}
	d.effects.Wait() // the crisis dreams
	if got := brief("failing"); got == brief("calm") {
		t.Errorf("failing: %s", got)
	}
	expect.Equal(t, brief("nobody"), "[C:? r=? IC=?]", "nobody")
	if s := sessionState(t, d, "calm"); s.Failures != 0 || s.Events != 9 {
		t.Errorf("%+v", s)
	}
	if s := sessionState(t, d, "failing"); s.Failures != 8 || s.Events != 9 {
		t.Errorf("%+v", s)
	}
	mustVerify(t, d)
}

// 64 hooks at once while everything else goes on: each counts once and the buckets are the log's.
func TestCrowd(t *testing.T) {
	before := runtime.NumGoroutine()
	home := newHome(t)
	d := open(t, home)
	ctx, stop := context.WithCancel(t.Context())
	var side sync.WaitGroup
	loop := func(fn func()) {
		side.Add(1)
		go func() {
			defer side.Done()
			for ctx.Err() == nil {
				fn()
			}
		}()
	}
	loop(func() { _, _ = d.view.Flush(ctx) })
	loop(func() { _, _ = d.Verify(ctx, nil) })
	loop(func() { _, _, _ = d.view.Rebuild(ctx, d.stream.Read, "", nil) })
	loop(func() { d.Status(); d.reap(ctx) })
	loop(func() {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/cells/identity", nil))
	})
	loop(func() { _, _ = d.doDream(ctx, dreamOrder{Session: "s-1", Phase: "full"}, nil) })
	loop(func() {
		_ = d.view.Read(ctx, func(r projector.Reader) error {
			projector.State[identity.State](r, identity.Name, "s-1")
			projector.State[session.State](r, session.Name, "s-2")
			return nil
		})
	})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := fmt.Sprintf("s-%d", i%4)
			if i < 4 {
				take(t, d, startOf(s))
			}
			f := bashOf(s, i)
			for range 3 {
				if _, err := d.Take(context.Background(), f); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	stop()
	side.Wait()
	n := 0
	for _, r := range logOf(t, d) {
		if r.Type == events.TypeToolSucceeded {
			n++
		}
	}
	if n != 64 {
		t.Errorf("%d of 64 calls", n)
	}
	mustVerify(t, d)
	shut(t, d)
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
