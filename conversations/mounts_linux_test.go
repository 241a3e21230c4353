package conversations

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hookline/expect"
)

// inNamespace marks the run of this test binary inside a mount namespace of its own.
const inNamespace = "HOOKLINE_TEST_NAMESPACE"

// TestMounts runs the conversations that need a full disk or a read-only one. Root is not held back
// by file modes, so the file systems are real: this test starts itself again in a mount namespace,
// which takes the mounts with it when its last process ends.
func TestMounts(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		expect.OK(t, syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
		runScripts(t, "mounts")
		return
	}
	if !canMount() {
		t.Skip("this machine allows no mount namespace to this user")
	}
	t.Parallel()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestMounts$", "-test.v", "-test.timeout=8m")
	cmd.Env = append(os.Environ(), inNamespace+"=1", "HOOKLINE_TEST_BIN="+binaries)
	cmd.SysProcAttr = namespace()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func canMount() bool {
	cmd := exec.Command("true")
	cmd.SysProcAttr = namespace()
	return cmd.Run() == nil
}

// namespace is a new mount namespace; without root it takes a user namespace too, in which the user is root: another
// may not mount.
func namespace() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

func cmdTmpfs(ts *testscript.TestScript, _ bool, args []string) {
	needNamespace(ts)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%s,mode=0700", args[1])))
	unmountLater(ts, dir)
}

func cmdReadonly(ts *testscript.TestScript, _ bool, args []string) {
	needNamespace(ts)
	dir := ts.MkAbs(args[0])
	ts.Check(syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
	unmountLater(ts, dir)
	ts.Check(syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
}

// unmountLater takes the mount away at the script's end, or its folder could not be removed.
func unmountLater(ts *testscript.TestScript, dir string) {
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }) // the script may have done it
}

func needNamespace(ts *testscript.TestScript) {
	if os.Getenv(inNamespace) == "" {
		ts.Fatalf("mounts belong into testdata/mounts")
	}
}

// cmdWritable takes the newest mount of a folder away.
func cmdWritable(ts *testscript.TestScript, _ bool, args []string) {
	needNamespace(ts)
	ts.Check(syscall.Unmount(ts.MkAbs(args[0]), syscall.MNT_DETACH))
}

// cmdFill writes a file "fill" until there is no space left.
func cmdFill(ts *testscript.TestScript, _ bool, args []string) {
	needNamespace(ts)
	file, err := os.Create(filepath.Join(ts.MkAbs(args[0]), "fill"))
	ts.Check(err)
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}
