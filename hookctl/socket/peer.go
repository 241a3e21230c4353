package socket

import (
	"context"
	"errors"
	"net"
)

type peerKey struct{}

var errStranger = errors.New("this socket serves its own user only")

// PeerContext asks the kernel once per connection who is at the other end; the folder and the mode
// of the socket already keep others out.
func PeerContext(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok || ownPeer(u) {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, errStranger)
}

// CheckPeer is an error for a request of another user.
func CheckPeer(ctx context.Context) error {
	err, _ := ctx.Value(peerKey{}).(error)
	return err
}
