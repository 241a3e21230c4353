//go:build linux

package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/home/hometest"
)

// Variables between a test and the copy of it that runs in a mount namespace.
const (
	binariesVar = "HOOKLINE_CRASH_BIN"
	insideVar   = "HOOKLINE_CRASH_INSIDE"
)

// The two builds: a client of newBuild makes a daemon of oldBuild hand over.
const (
	oldBuild = "0.1.0"
	newBuild = "0.2.0"
)

// binaries is the folder of the builds, in one folder each.
var binaries string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	hometest.ShortTemp()
	binaries = os.Getenv(binariesVar)
	if binaries != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hookline-crash-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries = dir
	return m.Run()
}

// builds makes each build once, when the first test asks for it.
var builds = map[string]func() error{
	oldBuild: sync.OnceValue(func() error { return build(oldBuild) }),
	newBuild: sync.OnceValue(func() error { return build(newBuild) }),
}

func build(version string) error {
	dir := filepath.Join(binaries, version)
	if _, err := os.Stat(filepath.Join(dir, "replay")); err == nil {
		return nil // by the process outside of the namespace
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X hookline/hookctl/wire.Build="+version,
		"-o", dir+string(filepath.Separator), "hookline/hookctl", "hookline/hookctl/hookd", "hookline/replay")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", version, err, out)
	}
	return nil
}

// need makes the builds and tells where the first lies, if any is asked for. A run with -short, as the race detector's, has
// nothing to see in processes that are built without it.
func need(t *testing.T, versions ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: these tests run for most of a minute, and the race detector does not see other processes")
	}
	for _, v := range versions {
		expect.OK(t, builds[v]())
	}
	if len(versions) == 0 {
		return ""
	}
	return filepath.Join(binaries, versions[0])
}

// long tells that the full numbers are asked for.
func long() bool { return os.Getenv("HOOKLINE_CRASH") == "long" }

// times is how often something is done.
func times(short, full int) int {
	if long() {
		return full
	}
	return short
}

// within bounds every condition that is waited for; met in milliseconds on an idle machine.
const within = 30 * time.Second

// errNotYet is the objection of a condition that has no words of its own.
var errNotYet = errors.New("not yet")

// eventually polls until ok has no objection; the last one is the error.
func eventually(limit time.Duration, ok func() error) error {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := ok()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
