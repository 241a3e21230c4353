//go:build unix

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"hookline/hookctl/safeopen"
)

// keepOwner gives f the owner and group of the file it will replace. Only root may give a file
// away: for others a foreign owner is an error, rather than a file that silently changes hands.
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
		return fmt.Errorf("keep owner %d:%d: %w", was.Uid, was.Gid, err)
	}
	return nil
}

// syncFolder makes a rename survive a power failure.
func syncFolder(path string) error {
	dir, err := safeopen.OpenDir(safeopen.Foreign, path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
