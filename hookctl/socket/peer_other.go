//go:build !linux

package socket

import (
	"net"
)

// ownPeer relies on the folder (0700) and the socket (0600) where the kernel is not asked.
func ownPeer(*net.UnixConn) bool { return true }
