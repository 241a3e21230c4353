// Package safeopen opens files that another user may have put where we look. What is opened is a regular file, by its
// descriptor; a pipe, a device or a terminal under its name is refused without being opened, so that nothing blocks and
// nothing is taken out of it. [Own], [User] and [Foreign] say whose file it must be, and whether a link may lead to it.
//
// A file system that does not answer (a network that is gone, a FUSE program that hangs) is not guarded against.
package safeopen

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Kind says who may have made a file.
type Kind int

// The kinds of files.
const (
	// Own is a file of our state: made by this user, and no link.
	Own Kind = iota
	// User is a file that the user or the administrator wrote: the target of a link must belong to one of them.
	User
	// Foreign is a file of a repository or of another program: anybody's, reached through links or not.
	Foreign
)

// Why a file is refused; all of them come in a [fs.PathError], which has the path.
var (
	ErrRefused = errors.New("refused")
	errKind    = refusal("is no regular file")
	errLink    = refusal("is a link")
	errOwner   = refusal("belongs to another user")
	errOpen    = refusal("can be changed by others")
)

// refusal is an [ErrRefused] in words.
type refusal string

func (r refusal) Error() string { return string(r) }

func (r refusal) Is(target error) bool { return target == ErrRefused }

// readWithin bounds the read of a file that looks regular and empty and waits for content, as some below /proc do.
const readWithin = time.Second

// Open opens a regular file for reading. A read of an empty one that waits for content fails after a second.
func Open(kind Kind, path string) (*os.File, error) {
	return open(kind, path, os.O_RDONLY, 0)
}

// Write opens a file of ours with the flags of [os.OpenFile] and makes it with mode 0600 where they say so. A file that
// is not ours is left as it is: O_TRUNC is done after the checks.
func Write(path string, flag int) (*os.File, error) {
	file, err := open(Own, path, flag&^os.O_TRUNC, 0o600)
	if err != nil || flag&os.O_TRUNC == 0 {
		return file, err
	}
	if err := file.Truncate(0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// WriteFile replaces the content of a file of ours; it does not sync.
func WriteFile(path string, data []byte) error {
	file, err := Write(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// Replace writes a file of ours by a rename: a reader meanwhile has the old content or the new one. It does not sync.
func Replace(path string, data []byte) error {
	temp := path + "." + strconv.Itoa(os.Getpid()) + ".tmp"
	err := WriteFile(temp, data)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // on a full disk each call would leave one
	}
	return err
}

// Beside writes data into a hidden file in the folder of path, complete and on disk, and returns its name; a rename puts it
// in the place of the file there. It gets the mode and the owner of that file, old; where there is none (nil), mode.
func Beside(path string, data []byte, old fs.FileInfo, mode fs.FileMode) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".hookline-*")
	if err != nil {
		return "", err
	}

	_, err = f.Write(data)
	if err == nil && old != nil { // before the mode: a change of owner drops bits of it
		mode = old.Mode().Perm()
		err = keepOwner(f, old)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one that matters
		return "", err
	}
	return f.Name(), nil
}

// ReadFile reads a file of at most that many bytes; a larger one is refused.
func ReadFile(kind Kind, path string, most int64) ([]byte, error) {
	file, err := Open(kind, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, refused(path, refusal("larger than "+strconv.FormatInt(most, 10)+" bytes"))
	}
	return data, nil
}

// OpenDir opens a folder for its names. One of our own is no link, and no other user's.
func OpenDir(kind Kind, path string) (*os.File, error) {
	dir, err := os.OpenFile(path, os.O_RDONLY|dirFlags|linkFlags(kind), 0)
	if err != nil {
		return nil, err
	}
	info, err := dir.Stat()
	if err == nil && !mayOwn(kind, info) {
		err = refused(path, errOwner)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// ReadDir returns the names in a folder, at most that many (-1: all), in no order.
func ReadDir(kind Kind, path string, most int) ([]string, error) {
	dir, err := OpenDir(kind, path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(most)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return names, err
}

// CheckProgram returns an error for a program that is not to be run: it and every folder above it must belong to the user or
// to root, and be writable by no other. A folder like /tmp, where everybody can only change what is theirs, is none of
// others. The path has no links.
func CheckProgram(path string) error {
	info, err := os.Lstat(path)
	if err == nil {
		err = check(User, path, info)
	}
	if err != nil {
		return err
	}
	for {
		if openToOthers(info) {
			return refused(path, errOpen)
		}
		up := filepath.Dir(path)
		if up == path {
			return nil
		}
		path = up
		if info, err = os.Lstat(path); err != nil {
			return err
		}
		if !info.IsDir() || !mayOwn(User, info) {
			return refused(path, errOwner)
		}
	}
}

// open looks at a file before it opens it, since opening a device does something, and again at what was opened.
func open(kind Kind, path string, flag int, mode os.FileMode) (*os.File, error) {
	look := os.Stat
	if kind == Own {
		look = os.Lstat
	}
	info, err := look(path)
	switch {
	case err == nil:
		err = check(kind, path, info)
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		err = nil
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, flag|openFlags|linkFlags(kind), mode)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(kind, path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if info.Size() == 0 { // as those below /proc say, while a file of FUSE that takes a deadline may be long
		_ = file.SetReadDeadline(time.Now().Add(readWithin)) // most files take none, and do not wait
	}
	return file, nil
}

// check returns nil for a file that may be opened.
func check(kind Kind, path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return refused(path, syscall.EISDIR)
	case info.Mode()&fs.ModeSymlink != 0:
		return refused(path, errLink)
	case !info.Mode().IsRegular():
		return refused(path, errKind)
	case !mayOwn(kind, info):
		return refused(path, errOwner)
	}
	return nil
}

func refused(path string, why error) error {
	return &fs.PathError{Op: "open", Path: path, Err: why}
}
