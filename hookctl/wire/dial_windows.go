package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// conn gives a net.Conn the package's errors.
type conn struct{ net.Conn }

// dial connects. The socket lies in the user's own profile, whose access list is the check of the peer.
func dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	c, err := net.DialTimeout("unix", socket, time.Until(until))
	if err != nil {
		return nil, wireError{ErrNoDaemon, err.Error()}
	}
	return conn{c}, c.SetDeadline(until)
}

func (c conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, typed(err)
}

func (c conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, typed(err)
}

func typed(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrTimeout
	}
	return err
}
