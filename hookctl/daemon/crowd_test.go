//go:build unix

package daemon

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

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
	loop(func() { d.Status(); d.reap(ctx); d.canary(ctx) })
	loop(func() {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/cells/identity", nil))
	})
	loop(func() { _, _ = d.doDream(ctx, dreamOrder{Session: "s-1", Phase: "full"}) })
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
