package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// syncer is the shared fsync. The server has written an append before it acknowledges it, so a
// caller that was acknowledged only needs an fsync that begins later; everybody who comes while
// one is running shares the next. Files are fsynced through descriptors of our own, which syncs the
// file all the same, and so does not know the server's insides but the names "<n>.blk".
type syncer struct {
	dir  string
	roll func() // called when a new block was seen; must not wait

	mu      sync.Mutex
	durable uint64 // everything up to this sequence is on disk
	next    *round // the round that has not begun, nil when nobody waits
	running bool
	stopped bool
	failed  error // sticky: after a failed fsync the kernel may have dropped the pages
	idle    sync.WaitGroup

	newest int // index of the newest block at the last round; only touched by a round
}

type round struct {
	upto uint64
	done chan struct{}
	err  error
}

func newSyncer(dir string, durable uint64, roll func()) *syncer {
	return &syncer{dir: dir, roll: roll, durable: durable}
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
	case s.stopped:
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

// join enters the next round and starts the loop when it is not running. s.mu is held.
func (s *syncer) join(seq uint64) *round {
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

// run does rounds until nobody waits.
func (s *syncer) run() {
	defer s.idle.Done()
	for {
		s.mu.Lock()
		r := s.next
		s.next = nil
		if r == nil {
			s.running = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		err := s.flush()
		s.mu.Lock()
		if err != nil {
			s.failed = err
		} else {
			s.durable = max(s.durable, r.upto)
		}
		s.mu.Unlock()
		r.err = err
		close(r.done)
	}
}

// flush syncs every block that can have been written since the last flush: the one that was newest
// then, and all that came after it. The directory is synced when there are such.
func (s *syncer) flush() error {
	if s.newest == 0 {
		return s.flushAll()
	}
	for i := s.newest; ; i++ {
		err := syncFile(s.block(i))
		switch {
		case errors.Is(err, fs.ErrNotExist) && i > s.newest:
			return s.advance(i - 1)
		case errors.Is(err, fs.ErrNotExist): // the newest itself is gone: the log was rebuilt
			return s.flushAll()
		case err != nil:
			return s.stuck(err)
		}
	}
}

// flushAll syncs every block; once, since only then it is known which one is the newest.
func (s *syncer) flushAll() error {
	names, err := blockNames(s.dir)
	if err != nil {
		return s.stuck(err)
	}
	for _, n := range names {
		if err := syncFile(s.block(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.stuck(err)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return s.advance(names[len(names)-1])
}

func (s *syncer) advance(newest int) error {
	if newest == s.newest {
		return nil
	}
	if err := syncFile(s.dir); err != nil {
		return s.stuck(err)
	}
	s.newest = newest
	s.roll()
	return nil
}

func (s *syncer) stuck(err error) error {
	return fmt.Errorf("%w: fsync of the log: %w", ErrWriteStuck, classify(err))
}

func (s *syncer) block(n int) string { return filepath.Join(s.dir, strconv.Itoa(n)+".blk") }

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
}

// blockNames lists the indices of the blocks in dir, ascending.
func blockNames(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ".blk"); ok {
			if n, err := strconv.Atoi(stem); err == nil {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// syncFile fsyncs a file or folder by its name.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncTree fsyncs every folder under root and every file that changed since the given time.
func syncTree(root string, since time.Time) error {
	since = since.Add(-2 * time.Second) // some file systems keep whole seconds
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !e.IsDir() {
			info, err := e.Info()
			if err != nil || info.ModTime().Before(since) || !info.Mode().IsRegular() {
				return ignoreGone(err)
			}
		}
		return ignoreGone(syncFile(path))
	})
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
