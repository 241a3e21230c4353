package wire

import (
	"os"
	"syscall"
)

// peerIsThisUser asks the kernel which user listens.
func peerIsThisUser(fd int, _ string) bool {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	return err == nil && int(cred.Uid) == os.Geteuid()
}
