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

	"hookline/embedded/block"
)

// syncer is the shared fsync. The server has written an append before it acknowledges it, so a
// caller that was acknowledged only needs an fsync that begins later; everybody who comes while
// one is running shares the next. Files are fsynced through descriptors of our own, which syncs the
// file all the same, and so does not know the server's insides but the names "<n>.blk", which it counts up.
type syncer struct {
	dir string

	refused func(error) // called once, when an fsync failed, before anybody is told

	toDisk func(index int) error // syncs a block: syncer.held

	mu      sync.Mutex
	durable uint64 // everything up to this sequence is on disk
	current *round // the round under way, nil between rounds
	next    *round // the round that has not begun, nil when nobody waits
	running bool
	stopped bool
	failed  error // sticky: after a failed fsync the kernel may have dropped the pages
	idle    sync.WaitGroup

	// Only touched by a round.
	newest int      // index of the newest block at the last round
	file   *os.File // the newest block, open
	index  int      // of file
}

type round struct {
	upto uint64
	done chan struct{}
	err  error
}

func newSyncer(dir string, durable uint64, refused func(error)) *syncer {
	s := &syncer{dir: dir, refused: refused, durable: durable}
	s.toDisk = s.held
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
		s.idle.Go(s.run)
	}
	return s.next
}

// run does rounds until no append waits. A round that was queued when an earlier one failed fails with it and
// syncs nothing: the kernel has dropped the pages that it refused, so another fsync would succeed.
func (s *syncer) run() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next != nil {
		r, err := s.next, s.failed
		s.current, s.next = r, nil
		s.mu.Unlock()

		if err == nil {
			if err = s.flush(); err != nil {
				err = fmt.Errorf("%w: fsync of the log: %w", ErrWriteStuck, classify(err))
				s.refused(err)
			}
		}

		s.mu.Lock()
		s.current, s.failed, r.err = nil, err, err
		if err == nil {
			s.durable = max(s.durable, r.upto)
		}
		close(r.done)
	}
	s.running = false
}

// flush syncs every block that can have been written since the last flush: the one that was newest
// then, and all that came after it. The directory is synced when there are such. What follows a block is
// looked for before the block is synced: the server goes on writing meanwhile, and only a block that had a
// follower by then is complete. One that got its follower later is synced again by the next round.
func (s *syncer) flush() error {
	for i := max(s.newest, 1); ; i++ {
		_, err := os.Stat(s.block(i + 1))
		last := errors.Is(err, fs.ErrNotExist)
		if err != nil && !last {
			return err
		}
		err = s.toDisk(i)
		if errors.Is(err, fs.ErrNotExist) && !last { // the server removes a block without messages
			continue
		}
		if err == nil && last && i != s.newest {
			err = block.Sync(s.dir)
		}
		if err != nil {
			return err
		}
		if last {
			s.newest = i
			return nil
		}
	}
}

// held syncs a block, and keeps it open until the next one is synced: Linux tells a failed write to every descriptor that
// was open then, but to none that is opened after somebody, as the server's own fsync, was told. One that was put in its
// place meanwhile is synced, too. On Windows nobody could replace or remove an open block.
func (s *syncer) held(index int) error {
	if runtime.GOOS == "windows" {
		return block.Sync(s.block(index))
	}
	for {
		if s.index != index {
			f, err := os.Open(s.block(index))
			if err != nil {
				return err
			}
			_ = s.file.Close() // it was only read, and there is none at first
			s.file, s.index = f, index
		}
		if err := s.file.Sync(); err != nil {
			return err
		}
		now, err := os.Stat(s.block(index))
		if err != nil {
			return err
		}
		if as, err := s.file.Stat(); err != nil || os.SameFile(now, as) {
			return err
		}
		s.index = 0
	}
}

// adopt takes the newest block of a log that is on disk as the one to go on from.
func (s *syncer) adopt() error {
	names, err := block.Numbers(s.dir)
	if err != nil || len(names) == 0 {
		return err
	}
	s.newest = names[len(names)-1]
	return s.toDisk(s.newest)
}

func (s *syncer) block(n int) string { return filepath.Join(s.dir, strconv.Itoa(n)+blockSuffix) }

// onDisk returns the newest sequence that is on disk for sure.
func (s *syncer) onDisk() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.durable
}

// err returns the sticky failure, or nil.
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
	_ = s.file.Close() // of none it is an error that says nothing
}
