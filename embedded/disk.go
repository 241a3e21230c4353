package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// syncFile fsyncs a file or folder by its name.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncTree fsyncs every folder under root and every file that changed since the given time.
func syncTree(root string, since time.Time) error {
	since = since.Add(-2 * time.Second) // some file systems keep whole seconds
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !e.IsDir() {
			info, err := e.Info()
			if err != nil || info.ModTime().Before(since) || !info.Mode().IsRegular() {
				return ignoreGone(err)
			}
		}
		return ignoreGone(syncFile(path))
	})
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeDurably writes a file that is there whole or not at all, and on disk when it returns.
func writeDurably(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := makeDir(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".tmp-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFile(dir)
}

// makeDir makes a folder and those above it, and brings their names to disk.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	up := filepath.Dir(dir)
	if err := makeDir(up); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFile(up)
}

// Free is what is left for us on the store's file system, and its size, in bytes.
func (s *Server) Free() (free, total int64, err error) { return FreeSpace(s.opts.Dir) }
