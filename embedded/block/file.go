package block

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// Blocks are read whole: the server rolls them at 8 MiB, and one record may be 32 MiB. maxBlock bounds what a damaged or
// foreign file can make us allocate.
const maxBlock = 64 << 20

// buffers holds the blocks' bytes between reads; 8 MiB each, as many as are read at once.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<20); return &b }}

// withBlock calls fn with the block's bytes and its hasher. The bytes are valid during fn only. What the server appends
// meanwhile is not seen. A refusal by the system is an [ErrDenied]; that there is no such file is not.
func withBlock(path, stream string, fn func(buf []byte, sum hasher) error) error {
	hold := buffers.Get().(*[]byte)
	defer buffers.Put(hold)
	buf, err := load(path, (*hold)[:0])
	if refused := syscall.Errno(0); errors.As(err, &refused) && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	if err != nil {
		return err
	}
	if cap(buf) > cap(*hold) && cap(buf) <= 2*(8<<20) {
		*hold = buf
	}
	return fn(buf, newHasher(stream, path))
}

// load reads a regular file whole, into buf when it fits.
func load(path string, buf []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: not a regular file", filepath.Base(path))
	case st.Size() > maxBlock:
		return nil, fmt.Errorf("read %s: block file larger than 64 MiB", filepath.Base(path))
	}
	if int64(cap(buf)) < st.Size() {
		buf = make([]byte, st.Size())
	}
	n, err := io.ReadFull(f, buf[:st.Size()])
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return buf[:n], nil
}

// Replace writes a file so that after a crash either the old or the new content is there, whole and on disk. Several may
// write one path at a time. The temporary name ends as the server's own do: it never takes such a file for a block.
func Replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return Sync(filepath.Dir(path))
}

// remove removes a file durably. None to remove is no error.
func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = Sync(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(path), err)
	}
	return nil
}

// Sync brings a file, or the renames and removals in a folder, to disk. Windows has no such call for folders and needs
// none.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if runtime.GOOS == "windows" {
		if st, statErr := f.Stat(); statErr == nil && st.IsDir() {
			err = nil
		}
	}
	return errors.Join(err, f.Close())
}
