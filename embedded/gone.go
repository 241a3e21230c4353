package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"hookline/embedded/block"
)

// gone is the error for a log of which nothing is left.
func (s *Server) gone() error {
	return &DamageError{What: "its files are gone and the archive has none; `replay repair` begins a new log behind it", FirstSeq: 1, LastSeq: s.vouched, Gone: true}
}

// renew begins a new log behind the sequences of the one that is gone. What is left of that is set aside with its archive,
// and so are the buckets, which are folded again.
func (s *Server) renew() error {
	lost := block.Range{First: 1, Last: s.vouched}
	aside := filepath.Join(s.opts.Dir, "aside", s.opts.Now().UTC().Format("20060102T150405.000Z"))
	s.found.Did = append(s.found.Did, "the log was gone and a new one begins behind it", "set aside: "+filepath.Base(aside))
	s.found.add(nil, block.Fixed{Lost: []block.Range{lost}})
	if err := s.keep(&s.found); err != nil {
		return err
	}
	s.opts.Log.Warn("the log was gone; a new one begins behind it", "lost", lost)

	err := os.MkdirAll(aside, 0o700)
	for _, dir := range []string{s.opts.jetstreamDir(), s.opts.archiveDir()} {
		if err == nil {
			err = ignoreGone(os.Rename(dir, filepath.Join(aside, filepath.Base(dir))))
		}
	}
	if err == nil {
		err = block.Lose(s.opts.msgsDir(), streamName, lost)
	}
	if err != nil {
		return fmt.Errorf("set aside what is left of the log: %w", classify(err))
	}
	return nil
}
