package daemon

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
)

// noticeBuild hands over when the client belongs to a newer build than this daemon: the daemon of that build, beside
// the program that asks, takes the home. It runs as this user from then on, so no other user may be able to write there. The
// client still waits for its answer, or the program could not be told from its process.
func (d *Daemon) noticeBuild(ctx context.Context, build, binary string) {
	if !newer(build, wire.Build) || d.handOver.Load() != nil {
		return
	}
	name := "hookd"
	if runtime.GOOS == "windows" {
		name = "hookd.exe"
	}
	client := peerProgram(ctx, binary)
	if client == "" {
		return
	}
	next := filepath.Join(filepath.Dir(client), name)
	if err := safeopen.CheckProgram(next); err != nil {
		d.log.Warn("not handing over to a newer build", "build", build, "err", err)
		return
	}
	d.handOver.Store(&next)
	d.log.Info("handing over", "to", next, "build", build)
	d.stop("hand_over")
}

// newer compares builds by semantic versioning; what cannot be read is not newer.
func newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}
