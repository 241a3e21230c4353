package wire

import (
	"io"
	"net"
	"time"
)

// Dial connects. The socket lies in the user's profile, whose access list replaces the check of the peer.
func Dial(socket string, until time.Time) (io.ReadWriteCloser, error) {
	conn, err := net.DialTimeout("unix", socket, time.Until(until))
	if err != nil {
		return nil, wireError{ErrNoDaemon, err.Error()}
	}
	return conn, conn.SetDeadline(until)
}
