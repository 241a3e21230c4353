//go:build unix

package safeopen

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from waiting, from making a terminal ours, and from going to a child.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC

const dirFlags = syscall.O_DIRECTORY | syscall.O_NONBLOCK | syscall.O_CLOEXEC

func linkFlags(kind Kind) int {
	if kind == Own {
		return syscall.O_NOFOLLOW
	}
	return 0
}

// mayOwn tells whether a file of this kind may belong to whom it belongs to.
func mayOwn(kind Kind, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch kind {
	case Own:
		return ok && int(st.Uid) == os.Geteuid()
	case User:
		return ok && (int(st.Uid) == os.Geteuid() || st.Uid == 0)
	}
	return true
}

func openToOthers(info fs.FileInfo) bool {
	return info.Mode().Perm()&0o022 != 0 && !(info.IsDir() && info.Mode()&fs.ModeSticky != 0)
}
