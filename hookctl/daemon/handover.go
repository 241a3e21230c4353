package daemon

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"hookline/hookctl/wire"
)

// noticeBuild hands over when the client belongs to a newer build than this daemon: the daemon of
// that build, beside the client's binary, takes the home.
func (d *Daemon) noticeBuild(build, clientBinary string) {
	if !newer(build, wire.Build) || d.handOver.Load() != nil {
		return
	}
	name := "hookd"
	if runtime.GOOS == "windows" {
		name = "hookd.exe"
	}
	real, err := filepath.EvalSymlinks(clientBinary)
	if err != nil {
		return
	}
	next := filepath.Join(filepath.Dir(real), name)
	if info, err := os.Stat(next); err != nil || info.IsDir() {
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
