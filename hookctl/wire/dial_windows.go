package wire

import (
	"io"
	"net"
	"time"
)

// Dial connects. The socket lies in the user's own profile, whose access list is the check of the peer.
func Dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	c, err := net.DialTimeout("unix", socket, time.Until(until))
	if err != nil {
		return nil, wireError{ErrNoDaemon, err.Error()}
	}
	return c, c.SetDeadline(until)
}
