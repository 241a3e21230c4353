package block

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Uncut undoes a server's own repair: whole is the block as it was when a running server met damage in it, live is what the
// server left of it, cut off before the damage, and has appended since. It puts whole in live's place, with what was
// appended behind it. Where that has sequences which whole has too it is [ErrPresent], and nothing changes. A second call
// changes nothing. No server may be running.
func Uncut(whole, live, stream string) error {
	if err := uncut(whole, live, stream); err != nil {
		return fmt.Errorf("undo the cut of %s: %w", filepath.Base(live), err)
	}
	return nil
}

func uncut(whole, live, stream string) error {
	old, err := load(whole, nil)
	if err != nil {
		return err
	}
	var tail []byte
	done := false
	err = withBlock(live, stream, func(buf []byte, sum hasher) error {
		if done = bytes.HasPrefix(buf, old); done {
			return nil
		}
		at, first, last := 0, uint64(0), newestOf(newScanner(old, sum))
		for s := newScanner(buf, sum); ; {
			p, ok := s.next()
			switch {
			case !ok:
				tail = bytes.Clone(buf[at:])
				return nil
			case p.why != "":
				return fmt.Errorf("%w at %d: %s", ErrDamaged, p.off, p.why)
			case at == p.off && bytes.HasPrefix(old[min(p.off, len(old)):], p.b):
				at = p.end // it was there before
			case p.message() && first == 0:
				if first = p.first(); first <= last {
					return fmt.Errorf("%w: %d", ErrPresent, first)
				}
			}
		}
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil // its copy is all there is
	}
	if err != nil || done {
		return err
	}
	if err := dropIndex(filepath.Dir(live)); err != nil {
		return err
	}
	return replace(live, append(old, tail...))
}

// newestOf is the last message of a block.
func newestOf(s *scanner) (seq uint64) {
	for p, ok := s.next(); ok; p, ok = s.next() {
		if p.why == "" && p.message() {
			seq = p.seq
		}
	}
	return seq
}
