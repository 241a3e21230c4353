//go:build unix

package wire

import (
	"os"
	"syscall"
)

const exe = ""

// become replaces this process by hookd.
func become(hookd string, args []string) int {
	err := syscall.Exec(hookd, append([]string{hookd}, args...), os.Environ())
	os.Stderr.WriteString("hookctl: error: exec " + hookd + ": " + err.Error() + "\n")
	return 1
}

// ownSession keeps the client from killing the delivery with the hook's process group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
