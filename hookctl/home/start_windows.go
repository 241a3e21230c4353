package home

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"hookline/hookctl/safeopen"
)

// LockOutlives is true where the spawn lock is held as long as the daemon lives.
const LockOutlives = false

// start starts the daemon without a console. The lock cannot be handed over here: it is free again
// when the delivery ends, and a second daemon finds the first one's own lock.
func start(p Paths, log, _ *os.File) error {
	path, err := self()
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) //nolint:forbidigo // the system's own
	if err != nil {
		return err
	}
	defer null.Close()
	child, err := os.StartProcess(path, []string{path, "serve"}, &os.ProcAttr{
		Dir: p.Home, Env: environment(p, os.Environ()), Files: []*os.File{null, log, log},
		Sys: &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true},
	})
	if err != nil {
		return err
	}
	return child.Release()
}

// StartDetached is not needed here.
func (Paths) StartDetached() error { return errors.ErrUnsupported }

// LockFile takes the lock without waiting.
func LockFile(path string) (*os.File, error) {
	file, err := safeopen.Write(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		file.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return nil, ErrStarting
		}
		return nil, err
	}
	return file, nil
}

// Replace starts the newer daemon and leaves: there is no exec on this platform.
func Replace(hookd, after string) error {
	cmd := exec.Command(hookd, "serve")
	cmd.Env = append(os.Environ(), "HOOKLINE_AFTER="+after)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("hand over to %s: %w", hookd, err)
	}
	return cmd.Process.Release()
}
