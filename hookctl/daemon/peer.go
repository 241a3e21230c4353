package daemon

import (
	"context"
	"errors"
	"net"
)

type peerKey struct{}

var errStranger = errors.New("this socket serves its own user only")

// peerContext asks the kernel once per connection who is at the other end; the folder and the mode
// of the socket already keep others out.
func peerContext(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok || ownPeer(u) {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, errStranger)
}

func checkPeer(ctx context.Context) error {
	err, _ := ctx.Value(peerKey{}).(error)
	return err
}
