//go:build unix

package facts

import (
	"errors"

	"golang.org/x/sys/unix"
)

// signalable asks by a null signal whether a pid is in use, by whomever.
func signalable(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
