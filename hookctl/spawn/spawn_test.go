//go:build unix

package spawn_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/hookctl/home/hometest"
	"hookline/hookctl/spawn"
)

// The processes that [spawn.Start] starts are this test binary; they take their part before any test runs.
var _ = hometest.Act(nil)

// Many hooks at once start one daemon, outside of their own process tree and without their keys.
func TestOnce(t *testing.T) {
	p := hometest.Home(t, "answer")
	for _, name := range []string{"ANTHROPIC_API_" + "KEY", "CLAUDE_CODE_MESSAGING_" + "TOKEN", "CLAUDE_CODE_SESSION_ID", "DATABASE_URL", "HOOKLINE_X_" + "SECRET"} {
		t.Setenv(name, "canary")
	}
	t.Setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
	var wg sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		wg.Go(func() { errs[i] = spawn.Start(p, time.Now()) })
	}
	wg.Wait()
	hometest.Eventually(t, "no daemon", hometest.Listening(p))
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, spawn.ErrStarting):
			t.Error(err)
		}
	}
	if won != 1 || len(hometest.Starts(p)) != 1 {
		t.Errorf("%d started, processes %v", won, hometest.Starts(p))
	}
	if err := spawn.Start(p, time.Now()); !errors.Is(err, spawn.ErrStarting) {
		t.Errorf("beside a running daemon: %v", err)
	}
	if _, parent, _ := strings.Cut(hometest.Starts(p)[0], ":"); parent == strconv.Itoa(os.Getpid()) {
		t.Error("the daemon is our child")
	}
	env, _ := os.ReadFile(filepath.Join(p.Home, "environ"))
	lines := strings.Split(string(env), "\n")
	if strings.Contains(string(env), "canary") || !slices.Contains(lines, "CLAUDE_CONFIG_DIR=/etc/claude") || !slices.Contains(lines, "HOOKLINE_HOME="+p.Home) {
		t.Errorf("%s", env)
	}
	if spawn.Last(p) != (spawn.Attempt{}) {
		t.Errorf("%+v", spawn.Last(p))
	}
}

// A daemon that cannot start is not started again by every hook.
func TestNotAgainByEveryHook(t *testing.T) {
	p := hometest.Home(t, "die")
	now := time.Now()
	if err := spawn.Start(p, now); err != nil {
		t.Fatal(err)
	}
	hometest.Eventually(t, "no reason", func() bool { return spawn.Last(p).Reason != "" })
	hometest.Eventually(t, "lock still held", func() bool {
		err := spawn.Start(p, now.Add(900*time.Millisecond))
		return err != nil && err.Error() == "the daemon failed to start a moment ago: the store is on fire"
	})
	if err := spawn.Start(p, now.Add(1100*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	hometest.Eventually(t, "second start", func() bool { return len(hometest.Starts(p)) == 2 })
	if got := spawn.Last(p); got.Attempts != 2 {
		t.Errorf("%+v", got)
	}
}
