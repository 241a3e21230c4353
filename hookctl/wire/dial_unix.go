//go:build unix

package wire

import (
	"io"
	"os"
	"syscall"
	"time"
)

// dial connects, and checks that the peer is of our own user. It connects by bare system calls, since net
// would cost a hook more than the whole request. Reads wait in the runtime's poller, which stdin has
// started: while a thread is blocked in a system call instead, the runtime looks after it every 20 µs,
// which is felt when many hooks wait at once.
func dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, wireError{ErrNoDaemon, "socket: " + err.Error()}
	}
	err = connect(fd, socket, until)
	switch {
	case err == ErrTimeout: // its queue is full: it is there, and hangs
	case err != nil && err != syscall.EISCONN: // connected meanwhile, by the call that a signal interrupted
		err = wireError{ErrNoDaemon, "connect " + socket + ": " + err.Error()}
	case !ownPeer(fd, socket):
		err = protocolError(socket + " belongs to another user")
	default:
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, err
	}
	f := os.NewFile(uintptr(fd), socket)
	if err := f.SetDeadline(until); err != nil {
		f.Close()
		return nil, wireError{ErrNoDaemon, "deadline: " + err.Error()}
	}
	return f, nil
}

// connect connects with the kernel's own timeout, again while signals interrupt it: a socket with a
// timeout is not restarted by the kernel, and the runtime's preemption is a signal.
func connect(fd int, socket string, until time.Time) error {
	for {
		left := time.Until(until)
		if left <= 0 {
			return ErrTimeout
		}
		tv := syscall.NsecToTimeval(int64(left + time.Microsecond)) // zero would mean for ever
		if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &tv); err != nil {
			return err
		}
		switch err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}); err {
		case syscall.EINTR:
		case syscall.EAGAIN:
			return ErrTimeout
		default:
			return err
		}
	}
}
