package daemon

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// otelAgain is the time between two starts of the program that sends traces.
const otelAgain = 30 * time.Second

// sendTraces keeps the program that sends traces running until ctx ends: hookfind, since what it links would cost every
// daemon. It ends by itself when the socket does.
func (k *keeper) sendTraces(ctx context.Context) {
	self, err := os.Executable()
	if err != nil {
		k.log.Warn("send traces", "err", err)
		return
	}
	program := filepath.Join(filepath.Dir(self), "hookfind"+filepath.Ext(self))
	for {
		ended := make(chan error, 1)
		cmd := exec.Command(program, "otel")
		cmd.Stderr = os.Stderr // the daemon's log
		if err := cmd.Start(); err != nil {
			ended <- err
		} else {
			go func() { ended <- cmd.Wait() }()
		}
		select {
		case <-ctx.Done():
			return
		case err := <-ended:
			k.log.Warn("the program that sends traces ended", "err", err)
		}
		if !pause(ctx, otelAgain) {
			return
		}
	}
}
