package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hookline/embedded/block"
)

// Shadow makes in dir, which must be new, a store that opens and is mended as the one of o, of which nothing
// changes by that: what a repair would do is tried there. What a server appends to is copied, sealed blocks are
// linked, since a mended one is another file; large strings are not there, see Options.Blobs. The store stays
// locked until release is called, which leaves dir to the caller.
func Shadow(o Options, dir string) (release func() error, err error) {
	o = o.withDefaults()
	l, err := takeLock(o.Lock, o.Holder)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", o.Dir, err)
	}
	if err := shadow(o, dir); err != nil {
		return nil, errors.Join(fmt.Errorf("look at %s: %w", o.Dir, classify(err)), l.release())
	}
	return l.release, nil
}

func shadow(o Options, dir string) error {
	blocks, err := list(o.msgsDir())
	if err != nil {
		return err
	}
	// First of all: where nothing but the marker is left, a missing folder would look like a missing marker.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sealed := map[string]bool{}
	for _, b := range blocks[:max(0, len(blocks)-1)] {
		sealed[filepath.Join(o.msgsDir(), b.Name)] = true
	}
	for _, part := range []string{o.jetstreamDir(), o.archiveDir(), o.uncutDir()} {
		err := filepath.WalkDir(part, func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || e.Type()&^fs.ModeDir != 0 { // links and devices are not the server's
				return err
			}
			rel, err := filepath.Rel(o.Dir, path)
			if err != nil {
				return err
			}
			to := filepath.Join(dir, rel)
			switch {
			case e.IsDir():
				return os.MkdirAll(to, 0o700)
			case sealed[path] && os.Link(path, to) == nil, part == o.archiveDir() && os.Link(path, to) == nil:
				return nil
			}
			return copyFile(path, to)
		})
		if err != nil {
			return err
		}
	}
	for _, name := range []string{block.MarkerFile, foundFile} {
		if err := copyFile(filepath.Join(o.Dir, name), filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyTree copies files and folders, for us alone.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&^fs.ModeDir != 0 {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
