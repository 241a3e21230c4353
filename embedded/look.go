package embedded

import (
	"errors"
	"fmt"

	"hookline/embedded/block"
)

// Look checks the log as [Open] does after an exit out of order, every block of it, and changes nothing: what it finds is
// in the report's Found, and what an opening would do about it is not tried. A log of which nothing is left is an
// [ErrLogGone], or Whole where the archive has it.
func Look(o Options) (Report, error) {
	o = o.withDefaults()
	l, err := takeLock(o.Lock, o.Holder)
	if err != nil {
		return Report{}, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s := &Server{opts: o, lock: l}
	if err := errors.Join(s.look(), l.release()); err != nil {
		return Report{}, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s.report.Found = s.found
	return s.report, nil
}

func (s *Server) look() error {
	marker, err := block.ReadMarker(s.opts.Dir)
	s.report.Clean = err == nil
	if err := s.readFound(); err != nil {
		return err
	}
	blocks, err := list(s.opts.msgsDir())
	if err != nil {
		return err
	}
	archived, err := list(s.opts.archiveDir())
	if err != nil {
		return err
	}
	s.vouched, s.began = s.vouchedFor(marker), marker.Began()
	if len(blocks) == 0 {
		s.vouched = max(s.vouched, s.lock.seq)
	}
	switch {
	case len(blocks) == 0 && len(archived) > 0:
		s.found.restored(s.report.Clean)
		return nil
	case len(blocks) == 0 && s.vouched > 0:
		return s.gone()
	case len(blocks) == 0:
		return nil
	}

	found, _, err := s.checked(nil)
	if err != nil {
		return err
	}
	s.report.Checked = len(found.Blocks)
	s.found.add(found.Damage, block.Fixed{Lost: found.Missing(), Torn: found.Torn})
	return nil
}
