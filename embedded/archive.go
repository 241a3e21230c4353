package embedded

import (
	"errors"
	"io/fs"
	"log/slog"
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
	msgs, dir string
	checked   int // sealed blocks up to this number were verified
	log       *slog.Logger
	damaged   func() // called when a sealed block turns out to be damaged
	wake      chan struct{}
	quit      chan struct{}
	once      sync.Once
	idle      sync.WaitGroup
}

func newArchiver(msgs, dir string, log *slog.Logger, damaged func()) *archiver {
	checked := 0
	if names, err := block.Numbers(msgs); err == nil && len(names) > 1 { // the others were checked when the store was opened, or are vouched for
		checked = names[len(names)-2]
	}
	return &archiver{msgs: msgs, dir: dir, checked: checked, log: log, damaged: damaged, wake: make(chan struct{}, 1), quit: make(chan struct{})}
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
		_, err := block.Archive(a.msgs, a.dir, true) // every time: a block that was replaced has the number it had
		_, followErr := block.Follow(a.msgs, a.dir)
		err = errors.Join(err, followErr, a.check())
		damaged := errors.Is(err, block.ErrDamaged)
		if damaged {
			a.damaged()
		}
		if damaged || err != nil && !errors.Is(err, fs.ErrNotExist) { // a log that is gone is others' to tell
			a.log.Warn("archiving blocks", "err", err)
		}
		select {
		case <-a.quit:
			return
		case <-a.wake:
		case <-tick.C:
		}
	}
}

// check reads the blocks that were sealed since the last time: what [block.Follow] has linked was not complete then.
func (a *archiver) check() error {
	names, err := block.Numbers(a.msgs)
	if err != nil {
		return err
	}
	for _, n := range names[:max(0, len(names)-1)] {
		if n <= a.checked {
			continue
		}
		a.checked = n
		err = errors.Join(err, block.Read(filepath.Join(a.msgs, strconv.Itoa(n)+blockSuffix), streamName, func(block.Record) error { return nil }))
	}
	return err
}

// stop ends the archiver and waits for it. It may be called more than once.
func (a *archiver) stop() {
	a.once.Do(func() { close(a.quit) })
	a.idle.Wait()
}
