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
	s := &Server{opts: o, lock: l, dry: true}
	if err := errors.Join(s.look(), l.release()); err != nil {
		return Report{}, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s.report.Found = s.found
	return s.report, nil
}

func (s *Server) look() error {
	_, blocks, err := s.survey()
	if err != nil || len(blocks) == 0 {
		return err
	}
	found, _, err := s.checked(0)
	if err != nil {
		return err
	}
	if found.Last == 0 && s.vouched > 0 {
		return s.gone()
	}
	s.report.Checked = len(found.Blocks)
	s.found.add(found.Damage, block.Fixed{Lost: found.Missing(), Torn: found.Torn})
	return nil
}
