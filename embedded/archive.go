package embedded

import (
	"errors"
	"io/fs"
	"log/slog"
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
	log       *slog.Logger
	damaged   func()                           // called when a sealed block turns out to be damaged
	archived  func(quit <-chan struct{}) error // called when the sealed blocks are archived; ends early with quit
	wake      chan struct{}
	quit      chan struct{}
	once      sync.Once
	idle      sync.WaitGroup
}

func newArchiver(msgs, dir string, log *slog.Logger, damaged func(), archived func(quit <-chan struct{}) error) *archiver {
	return &archiver{msgs: msgs, dir: dir, log: log, damaged: damaged, archived: archived, wake: make(chan struct{}, 1), quit: make(chan struct{})}
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
	for first := true; ; first = false {
		linked, err := block.Archive(a.msgs, a.dir, true) // every time: a block that was replaced has the number it had
		begun, followErr := block.Follow(a.msgs, a.dir)
		if err = errors.Join(err, followErr); len(linked) > 0 || begun || first {
			err = errors.Join(err, a.archived(a.quit))
		}
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

// stop ends the archiver and waits for it. It may be called more than once.
func (a *archiver) stop() {
	a.once.Do(func() { close(a.quit) })
	a.idle.Wait()
}
