package daemon

import (
	"context"
	"errors"
	"net"
)

type peerKey struct{}

// peer is who is at the other end of a connection.
type peer struct {
	stranger bool // another user
	pid      int  // 0 where the kernel does not tell
}

var errStranger = errors.New("this socket serves its own user only")

// peerContext asks the kernel once per connection who is at the other end; the folder and the mode
// of the socket already keep others out.
func peerContext(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, peerOf(u))
}

// checkPeer is an error for a request of another user.
func checkPeer(ctx context.Context) error {
	if p, ok := ctx.Value(peerKey{}).(peer); ok && p.stranger {
		return errStranger
	}
	return nil
}

// peerProgram is the program that sent a request, "" where it is not known: by its process where the kernel tells, else
// the absolute path that it gives itself.
func peerProgram(ctx context.Context, claimed string) string {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p.program(claimed)
}
