package block

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Blocks are read whole: the server rolls them at 8 MiB, and one record may be 32 MiB. maxBlock bounds what a damaged or
// foreign file can make us allocate.
const maxBlock = 64 << 20

// buffers holds the blocks' bytes between reads; 8 MiB each, as many as are read at once.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<20); return &b }}

// withBlock calls fn with the block's bytes and its hasher. The bytes are valid during fn only. What the server appends
// meanwhile is not seen.
func withBlock(path, stream string, fn func(buf []byte, sum hasher) error) error {
	index, err := number(filepath.Base(path))
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	hold := buffers.Get().(*[]byte)
	defer buffers.Put(hold)
	buf, err := load(path, (*hold)[:0])
	if err != nil {
		return denied(err)
	}
	if cap(buf) > cap(*hold) && cap(buf) <= 2*(8<<20) {
		*hold = buf
	}
	sum := newHasher(stream, index)
	if err := refuse(path, buf, sum); err != nil {
		return err
	}
	return fn(buf, sum)
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
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), ErrTooLarge)
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

// refuse says no to blocks whose bytes are not plain records. A record of 24145251 bytes begins like a compressed block,
// so a good record is believed first.
func refuse(path string, buf []byte, sum hasher) error {
	if len(buf) >= 4 && string(buf[:4]) == "cmp\x01" {
		if r, ok := frame(buf); !ok || !sum.good(r) {
			return fmt.Errorf("read %s: %w", filepath.Base(path), ErrCompressed)
		}
	}
	key := path[:len(path)-len(suffix)] + ".key"
	if _, err := os.Lstat(key); err == nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), ErrEncrypted)
	}
	return nil
}

// Replace writes a file so that after a crash either the old or the new content is there, whole and on disk. The
// temporary name ends as the server's own do: it never takes such a file for a block.
func Replace(path string, content []byte) error {
	f, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		_ = os.Remove(path + ".tmp")
		return err
	}
	return syncDir(filepath.Dir(path))
}

// remove removes a file durably. None to remove is no error.
func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(path), err)
	}
	return nil
}

// syncDir makes renames and removals in dir durable. Windows has no such call and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
