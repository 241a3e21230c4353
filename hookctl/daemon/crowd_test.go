//go:build unix

package daemon

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// 64 hooks at once while everything else goes on: each counts once and the buckets are the log's.
func TestCrowd(t *testing.T) {
	before := runtime.NumGoroutine()
	d := open(t, newHome(t))
	ctx, stop := context.WithCancel(t.Context())
	var side sync.WaitGroup
	loop := func(fn func()) {
		side.Go(func() {
			for ctx.Err() == nil {
				fn()
			}
		})
	}
	loop(func() { _, _ = d.view.Flush(ctx) })
	loop(func() { _, _ = d.Verify(ctx, nil) })
	loop(func() { _, _, _ = d.view.Rebuild(ctx, d.stream.Read, "", nil) })
	loop(func() { d.Status(); d.intake.reap(ctx); d.endpoints.process.canary(ctx) })
	loop(func() { ask(t, d, "GET", "/v1/cells/identity", "") })
	loop(func() { _, _ = d.endpoints.commands.dream(ctx, api.DreamRequest{Session: "s-1", Phase: "full"}) })
	loop(func() {
		_ = d.view.Read(ctx, func(r projector.Reader) error {
			projector.State[identity.State](r, identity.Name, "s-1")
			projector.State[session.State](r, session.Name, "s-2")
			return nil
		})
	})
	together(64, func(i int) {
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
	})
	stop()
	side.Wait()
	expect.Equal(t, counts(t, d)[events.TypeToolSucceeded], 64, "calls")
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
