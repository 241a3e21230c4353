//go:build linux

package crash

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// inNamespace runs the calling test in a copy of this process with a mount namespace of its own: what
// it mounts nobody else sees, and all of it is gone when the copy ends, however it ends. It returns true
// in the copy; the original gets the copy's outcome and false.
func inNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			cannot(t, "mounts cannot be made private: %v", err)
		}
		return true
	}
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.count=1", "-test.timeout=2h")
	cmd.Env = append(os.Environ(), insideVar+"="+t.Name(), binariesVar+"="+binaries)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		id := func(n int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: 0, HostID: n, Size: 1}}
		}
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = id(os.Getuid()), id(os.Getgid())
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		cannot(t, "this machine gives no mount namespace: %v", err)
	case err != nil:
		t.Errorf("in its mount namespace:\n%s", out.String())
	case strings.Contains(out.String(), "--- SKIP"):
		t.Skipf("in its mount namespace:\n%s", out.String())
	default:
		t.Logf("in its mount namespace:\n%s", out.String())
	}
	return false
}

// cannot skips with words; under CI as root everything must be there, so it fails.
func cannot(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" && os.Geteuid() == 0 {
		t.Fatalf(format, args...)
	}
	t.Skipf("skipped: "+format, args...)
}
