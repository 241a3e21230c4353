//go:build unix

package spawn

import (
	"os"
	"syscall"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
)

// LockOutlives says that the spawn lock is held as long as the daemon lives.
const LockOutlives = true

// start starts the daemon by a second process that exits at once (see [Again]): the client
// kills what is still below a hook, even in another session.
func start(p home.Paths, log, lock *os.File) error {
	return startDetached(p, environment(p, os.Environ()), log, lock, "deliver", "--spawn")
}

// Again is the second process. File 3 is the lock.
func Again(p home.Paths) error {
	return startDetached(p, os.Environ(), os.Stderr, os.NewFile(3, p.SpawnLock), "serve")
}

func startDetached(p home.Paths, env []string, log, lock *os.File, args ...string) error {
	path, err := self()
	if err != nil {
		return err
	}
	null, err := os.Open(os.DevNull) //nolint:forbidigo // the system's own
	if err != nil {
		return err
	}
	defer null.Close()
	child, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{
		Dir: p.Home, Env: env, Files: []*os.File{null, log, log, lock}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	return child.Release()
}

// Lock takes the lock without waiting. flock belongs to the open file, so a child that inherits
// it keeps the lock.
func Lock(path string) (*os.File, error) {
	file, err := safeopen.Write(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if err == syscall.EWOULDBLOCK {
			return nil, ErrStarting
		}
		return nil, err
	}
	return file, nil
}
