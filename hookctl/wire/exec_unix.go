//go:build unix

package wire

import (
	"os"
	"syscall"
	"time"
)

const exe = ""

// Become replaces this process by another program.
func Become(program string, args []string) int {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	os.Stderr.WriteString("hookctl: error: exec " + program + ": " + err.Error() + "\n")
	return 1
}

// detached starts the delivery in a new session, so that the client does not kill it with the hook's process group.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// stdinFile keeps the file of [stdin]: its finalizer would close the descriptor.
var stdinFile *os.File

// stdin returns the process's stdin with reads that can end at a deadline. A regular file has no such reads
// and needs none.
func stdin() *os.File {
	if syscall.SetNonblock(0, true) != nil {
		return os.Stdin
	}

	stdinFile = os.NewFile(0, "stdin")
	if stdinFile.SetReadDeadline(time.Time{}) != nil {
		_ = syscall.SetNonblock(0, false)
		return os.Stdin
	}
	return stdinFile
}
