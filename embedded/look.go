package embedded

import (
	"errors"
	"fmt"
	"runtime"

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
	s.vouched = s.vouchedFor(marker)
	if len(blocks) == 0 {
		s.vouched = max(s.vouched, s.lock.seq)
	}
	switch {
	case len(blocks) == 0 && len(archived) > 0:
		s.found.Whole = true
		return nil
	case len(blocks) == 0 && s.vouched > 0:
		return s.gone()
	case len(blocks) == 0:
		return nil
	}

	found, err := block.Check(s.opts.msgsDir(), block.Options{Stream: streamName, Parallel: runtime.GOMAXPROCS(0), RepairFrom: s.opts.archiveDir(), Began: marker.Began()})
	if err != nil {
		return unread("it cannot be checked", err)
	}
	s.report.Checked = len(found.Blocks)
	fixed := block.Fixed{Lost: found.Missing()}
	last := newestIn(found)
	if n := len(fixed.Lost); n > 0 && fixed.Lost[n-1].First > max(last, s.vouched) { // a record that was not written to its end
		fixed.Lost, fixed.Torn = fixed.Lost[:n-1], fixed.Lost[n-1:]
	}
	s.found.add(found.Damage, fixed)
	if last < s.vouched {
		s.found.endLost(blocks[len(blocks)-1], block.Range{First: last + 1, Last: s.vouched})
	}
	return nil
}
