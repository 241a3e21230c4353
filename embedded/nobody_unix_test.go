//go:build unix

package embedded

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"hookline/expect"
)

// openToNobody is a folder that a user whom permissions bind can enter, whatever the umask.
func openToNobody(t *testing.T) string {
	t.Helper()
	base := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	temp := expect.Value(filepath.EvalSymlinks(os.TempDir()))(t)
	for d := base; len(d) > len(temp); d = filepath.Dir(d) {
		expect.OK(t, os.Chmod(d, 0o755))
	}
	for d := temp; os.Getuid() == 0; d = filepath.Dir(d) { // what is not the test's stays as it is
		if info, err := os.Stat(d); err != nil {
			t.Fatal(err)
		} else if info.Mode()&0o001 == 0 {
			t.Skip("closed to others:", d)
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return base
}

// asNobody runs the child "open" as a user whom permissions bind.
func asNobody(t *testing.T, base, dir string) (string, error) {
	t.Helper()
	exe := filepath.Join(base, "child")
	from, err := os.Open(os.Args[0])
	expect.OK(t, err)
	defer from.Close()
	to, err := os.OpenFile(exe, os.O_CREATE|os.O_WRONLY, 0o755)
	expect.OK(t, err)
	expect.Value(io.Copy(to, from))(t)
	if err := errors.Join(to.Chmod(0o755), to.Close()); err != nil { // the umask does not count
		t.Fatal(err)
	}
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), childEnv+"=open")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
