package spawn

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
)

// LockOutlives says that the spawn lock is held as long as the daemon lives.
const LockOutlives = false

// start starts the daemon without a console. The lock cannot be handed over here: it is free again
// when the delivery ends, and a second daemon finds the first one's own lock.
func start(p home.Paths, log, _ *os.File) error {
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

// Again is not needed here.
func Again(home.Paths) error { return errors.ErrUnsupported }

// Lock takes the lock without waiting.
func Lock(path string) (*os.File, error) {
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
