package block

import (
	"fmt"
	"path/filepath"
)

// standIn puts one erased record for each hole between two blocks, and for one before the first, where the missing block
// was: a block of its own under that block's name, or the end of the block before it where no name is free. Without it
// every later check would find the hole anew. A block that is brought back by hand replaces its stand-in. Holes within a
// block, and those that nobody calls lost, stay.
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
