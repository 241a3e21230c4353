//go:build linux

package crash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"hookline/expect"
)

// inNamespace runs the calling test in a copy of this process with a mount namespace of its own: what
// it mounts nobody else sees, and all of it is gone when the copy ends, however it ends. It returns true
// in the copy; the original gets the copy's outcome and false. needRoot says that a user namespace does
// not do: block devices cannot be mounted in one.
func inNamespace(t *testing.T, needRoot bool) bool {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		private(t)
		return true
	}
	if needRoot && os.Geteuid() != 0 {
		t.Skip("skipped without root: a block device cannot be mounted")
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

// private keeps what is mounted from now on from the namespace that this one was copied from.
func private(t *testing.T) {
	t.Helper()
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		cannot(t, "mounts cannot be made private: %v", err)
	}
}

// device is an ext4 on a file of its own, mounted through a loop device.
type device struct{ image, at string }

// newDevice makes and mounts one of 256 MiB; only what is used takes space.
func newDevice(t *testing.T) *device {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "hld"))(t)
	d := &device{image: filepath.Join(dir, "image"), at: filepath.Join(dir, "disk")}
	t.Cleanup(func() {
		_ = syscall.Unmount(d.at, syscall.MNT_DETACH) // it may not be mounted at the moment
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	expect.OK(t, os.Mkdir(d.at, 0o700))
	d.format(t)
	return d
}

// format makes a new file system in the place of the old one, and mounts it. Errors of the file system
// make it read-only, as distributions set it.
func (d *device) format(t *testing.T) {
	t.Helper()
	expect.OK(t, d.unmount())
	_ = os.Remove(d.image) // there is none at first
	file, err := os.Create(d.image)
	if err == nil {
		err = errors.Join(file.Truncate(256<<20), file.Close())
	}
	expect.OK(t, err)
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-e", "remount-ro", d.image).CombinedOutput(); err != nil {
		cannot(t, "mkfs.ext4: %v %s", err, out)
	}
	d.mount(t)
}

// mount lets the file system recover from its journal, as the kernel does after a power cut.
func (d *device) mount(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.at).CombinedOutput(); err != nil {
		cannot(t, "mount -o loop: %v %s", err, out)
	}
}

// unmount takes it away; no process may have files in it. What the kernel still does with it for a moment
// is waited for, and nothing mounted is no error.
func (d *device) unmount() error {
	return eventually(within, func() error {
		if err := syscall.Unmount(d.at, 0); !errors.Is(err, syscall.EINVAL) {
			return err
		}
		return nil
	})
}

// Of <linux/fs.h> of ext4, XFS and others: shut the file system down at once, without its log.
const (
	iocShutdown     = 0x8004587d // _IOR('X', 125, __u32)
	goingNoLogFlush = 2
)

// cut shuts the file system down as a power cut does: what was not written to the device by now never
// will be, not even the journal in memory. Every call on it fails with EIO from here on.
func (d *device) cut() error {
	dir, err := os.Open(d.at)
	if err != nil {
		return err
	}
	defer dir.Close()
	how := uint32(goingNoLogFlush)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, dir.Fd(), iocShutdown, uintptr(unsafe.Pointer(&how))); errno != 0 {
		return fmt.Errorf("shut %s down: %w", d.at, errno)
	}
	return nil
}

// turnReadOnly reports an error of the file system to itself, as a bad block in its metadata would: it turns
// read-only under whoever has it open.
func (d *device) turnReadOnly() error {
	out, err := exec.Command("findmnt", "-n", "-o", "SOURCE", d.at).Output()
	if err != nil {
		return fmt.Errorf("findmnt: %w", err)
	}
	name := filepath.Base(strings.TrimSpace(string(out)))
	return os.WriteFile(filepath.Join("/sys/fs/ext4", name, "trigger_fs_error"), []byte("broken by a test\n"), 0)
}

// repair is what an administrator does with a file system that has turned read-only.
func (d *device) repair(t *testing.T) {
	t.Helper()
	expect.OK(t, d.unmount())
	out, err := exec.Command("e2fsck", "-f", "-y", d.image).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // errors were corrected
		err = nil
	}
	if err != nil {
		t.Fatalf("e2fsck: %v\n%s", err, out)
	}
	d.mount(t)
}
