//go:build unix && !linux

package wire

import (
	"os"
	"syscall"
)

// ownPeer looks at the owner of the socket's file: std has no getpeereid, and in a folder of mode
// 0700 only its owner could have put it there.
func ownPeer(_ int, socket string) bool {
	info, err := os.Lstat(socket)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
