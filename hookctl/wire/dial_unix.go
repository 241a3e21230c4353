//go:build unix

package wire

import (
	"io"
	"syscall"
	"time"
)

// conn is a unix socket by bare system calls with the kernel's own timeouts: the poller that net
// and os bring would cost a hook more than the whole request.
type conn struct {
	fd    int
	until time.Time
}

// dial connects, and checks that the peer is of our own user.
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
	c := conn{fd, until}
	if err = c.connect(socket); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c conn) connect(socket string) error {
	err := c.each(syscall.SO_SNDTIMEO, func() error { return syscall.Connect(c.fd, &syscall.SockaddrUnix{Name: socket}) })
	switch {
	case err == ErrTimeout: // its queue is full: it is there, and hangs
		return err
	case err != nil && err != syscall.EISCONN: // connected meanwhile, by the call that a signal interrupted
		return wireError{ErrNoDaemon, "connect " + socket + ": " + err.Error()}
	case !ownPeer(c.fd, socket):
		return protocolError(socket + " belongs to another user")
	}
	return nil
}

// each repeats call while signals interrupt it: a socket with a timeout is not restarted by the
// kernel, and the runtime's preemption is a signal.
func (c conn) each(option int, call func() error) error {
	for {
		left := time.Until(c.until)
		if left <= 0 {
			return ErrTimeout
		}
		tv := syscall.NsecToTimeval(int64(left + time.Microsecond)) // zero would mean for ever
		if err := syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, option, &tv); err != nil {
			return err
		}
		switch err := call(); err {
		case syscall.EINTR:
		case syscall.EAGAIN:
			return ErrTimeout
		default:
			return err
		}
	}
}

func (c conn) Read(p []byte) (n int, err error) {
	err = c.each(syscall.SO_RCVTIMEO, func() (err error) { n, err = syscall.Read(c.fd, p); return err })
	if err == nil && n == 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

func (c conn) Write(p []byte) (done int, err error) {
	for done < len(p) && err == nil {
		n := 0
		err = c.each(syscall.SO_SNDTIMEO, func() (err error) { n, err = syscall.Write(c.fd, p[done:]); return err })
		done += max(n, 0)
	}
	return done, err
}

func (c conn) Close() error { return syscall.Close(c.fd) }
