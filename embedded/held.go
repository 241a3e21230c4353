package embedded

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"hookline/embedded/block"
)

// held is a block that stays open between the rounds of a [syncer]. The zero value holds none. It is for one goroutine.
type held struct {
	index int
	file  *os.File
	as    fs.FileInfo // of file
}

// holds says whether blocks stay open at all. On Windows nobody could replace or remove an open one.
const holds = runtime.GOOS != "windows"

// take opens the block at path and lets go of the one before.
func (h *held) take(index int, path string) error {
	if !holds {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	h.release()
	h.index, h.file, h.as = index, f, info
	return nil
}

func (h *held) release() {
	if h.file != nil {
		_ = h.file.Close() // it was only read
		h.file = nil
	}
}

// sync syncs the block at path, and holds it from then on. One that was put in its place meanwhile is synced, too.
func (h *held) sync(index int, path string) error {
	if !holds {
		return syncFile(path)
	}
	for {
		if h.file == nil || h.index != index {
			if err := h.take(index, path); err != nil {
				return err
			}
		}
		if err := h.file.Sync(); err != nil {
			return err
		}
		now, err := os.Stat(path)
		if err != nil || os.SameFile(now, h.as) {
			return err
		}
		h.release()
	}
}

// grain is above that of the times of every file system in use (FAT: 2 s).
const grain = 2 * time.Second

// after is the block that follows the i-th, or for 0 the first one; 0 for none. It need not have the next number: the server removes a block
// whose messages are all erased, the newest one too. The folder's time tells whether it must be listed.
func (s *syncer) after(i int) (int, error) {
	info, err := os.Stat(s.dir)
	if err != nil {
		return 0, err
	}
	if i > 0 && info.ModTime().Equal(s.listed) {
		return 0, nil
	}
	at := time.Now()
	names, err := block.Numbers(s.dir)
	if err != nil {
		return 0, err
	}
	if n, _ := slices.BinarySearch(names, i+1); n < len(names) {
		return names[n], nil
	}
	if s.listed = (time.Time{}); at.Sub(info.ModTime()) > grain {
		s.listed = info.ModTime()
	}
	return 0, nil
}
