package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookline/embedded/block"
)

// archiveEvery is how often new blocks are looked for: a fresh look costs some system calls for each block.
const archiveEvery = 10 * time.Second

// archiver hard-links the log's blocks into the archive once they are begun, and again when the server has written one
// anew without the messages that were erased: the archive must not keep those.
type archiver struct {
	srv     *Server
	checked int // complete blocks up to this number need no look: the opening vouches for those that it found
	quit    chan struct{}
	once    sync.Once
	idle    sync.WaitGroup
}

func (a *archiver) run() {
	if names, err := block.Numbers(a.srv.opts.msgsDir()); err == nil && len(names) > 1 {
		a.checked = names[len(names)-2]
	}
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	for {
		a.round()
		select {
		case <-a.quit:
			a.round() // an exit in order leaves nothing to the next opening
			return
		case <-tick.C:
		}
	}
}

// round archives what is new, until damage was met: a block that the server has cut off must not follow into the archive.
func (a *archiver) round() {
	a.srv.archiving.Lock()
	defer a.srv.archiving.Unlock()
	if a.srv.damaged.Load() {
		return
	}
	msgs, dir := a.srv.opts.msgsDir(), a.srv.opts.archiveDir()
	err := errors.Join(block.Archive(msgs, dir, true), block.Follow(msgs, dir), a.check(msgs))
	damaged := errors.Is(err, block.ErrDamaged)
	if damaged {
		a.srv.distrust()
	}
	if damaged || ignoreGone(err) != nil { // a log that is gone is others' to tell
		a.srv.opts.Log.Warn("archiving blocks", "err", err)
	}
}

// check reads each block once after it became complete: what was linked before was not.
func (a *archiver) check(msgs string) error {
	names, err := block.Numbers(msgs)
	if err != nil {
		return err
	}
	for _, n := range names[:max(0, len(names)-1)] {
		if n > a.checked {
			a.checked = n
			err = errors.Join(err, block.Read(filepath.Join(msgs, strconv.Itoa(n)+blockSuffix), streamName, func(block.Record) error { return nil }))
		}
	}
	return err
}

// stop ends the archiver and waits for it. It may be called more than once.
func (a *archiver) stop() {
	a.once.Do(func() { close(a.quit) })
	a.idle.Wait()
}

// A server that loads a block while it runs and finds a record whose lengths make no sense cuts the file off there, in
// place: everything behind is gone, from the archive's link too. It says so just before, in the same goroutine. So the
// archive gets a copy of the block then, nothing more is appended, and the next opening takes the copy and cuts the bad
// record out alone.

// cutWords begins what the server says before it cuts a block of the log, up to the block's path.
const cutWords = "Filestore [" + streamName + "] indexCacheBuf corrupt "

// blockSuffix ends the name of a block.
const blockSuffix = ".blk"

// aboutToCut returns the path of the block that a server's line says will be cut off; "" for any other line.
func aboutToCut(line string) string {
	rest, ok := strings.CutPrefix(line, cutWords)
	_, path, found := strings.Cut(rest, " in ")
	path, _, end := strings.Cut(path, blockSuffix+": ")
	if !ok || !found || !end {
		return ""
	}
	return path + blockSuffix
}

// keepWhole puts a copy of a block that the server is about to cut off into the archive.
func (s *Server) keepWhole(path string) {
	s.archiving.Lock()
	defer s.archiving.Unlock()
	s.distrust()
	broken := fmt.Errorf("%w: the server has cut off %s, which is damaged", ErrWriteStuck, filepath.Base(path))
	if st := s.appends.Load(); st != nil {
		st.stuck.CompareAndSwap(nil, &broken)
		seq, _ := st.Last()
		_ = s.lock.note(seq) // of the newest block, which is all that else tells what it had
	}

	content, err := os.ReadFile(path)
	if err == nil {
		err = block.Replace(filepath.Join(s.opts.archiveDir(), filepath.Base(path)), content)
	}
	if err != nil {
		s.opts.Log.Error("keep a damaged block that the server cuts off", "err", err)
	}
}
