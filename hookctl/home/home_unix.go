//go:build unix

package home

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func root() bool { return os.Geteuid() == 0 }

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
