//go:build unix

package wire

import (
	"io"
	"os"
	"syscall"
	"time"
)

// stdin keeps the file of [stdinUntil]: its finalizer would close the descriptor.
var stdin *os.File

// stdinUntil is stdin with reads that end at a deadline and leave what comes later in the pipe, for
// the delivery that goes on reading. A file has no such reads and needs none.
func stdinUntil(deadline time.Time) io.Reader {
	if syscall.SetNonblock(0, true) != nil {
		return os.Stdin
	}
	stdin = os.NewFile(0, "stdin")
	if stdin.SetReadDeadline(deadline) != nil {
		_ = syscall.SetNonblock(0, false)
		return os.Stdin
	}
	return bounded{stdin}
}
