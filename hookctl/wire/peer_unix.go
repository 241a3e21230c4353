//go:build unix && !linux

package wire

import "os"

// peerIsThisUser looks at the owner of the socket's file: std has no getpeereid, and in a folder of mode
// 0700 only its owner could have put it there.
func peerIsThisUser(_ int, socket string) bool {
	info, err := os.Lstat(socket)
	return err == nil && ofThisUser(info)
}
