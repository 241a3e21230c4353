package wire

import (
	"os"
	"syscall"
)

// ownPeer asks the kernel who listens.
func ownPeer(fd int, _ string) bool {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	return err == nil && int(cred.Uid) == os.Geteuid()
}
