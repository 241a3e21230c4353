//go:build unix

package daemon

import (
	"context"
	"testing"

	"hookline/expect"
	"hookline/projector"
)

// What a crash in the middle of the canary leaves is no difference of the projections.
func TestCanaryLeftover(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for _, b := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		expect.OK(t, d.ground.Store().Save(t.Context(), b, []projector.Cell{{Key: projector.ProbePrefix + "x", Value: []byte("x")}}))
	}
	mustVerify(t, d)
}

// Canaries and verify at once do not disturb each other.
func TestCanaryDuringVerify(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			d.canary(ctx)
		}
	}()
	for range 20 {
		v, err := d.Verify(t.Context(), nil)
		if err != nil || !v.Clean {
			t.Errorf("%v %+v", err, v)
			break
		}
	}
	cancel()
	<-done
}
