//go:build unix

package wire

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// sharedFolders returns the folders in which every user may make folders. The last one has room where all disks are
// full.
func sharedFolders() []string { return []string{"/var/tmp", "/tmp", "/dev/shm"} }

// Mark returns the device and inode of a home's folder, which tell it from a copy; "" where it is not there.
func Mark(home string) string {
	info, err := os.Stat(home)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(st.Dev), 16) + ":" + strconv.FormatUint(st.Ino, 16)
}

// private reports whether a folder is there and only this user can change it; a link to it must be the user's, too.
func private(dir string) bool {
	link, err := os.Lstat(dir)
	if err != nil || !ofThisUser(link) {
		return false
	}
	info, err := os.Stat(dir)
	if err != nil || !ofThisUser(info) {
		return false
	}
	othersWrite := info.Mode().Perm()&0o022 != 0
	return info.IsDir() && !othersWrite
}

func ofThisUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
