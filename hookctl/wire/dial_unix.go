//go:build unix

package wire

import (
	"io"
	"os"
	"syscall"
	"time"
)

// Dial connects, and checks that the peer is of our own user; the error is [ErrNoDaemon], [ErrProtocol] for another user, or
// [ErrTimeout] where the daemon's queue is full, since it hangs. It connects by bare system calls, since net would cost a hook
// more than the whole request. Reads wait in the runtime's poller, which stdin has started: while a thread is blocked in a
// system call instead, the runtime looks after it every 20 µs, which is felt when many hooks wait at once.
func Dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, wireError{ErrNoDaemon, "socket: " + err.Error()}
	}

	err = syscall.SetNonblock(fd, true)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	}
	switch {
	case err == syscall.EAGAIN:
		err = ErrTimeout
	case err != nil:
		err = wireError{ErrNoDaemon, "connect " + socket + ": " + err.Error()}
	case !ownPeer(fd, socket):
		err = protocolError(socket + " belongs to another user")
	}
	if err != nil {
		syscall.Close(fd)
		return nil, err
	}
	f := os.NewFile(uintptr(fd), socket)
	return f, f.SetDeadline(until)
}
