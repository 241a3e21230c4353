package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hookline/embedded/block"
)

// A server that loads a block while it runs and finds a record whose lengths make no sense cuts the file off there, in
// place: everything behind is gone, from the archive's link too. It says so just before, in the same goroutine. So the
// block is copied then, nothing more is appended, and the next opening puts the copy back and cuts the bad record out alone.

// cutWords begins what the server says before it cuts a block of the log, up to the block's path.
const cutWords = "Filestore [" + streamName + "] indexCacheBuf corrupt "

// aboutToCut is the path of the block that a server's line says will be cut off; "" for any other line.
func aboutToCut(line string) string {
	rest, ok := strings.CutPrefix(line, cutWords)
	_, path, found := strings.Cut(rest, " in ")
	path, _, end := strings.Cut(path, blockSuffix+": ")
	if !ok || !found || !end {
		return ""
	}
	return path + blockSuffix
}

const blockSuffix = ".blk"

func (o Options) uncutDir() string { return filepath.Join(o.Dir, "uncut") }

// keepWhole copies a block before the server cuts it off. The first copy is the whole one.
func (s *Server) keepWhole(path string) {
	s.distrust()
	to := filepath.Join(s.opts.uncutDir(), filepath.Base(path))
	err := os.MkdirAll(s.opts.uncutDir(), 0o700)
	if err == nil {
		err = copyFile(path, to)
	}
	if err == nil {
		err = errors.Join(syncFile(to), syncFile(s.opts.uncutDir()))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		_ = os.Remove(to) // half a copy is none
		s.opts.Log.Error("keep a damaged block that the server cuts off", "err", err)
	}
	broken := fmt.Errorf("%w: the server has cut off %s, which is damaged", ErrWriteStuck, filepath.Base(path))
	if st := s.appends.Load(); st != nil {
		st.stuck.CompareAndSwap(nil, &broken)
	}
}

// uncut puts back what an earlier server cut off. A copy of a block that has gone on since stays beside the log under
// another name.
func (s *Server) uncut() error {
	dir := s.opts.uncutDir()
	blocks, err := list(dir)
	if err != nil || !exists(dir) {
		return err
	}
	for _, b := range blocks {
		whole, live := filepath.Join(dir, b.Name), filepath.Join(s.opts.msgsDir(), b.Name)
		was, err := os.ReadFile(whole)
		if err != nil {
			return classify(err)
		}
		now, err := os.ReadFile(live)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return classify(err)
		}

		to := live + ".cut"
		switch {
		case bytes.HasPrefix(now, was): // it was not cut
			continue
		case bytes.HasPrefix(was, now):
			to = live
		}
		if err := errors.Join(block.DropIndex(s.opts.msgsDir()), os.Rename(whole, to), syncFile(s.opts.msgsDir())); err != nil {
			return classify(err)
		}
		s.opts.Log.Warn("a block that the server had cut off", "put_back_as", filepath.Base(to))
	}
	return classify(os.RemoveAll(dir))
}
