//go:build unix

package home

import (
	"io/fs"
	"os"
	"syscall"

	"hookline/hookctl/safeopen"
)

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func root() bool { return os.Geteuid() == 0 }

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// SyncDir makes renames in dir last.
func SyncDir(dir string) error {
	d, err := safeopen.OpenDir(safeopen.User, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
