//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/hookctl/wire"
	"hookline/replay/check"
)

// build makes programs in dir.
func build(t *testing.T, dir string, packages ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-buildvcs=false", "-o", dir + string(filepath.Separator)}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// serve runs a daemon in the test's environment until stop, which gives its pid.
func serve(t *testing.T, hookd string) (stop func() int) {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(hookd, "serve")
	cmd.Stderr = &log
	noError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // for a test that fails before stop
	for deadline := time.Now().Add(30 * time.Second); !wire.Serves(wire.Socket(os.Getenv), "", time.Now().Add(time.Second)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the daemon did not start")
		}
	}
	return func() int {
		t.Helper()
		noError(t, cmd.Process.Signal(syscall.SIGTERM))
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the daemon ended: %v\n%s", err, &log)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the daemon did not end")
		}
		return cmd.Process.Pid
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

func verified(t *testing.T, bin string) check.Verdict {
	t.Helper()
	var v check.Verdict
	noError(t, json.Unmarshal([]byte(process(t, bin, 0, "verify", "--json")), &v))
	if !v.Clean || len(v.Diffs) != 0 || v.Holes != 0 {
		t.Errorf("%+v", v)
	}
	return v
}
