package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hookline/hookctl/safeopen"
)

var (
	// errChanged is a file that is no longer what the edit began with.
	errChanged = errors.New("file changed meanwhile")
	// errNotSynced is a file that was replaced, but perhaps not for good.
	errNotSynced = errors.New("replaced, but it may not survive a power failure")
)

// A target is the file that is really replaced: the settings file, or what it links to.
type target struct {
	path   string
	linked bool        // reached through a symbolic link
	mode   fs.FileMode // of the file, or for a new one
	info   fs.FileInfo // nil: no file yet
}

// resolve follows symbolic links. One that leads to nothing is refused.
func resolve(path string) (target, error) {
	t := target{path: path, mode: 0o600}
	link, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil && link.Mode()&fs.ModeSymlink != 0 {
		t.linked = true
		t.path, err = filepath.EvalSymlinks(path)
	}
	if err == nil {
		t.info, err = os.Stat(t.path)
	}
	switch {
	case err != nil && t.linked:
		return t, &FileError{"read", path, err, "the symbolic link leads to no file; point it to one"}
	case err != nil:
		return t, &FileError{"read", path, err, ""}
	}
	t.mode = t.info.Mode().Perm()
	return t, nil
}

// prepare makes the folder and refuses what cannot, or should not, be replaced. A rename needs
// no permission on the file itself, but one that its owner made read-only is meant to stay.
func (t target) prepare(cur content) error {
	dir := filepath.Dir(t.path)
	if !t.linked {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return &FileError{"create folder", dir, err, "check who owns the folder above it"}
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return &FileError{"create", t.path, err, "the folder that the symbolic link leads to is missing"}
	}
	if info.Mode().Perm()&0o222 == 0 {
		return &FileError{"write to folder", dir, ErrReadOnly, "make the folder writable and try again"}
	}
	if !cur.exists {
		return nil
	}
	readOnly := &FileError{"replace", t.path, ErrReadOnly, "make the file writable and try again"}
	if t.mode&0o222 == 0 {
		return readOnly
	}
	file, err := os.OpenFile(t.path, os.O_WRONLY, 0) //nolint:forbidigo // it was read a moment ago, and was a regular file
	if errors.Is(err, fs.ErrPermission) {
		readOnly.Err = fmt.Errorf("%w: %w", ErrReadOnly, err)
		return readOnly
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return &FileError{"replace", t.path, err, ""}
	}
	return nil
}

// replace puts next in the place of cur, or removes the file. It returns errChanged, with
// nothing done, if the file is no longer cur.
func (t target) replace(cur, next content, beforeRename func()) error {
	temp := ""
	if next.exists {
		var err error
		if temp, err = safeopen.Beside(t.path, next.data, t.info, t.mode); err != nil {
			return &FileError{"write beside", t.path, err, "check the permissions of the folder and the space left"}
		}
		defer func() { _ = os.Remove(temp) }() // gone already after the rename
	}
	beforeRename()
	now, err := read(t.path)
	if err != nil {
		return err
	}
	if !now.equal(cur) {
		return errChanged
	}
	if next.exists {
		err = os.Rename(temp, t.path)
	} else {
		err = os.Remove(t.path)
	}
	if err != nil {
		return &FileError{"replace", t.path, err, "check the permissions of the folder"}
	}
	if err := safeopen.SyncDir(filepath.Dir(t.path)); err != nil {
		return &FileError{"sync folder of", t.path, fmt.Errorf("%w: %w", errNotSynced, err), ""}
	}
	return nil
}
