//go:build unix

package wire

import (
	"io"
	"os"
	"syscall"
	"time"
)

// Dial connects, and checks that the peer is of this user. The error is [ErrNoDaemon], [ErrProtocol] for another
// user, or [ErrTimeout] where the daemon's queue is full, since it hangs.
//
// It connects by bare system calls, since net would cost a hook more than the whole request. Reads wait in the
// runtime's poller, which stdin has started: while a thread is blocked in a system call instead, the runtime looks
// after it every 20 µs, which is felt when many hooks wait at once.
func Dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	fd, err := newSocket()
	if err != nil {
		return nil, wireError{ErrNoDaemon, "socket: " + err.Error()}
	}
	if err := connect(fd, socket); err != nil {
		syscall.Close(fd)
		return nil, err
	}

	f := os.NewFile(uintptr(fd), socket)
	return f, f.SetDeadline(until)
}

// newSocket returns a unix socket that children do not inherit.
func newSocket() (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

// connect connects without waiting and checks the peer.
func connect(fd int, socket string) error {
	err := syscall.SetNonblock(fd, true)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	}
	if err == syscall.EAGAIN {
		return ErrTimeout
	}
	if err != nil {
		return wireError{ErrNoDaemon, "connect " + socket + ": " + err.Error()}
	}

	if !peerIsThisUser(fd, socket) {
		return protocolError(socket + " belongs to another user")
	}
	return nil
}
