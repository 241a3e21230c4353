package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hookline/embedded/block"
)

// Buckets hold nothing that the log does not have, so a damaged one is not repaired: all of them are
// thrown away, and the projections are folded again. One alone would leave the others at positions
// that no longer mean anything.

// inspectBuckets verifies the blocks of the buckets on disk, a few MB at the most, before the server
// takes them up: it would serve what is left of a damaged one without a word.
func (s *Server) inspectBuckets() error {
	for _, dir := range s.bucketDirs() {
		name := filepath.Base(dir)
		found, err := block.Check(filepath.Join(dir, "msgs"), block.Options{Stream: name})
		worse := func(d block.Damage) bool { return s.report.Clean || d.LastSeq > 0 } // than the torn end that every kill leaves
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue // never written to
		case err != nil:
			return s.dropBuckets(fmt.Sprintf("%s cannot be checked: %v", name, err))
		case slices.ContainsFunc(found.Damage, worse):
			return s.dropBuckets(fmt.Sprintf("%s is damaged: %v", name, found.Damage))
		}
	}
	return nil
}

// dropBuckets removes the buckets. The one with the positions goes first, and each goes whole, by a rename: whatever breaks off the
// removal, no position is left that vouches for cells that are gone.
func (s *Server) dropBuckets(why string) error {
	s.opts.Log.Warn("buckets thrown away, to be folded again from the log", "why", why)
	s.report.BucketsDropped = why
	dirs := s.bucketDirs()
	slices.Reverse(dirs) // KV_snapshot is the last by name
	gone := filepath.Join(s.opts.Dir, "dropped")
	for _, dir := range dirs {
		err := os.RemoveAll(gone) // of a removal that was broken off
		if err == nil {
			err = os.Rename(dir, gone)
		}
		if err == nil {
			err = os.RemoveAll(gone)
		}
		if err != nil {
			return fmt.Errorf("throw a damaged bucket away: %w", classify(err))
		}
	}
	return nil
}

// bucketDirs returns the folders of the buckets on disk, sorted.
func (s *Server) bucketDirs() []string {
	dirs, err := filepath.Glob(filepath.Join(s.opts.streamsDir(), bucketStream("*")))
	if err != nil {
		return nil // the pattern is well-formed
	}
	return dirs
}
