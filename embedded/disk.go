package embedded

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"hookline/embedded/block"
)

// syncTree fsyncs every folder under root and every file that changed since the given time.
func syncTree(root string, since time.Time) error {
	since = since.Add(-2 * time.Second) // some file systems keep whole seconds
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		if !e.IsDir() {
			info, err := e.Info()
			if err != nil || info.ModTime().Before(since) || !info.Mode().IsRegular() {
				return ignoreGone(err)
			}
		}
		return ignoreGone(block.Sync(path))
	})
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Free returns what is left for us on the store's file system, and its size, in bytes.
func (s *Server) Free() (free, total int64, err error) { return FreeSpace(s.opts.Dir) }
