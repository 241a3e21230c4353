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

// noticeBuild ends this daemon for another one when the client belongs to a newer build than this daemon: the daemon of that build, beside
// the program that asks, takes the home. It runs as this user from then on, so no other user may be able to write there. The
// client still waits for its answer, or the program could not be told from its process.
func (k *keeper) noticeBuild(ctx context.Context, build, binary string) {
	if !newer(build, wire.Build) || k.handOver.Load() != nil {
		return
	}
	name := "hookd"
	if runtime.GOOS == "windows" {
		name = "hookd.exe"
	}
	sender, _ := ctx.Value(peerKey{}).(peer)
	client := sender.program(binary)
	if client == "" {
		return
	}
	next := filepath.Join(filepath.Dir(client), name)
	if err := safeopen.CheckProgram(next); err != nil {
		k.log.Warn("not handing over to a newer build", "build", build, "err", err)
		return
	}
	k.handOver.Store(&next)
	k.log.Info("handing over", "to", next, "build", build)
	k.stop("hand_over")
}

// newer compares builds by semantic versioning; what cannot be read is not newer.
func newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}
