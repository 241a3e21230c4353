//go:build unix

package home_test

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

	"hookline/expect"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
)

// The processes that [home.Paths.StartDaemon] starts are this test binary; they take their part before any test runs.
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
		wg.Go(func() { errs[i] = p.StartDaemon(time.Now()) })
	}
	wg.Wait()
	hometest.Eventually(t, "no daemon", hometest.Listening(p))
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, home.ErrStarting):
			t.Error(err)
		}
	}
	if won != 1 || len(hometest.Starts(p)) != 1 {
		t.Errorf("%d started, processes %v", won, hometest.Starts(p))
	}
	if err := p.StartDaemon(time.Now()); !errors.Is(err, home.ErrStarting) {
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
	expect.Equal(t, p.LastStart(), home.Attempt{})
}

// A daemon that cannot start is not started again by every hook.
func TestNotAgainByEveryHook(t *testing.T) {
	p := hometest.Home(t, "die")
	now := time.Now()
	expect.OK(t, p.StartDaemon(now))
	hometest.Eventually(t, "no reason", func() bool { return p.LastStart().Reason != "" })
	hometest.Eventually(t, "lock still held", func() bool {
		err := p.StartDaemon(now.Add(900 * time.Millisecond))
		return err != nil && err.Error() == "the daemon failed to start a moment ago: the store is on fire"
	})
	expect.OK(t, p.StartDaemon(now.Add(1100*time.Millisecond)))
	hometest.Eventually(t, "second start", func() bool { return len(hometest.Starts(p)) == 2 })
	if got := p.LastStart(); got.Attempts != 2 {
		t.Errorf("%+v", got)
	}
}
