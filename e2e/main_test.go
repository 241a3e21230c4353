package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"hookline/hookctl/home/hometest"
)

func TestMain(m *testing.M) {
	if code, ok := Role(os.Args[1:]); ok {
		os.Exit(code)
	}
	hometest.ShortTemp()
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// What HOOKLINE_E2E asks for: everything, or the client with the logger alone, which tells a change of the client from
// a fault of the recorder.
const (
	modeAll    = "1"
	modeClient = "client"
)

// realClient returns the path of the client, or skips: without HOOKLINE_E2E always, and where the machine lacks
// something unless this is CI, which must not pass by skipping.
func realClient(t *testing.T) string {
	t.Helper()
	if mode := os.Getenv("HOOKLINE_E2E"); mode != modeAll && mode != modeClient {
		t.Skip("set HOOKLINE_E2E=1 to run the real client (e2e/README.md)")
	}
	if err := Namespaces(); err != nil {
		lacking(t, err)
	}
	client, err := Client(t.Context())
	if err != nil {
		lacking(t, err)
	}
	return client
}

func needTmux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		lacking(t, err)
	}
}

func lacking(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("this machine lacks what the end-to-end tests need: %v", err)
	}
	t.Skipf("this machine lacks what the end-to-end tests need: %v", err)
}

var built struct {
	once sync.Once
	dir  string
	err  error
}

// binaries builds hookctl, hookd and replay, once for all scenarios, into one folder; HOOKLINE_E2E_BIN names a folder
// with built ones, such as a release's.
func binaries(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("HOOKLINE_E2E_BIN"); dir != "" {
		return dir
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "e2e-bin"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", built.dir+string(filepath.Separator),
			"./hookctl", "./hookctl/hookd", "./hookctl/hookfind", "./replay")
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

const (
	roleInside = "e2e-inside"
	roleLogger = "e2e-hooklog"
)

// Role does the work of a process that Run or the client started and returns its exit code. It reports false when args
// (os.Args without the program) name no role; then the caller goes on as usual.
func Role(args []string) (code int, ok bool) {
	if len(args) != 2 {
		return 0, false
	}
	switch args[0] {
	case roleInside:
		return report(inside(args[1])), true
	case roleLogger:
		// A logger that fails must not look to the client like a hook that objects: 1 is the harmless code.
		return report(appendCall(args[1], os.Stdin)), true
	}
	return 0, false
}

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}
