package block

import (
	"fmt"
	"path/filepath"
)

// standIn puts one erased record for each hole between two blocks, and for one before the first, where the missing block
// was: a block of its own under that block's name, or the end of the block before it where no name is free. One within a
// block is filled there. Without it every later check would find the hole anew. A block that is brought back by hand
// replaces its stand-in. Holes that nobody calls lost stay.
func (f *Fixed) standIn(dir string, o Options) error {
	rep, err := Check(dir, o)
	if err != nil {
		return err
	}
	for _, hole := range rep.Holes {
		if !overlaps(f.Lost, hole) {
			continue
		}
		for i, next := range rep.Blocks {
			var before Info // none before the first
			if i > 0 {
				before = rep.Blocks[i-1]
			}
			if next.First > 0 && next.First < hole.First && hole.Last < next.Last {
				if err := fill(dir, o, next, hole); err != nil {
					return fmt.Errorf("fill in for the sequences %d to %d: %w", hole.First, hole.Last, err)
				}
				break
			}
			if next.First == 0 || hole.Last >= next.First || hole.First <= before.Last {
				continue
			}
			if err := place(dir, o, before, next, hole); err != nil {
				return fmt.Errorf("stand in for the sequences %d to %d: %w", hole.First, hole.Last, err)
			}
			break
		}
	}
	return nil
}

// fill writes the erased record for a hole within a block, which must be sound.
func fill(dir string, o Options, info Info, hole Range) error {
	path := filepath.Join(dir, info.Name)
	var out []byte
	err := withBlock(path, o.Stream, func(buf []byte, sum hasher) error {
		out = make([]byte, 0, len(buf)+lostRecord)
		var before, nanos int64
		filled := false
		s := newScanner(buf, sum)
		for p, ok := s.next(); ok; p, ok = s.next() {
			if p.why != "" {
				return fmt.Errorf("%w at %d: %s", ErrDamaged, p.off, p.why)
			}
			if p.message() {
				before, nanos = nanos, int64(le.Uint64(p.b[12:]))
			}
			if !filled && p.message() && p.first() > hole.Last {
				out, filled = append(out, sum.erased(hole, 0, before)...), true
			}
			out = append(out, p.b...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := dropIndex(dir); err != nil {
		return err
	}
	return replace(path, out)
}

// place writes the erased record for a hole between two blocks.
func place(dir string, o Options, before, next Info, hole Range) error {
	var content []byte
	var nanos int64
	at := Info{Name: fmt.Sprint(before.Index+1, suffix), Index: before.Index + 1}
	if before.Index == 0 {
		at = Info{Name: fmt.Sprint(next.Index-1, suffix), Index: next.Index - 1}
	}
	if at.Index == 0 {
		return nil // a first block whose number is 0 has never been written
	}
	if at.Index == next.Index {
		at = before
	}
	if before.Index > 0 {
		var err error
		if content, nanos, err = ended(filepath.Join(dir, before.Name), o.Stream, hole.First); err != nil {
			return err
		}
	}
	if at.Index != before.Index {
		content = nil
	}
	if err := dropIndex(dir); err != nil {
		return err
	}
	return replace(filepath.Join(dir, at.Name), append(content, newHasher(o.Stream, at.Index).erased(hole, 0, nanos)...))
}

func overlaps(ranges []Range, r Range) bool {
	for _, x := range ranges {
		if x.First <= r.Last && r.First <= x.Last {
			return true
		}
	}
	return false
}
