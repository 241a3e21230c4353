//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// build makes programs in dir.
func build(t *testing.T, dir string, packages ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-buildvcs=false", "-o", dir + string(filepath.Separator)}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// serve runs a daemon in the test's environment until the test's end.
func serve(t *testing.T, hookd string) {
	t.Helper()
	cmd := exec.Command(hookd, "serve")
	expect.OK(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	})
	for deadline := time.Now().Add(30 * time.Second); !wire.Serves(wire.Socket(os.Getenv), "", time.Now().Add(time.Second)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the daemon did not start")
		}
	}
}

// process runs the built replay, wants this exit code, and gives its stdout.
func process(t *testing.T, bin string, exit int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, "replay"), args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code tells
	if got := cmd.ProcessState.ExitCode(); got != exit {
		t.Fatalf("replay %s: exit %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), got, exit, &out, &errs)
	}
	return out.String()
}
