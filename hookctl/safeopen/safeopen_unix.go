//go:build unix

package safeopen

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
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

// mayOwn reports whether a file of this kind may belong to whom it belongs to.
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

// SyncDir brings renames in a folder to disk.
func SyncDir(path string) error {
	dir, err := OpenDir(Foreign, path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// keepOwner gives f the owner and group of the file that it will replace. Only root may give a file away: for others a
// foreign owner is an error, rather than a file that silently changes its owner.
func keepOwner(f *os.File, old fs.FileInfo) error {
	have, err := f.Stat()
	if err != nil {
		return err
	}

	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := have.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || (was.Uid == is.Uid && was.Gid == is.Gid) {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
		return &fs.PathError{Op: "keep owner " + strconv.Itoa(int(was.Uid)) + ":" + strconv.Itoa(int(was.Gid)) + " of", Path: old.Name(), Err: err}
	}
	return nil
}
