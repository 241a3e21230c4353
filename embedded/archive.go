package embedded

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"hookline/embedded/block"
)

// archiveEvery is how often sealed blocks are looked for without being told.
const archiveEvery = time.Minute

// archiver hard-links the log's blocks into the archive once they are begun, and again when the server has written one
// anew without the messages that were erased: the archive must not keep those.
type archiver struct {
	srv     *Server
	checked int // sealed blocks up to this number were verified
	wake    chan struct{}
	quit    chan struct{}
	once    sync.Once
	idle    sync.WaitGroup
}

func newArchiver(srv *Server) *archiver {
	checked := 0
	if names, err := block.Numbers(srv.opts.msgsDir()); err == nil && len(names) > 1 { // the others were checked when the store was opened, or are vouched for
		checked = names[len(names)-2]
	}
	return &archiver{srv: srv, checked: checked, wake: make(chan struct{}, 1), quit: make(chan struct{})}
}

// kick says that a block may have been sealed. It does not wait.
func (a *archiver) kick() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *archiver) start() { a.idle.Go(a.run) }

func (a *archiver) run() {
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	for {
		a.round()
		select {
		case <-a.quit:
			return
		case <-a.wake:
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
	err := errors.Join(block.Archive(msgs, dir, true), block.Follow(msgs, dir), a.check()) // every time: a block that was replaced has the number it had
	damaged := errors.Is(err, block.ErrDamaged)
	if damaged {
		a.srv.distrust()
	}
	if damaged || err != nil && !errors.Is(err, fs.ErrNotExist) { // a log that is gone is others' to tell
		a.srv.opts.Log.Warn("archiving blocks", "err", err)
	}
}

// check reads the blocks that were sealed since the last time: what [block.Follow] has linked was not complete then.
func (a *archiver) check() error {
	msgs := a.srv.opts.msgsDir()
	names, err := block.Numbers(msgs)
	if err != nil {
		return err
	}
	for _, n := range names[:max(0, len(names)-1)] {
		if n <= a.checked {
			continue
		}
		a.checked = n
		err = errors.Join(err, block.Read(filepath.Join(msgs, strconv.Itoa(n)+blockSuffix), streamName, func(block.Record) error { return nil }))
	}
	return err
}

// stop ends the archiver and waits for it. It may be called more than once.
func (a *archiver) stop() {
	a.once.Do(func() { close(a.quit) })
	a.idle.Wait()
}
