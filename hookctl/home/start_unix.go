//go:build unix

package home

import (
	"fmt"
	"os"
	"syscall"

	"hookline/hookctl/safeopen"
)

// LockOutlives is true where the spawn lock is held as long as the daemon lives.
const LockOutlives = true

// start starts the daemon by a second process that exits at once (see [Paths.StartDetached]): the client
// kills what is still below a hook, even in another session.
func start(p Paths, log, lock *os.File) error {
	return startDetached(p, environment(p, os.Environ()), log, lock, "deliver", "--spawn")
}

// StartDetached is the second process. File 3 is the lock.
func (p Paths) StartDetached() error {
	return startDetached(p, os.Environ(), os.Stderr, os.NewFile(3, p.SpawnLock), "serve")
}

func startDetached(p Paths, env []string, log, lock *os.File, args ...string) error {
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

// LockFile takes the lock without waiting. flock belongs to the open file, so a child that inherits
// it keeps the lock.
func LockFile(path string) (*os.File, error) {
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

// Replace makes this process the newer daemon: same pid, same stdio, same spawn lock. The store is
// closed and its lock released.
func Replace(hookd, after string) error {
	env := append(os.Environ(), "HOOKLINE_AFTER="+after)
	if err := syscall.Exec(hookd, []string{hookd, "serve"}, env); err != nil {
		return fmt.Errorf("hand over to %s: %w", hookd, err)
	}
	return nil
}
