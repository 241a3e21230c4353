package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"hookline/embedded/block"
)

// syncer is the shared fsync. The server has written an append before it acknowledges it, so a
// caller that was acknowledged only needs an fsync that begins later; everybody who comes while
// one is running shares the next. Files are fsynced through descriptors of our own, which syncs the
// file all the same, and so does not know the server's insides but the names "<n>.blk". The newest
// block stays open: Linux tells a failed write to every descriptor that was open then, but to none
// that is opened after somebody, as the server's own fsync, was told.
type syncer struct {
	dir  string
	roll func() // called when a block was seen that is new, until it has content; must not wait

	refused func(error) // called once, when an fsync failed, before anybody is told

	toDisk func(index int, path string) error // syncs a block: held.sync

	mu      sync.Mutex
	durable uint64 // everything up to this sequence is on disk
	current *round // the round under way, nil between rounds
	next    *round // the round that has not begun, nil when nobody waits
	running bool
	stopped bool
	failed  error // sticky: after a failed fsync the kernel may have dropped the pages
	idle    sync.WaitGroup

	// Only touched by a round.
	newest int       // index of the newest block at the last round
	told   bool      // roll was called for it since it has content
	held   held      // the newest block
	listed time.Time // the folder's time, when nothing can have come into it since it was listed; else zero
}

type round struct {
	upto uint64
	done chan struct{}
	err  error
}

func newSyncer(dir string, durable uint64, roll func(), refused func(error)) *syncer {
	s := &syncer{dir: dir, roll: roll, refused: refused, durable: durable}
	s.toDisk = s.held.sync
	return s
}

// begin starts to bring everything up to seq to disk, without waiting for it. When it starts the loop
// it lets it run at once: the disk is slow, and what the caller does next goes on beside it. Else the
// scheduler would keep the loop until the caller has to wait.
func (s *syncer) begin(seq uint64) {
	s.mu.Lock()
	idle := !s.running
	if seq > s.durable && s.failed == nil && !s.stopped {
		s.join(seq)
	}
	started := idle && s.running
	s.mu.Unlock()
	if started {
		runtime.Gosched()
	}
}

// wait returns when everything up to seq is on disk. The caller must have been acknowledged.
func (s *syncer) wait(ctx context.Context, seq uint64) error {
	s.mu.Lock()
	switch {
	case seq <= s.durable:
		s.mu.Unlock()
		return nil
	case s.failed != nil:
		s.mu.Unlock()
		return s.failed
	case s.stopped && (s.current == nil || seq > s.current.upto):
		s.mu.Unlock()
		return ErrClosed
	}
	r := s.join(seq)
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join gives the round that brings seq to disk: the one under way when it began after seq was
// written, which its upto tells, else the next. It starts the loop when that is not running. s.mu
// is held.
func (s *syncer) join(seq uint64) *round {
	if s.current != nil && seq <= s.current.upto {
		return s.current
	}
	if s.next == nil {
		s.next = &round{done: make(chan struct{})}
	}
	s.next.upto = max(s.next.upto, seq)
	if !s.running {
		s.running = true
		s.idle.Add(1)
		go s.run()
	}
	return s.next
}

// run does rounds until no append waits.
func (s *syncer) run() {
	defer s.idle.Done()
	for {
		r := s.take()
		if r == nil {
			return
		}
		s.finish(r)
	}
}

// finish does one round and tells its waiters. A round that was queued when an earlier one failed fails with it and
// syncs nothing: the kernel has dropped the pages that it refused, so another fsync would succeed.
func (s *syncer) finish(r *round) {
	r.err = s.err()
	if r.err == nil {
		r.err = s.flush()
		if r.err != nil {
			s.refused(r.err)
		}
	}

	s.mu.Lock()
	s.current = nil
	s.failed = r.err
	if r.err == nil {
		s.durable = max(s.durable, r.upto)
	}
	s.mu.Unlock()
	close(r.done)
}

// take makes the next round the current one; nil ends the loop.
func (s *syncer) take() *round {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.next = s.next, nil
	s.running = s.current != nil
	return s.current
}

// flush syncs every block that can have been written since the last flush: the one that was newest
// then, and all that came after it. The directory is synced when there are such. What follows a block is
// looked for before the block is synced: the server goes on writing meanwhile, and only a block that had a
// follower by then is complete. One that got its follower later is synced again by the next round.
func (s *syncer) flush() error {
	for i := s.newest; ; {
		next, err := s.after(i)
		if err != nil {
			return s.stuck(err)
		}
		if i > 0 {
			err = s.toDisk(i, s.block(i))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == s.newest: // the log was rebuilt: every block is synced
			s.newest, next = 0, 0
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return s.stuck(err)
		case next == 0 && i == 0:
			return nil
		case next == 0:
			return s.advance(i)
		}
		i = next
	}
}

// adopt takes the newest block of a log that is on disk as the one to go on from.
func (s *syncer) adopt() error {
	names, err := block.Numbers(s.dir)
	if err != nil || len(names) == 0 {
		return err
	}
	s.newest = names[len(names)-1]
	return s.held.take(s.newest, s.block(s.newest))
}

func (s *syncer) advance(newest int) error {
	if newest != s.newest {
		if err := syncFile(s.dir); err != nil {
			return s.stuck(err)
		}
		s.newest, s.told = newest, false
	}
	if !s.told { // the server makes a block before it has anything to put into it, and an empty one is not archived
		info, err := os.Stat(s.block(newest))
		s.told = err == nil && info.Size() > 0
		s.roll()
	}
	return nil
}

func (s *syncer) stuck(err error) error {
	return fmt.Errorf("%w: fsync of the log: %w", ErrWriteStuck, classify(err))
}

func (s *syncer) block(n int) string { return filepath.Join(s.dir, strconv.Itoa(n)+".blk") }

// onDisk is the newest sequence that is on disk for sure.
func (s *syncer) onDisk() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.durable
}

// err is the sticky failure, or nil.
func (s *syncer) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// stop refuses new waiters and waits for the rounds under way.
func (s *syncer) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.idle.Wait()
	s.held.release()
}
