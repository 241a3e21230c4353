package daemon

// peerKey has the peer of a request's connection in its context.
type peerKey struct{}

// peer is the process at the other end of a connection.
type peer struct {
	stranger bool // another user
	pid      int  // 0 where the kernel does not say
}
