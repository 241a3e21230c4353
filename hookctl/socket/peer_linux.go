package socket

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

func ownPeer(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		own = err == nil && (int(cred.Uid) == os.Geteuid() || cred.Uid == 0)
	})
	return err == nil && own
}
