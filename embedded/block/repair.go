package block

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Fixed is what Repair did. Only Lost is a loss.
type Fixed struct {
	Lost     []Range  // sequences whose messages are gone
	Torn     []Range  // sequences of records that were cut off at the log's end: the next messages get them
	Mended   []uint64 // messages that one flipped bit or a damaged length had hidden, whole again
	Restored []string // blocks taken from the archive
	SetAside []string // new names of block files that could not be read
	Trimmed  int64    // bytes cut off the end of the newest block
}

// Repair makes the blocks in dir readable for the server again, so that it loses what is damaged and nothing else. r is
// what Check found; no server may be running. Damaged and missing blocks come from o.RepairFrom where that has a sound
// copy; a record with one flipped bit is mended; any other damaged stretch becomes an erased record of the same length and
// of the lost sequence, as the server writes it for a securely deleted message (one record for all when several follow
// each other). A record that was cut off at the end of the newest block goes, and the server will give its sequence to the
// next message. In the place of lost blocks comes such an erased record, too, so that no later check finds the loss anew.
// Blocks are replaced whole, by rename. Repair of a clean report changes nothing.
func Repair(dir string, o Options, r Report) (Fixed, error) {
	f, err := repair(dir, o, r)
	if err != nil {
		return f, fmt.Errorf("repair blocks: %w", err)
	}
	return f, nil
}

func repair(dir string, o Options, r Report) (Fixed, error) {
	f := Fixed{Lost: r.Missing()}
	if len(r.Damage) > 0 { // first of all: a crash must not leave an index.db that knows other blocks
		if err := dropIndex(dir); err != nil {
			return f, err
		}
	}
	restored, err := f.fromArchive(dir, o, r)
	if err != nil {
		return f, err
	}
	blocks, err := List(dir) // after the archive, which may have brought a newer one
	if err != nil {
		return f, err
	}
	budget := int64(mendBudget)
	for i, info := range blocks {
		damage := r.byOffset(info.Name)
		if len(damage) == 0 || restored[info.Name] {
			continue
		}
		cut := cutter{damage: damage, newest: i == len(blocks)-1, budget: &budget, fixed: &f}
		if err := cut.block(filepath.Join(dir, info.Name), o.Stream); err != nil {
			return f, err
		}
	}
	for _, seq := range f.Mended {
		f.Lost = without(f.Lost, Range{seq, seq})
	}
	for _, r := range f.Torn {
		f.Lost = without(f.Lost, r)
	}
	return f, f.standIn(dir, o)
}

// Missing is every sequence that the report misses, in order.
func (r Report) Missing() []Range {
	lost := slices.Clone(r.Holes)
	for _, d := range r.Damage {
		if d.FirstSeq > 0 {
			lost = append(lost, Range{d.FirstSeq, d.LastSeq})
		}
	}
	sortRanges(lost)
	return lost
}

func sortRanges(r []Range) {
	slices.SortFunc(r, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
}

// byOffset is the damage of one block.
func (r Report) byOffset(name string) map[int64]Damage {
	damage := make(map[int64]Damage)
	for _, d := range r.Damage {
		if d.Block == name {
			damage[d.Offset] = d
		}
	}
	return damage
}

// cutter rewrites one block.
type cutter struct {
	damage map[int64]Damage // by offset
	newest bool
	budget *int64
	fixed  *Fixed
}

// block rewrites the block at path, or moves it out of the way when it cannot be read: the server deletes a stream with
// such a block. What may be another block under a wrong name is not overwritten but moved, too.
func (c cutter) block(path, stream string) error {
	var fixed []byte
	var whole scan
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		var err error
		whole.walk(newScanner(buf, sum))
		if fixed, err = c.rewrite(buf, sum); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrCompressed), errors.Is(err, ErrEncrypted), errors.Is(err, ErrDenied):
		return err
	case err != nil:
		return c.fixed.setAside(path)
	case whole.foreign():
		if err := c.fixed.setAside(path); err != nil || len(fixed) == 0 {
			return err // it has cost nothing: there is no block of this name
		}
	}
	return replace(path, fixed)
}

// rewrite returns the block with every damaged stretch cut out, and has proven that it is sound.
func (c cutter) rewrite(buf []byte, sum hasher) ([]byte, error) {
	out := make([]byte, 0, len(buf)+lostRecord)
	var sc scan
	var nanos int64
	s := newScanner(buf, sum)
	for p, ok := s.next(); ok; p, ok = s.next() {
		if p.why == "" {
			out = append(out, p.b...)
			if p.message() {
				nanos = int64(le.Uint64(p.b[12:]))
			}
			continue
		}
		d, known := c.damage[int64(p.off)]
		if !known {
			return nil, fmt.Errorf("%w: changed since it was checked", ErrDamaged)
		}
		w := sc.wound(buf, p)
		w.Damage = d
		out = append(out, c.instead(buf[p.off:p.end], w, p.end == len(buf), sum, nanos)...)
	}
	check := newScanner(out, sum)
	for p, ok := check.next(); ok; p, ok = check.next() {
		if p.why != "" {
			return nil, fmt.Errorf("%w: still not readable at %d after the repair: %s", ErrDamaged, p.off, p.why)
		}
	}
	return out, nil
}

// instead is what takes the place of the damaged bytes; nil when nothing must.
func (c cutter) instead(bad []byte, w wound, last bool, sum hasher, nanos int64) []byte {
	lost := Range{w.FirstSeq, w.LastSeq}
	if b := c.mend(bad, w, sum); b != nil {
		if r, _ := frame(b); r.message() {
			c.fixed.Mended = append(c.fixed.Mended, r.seq)
		}
		return b
	}
	if c.newest && last && (w.Why == whyTorn || w.heads == 0) {
		c.fixed.Trimmed += int64(len(bad))
		if lost.First > 0 {
			c.fixed.Torn = append(c.fixed.Torn, lost)
		}
		return nil
	}
	if lost.First == 0 {
		return nil // a damaged tombstone, or filler
	}
	return sum.erased(lost, len(bad), nanos)
}

// mend tries to get the record back that is hidden in bad.
func (c cutter) mend(bad []byte, w wound, sum hasher) []byte {
	m := mender{sum, c.budget}
	switch {
	case w.Why == whyBorder:
		return sum.border(bad)
	case w.FirstSeq == 0:
		return m.mend(bad, func(r raw) bool { return r.tomb })
	case w.FirstSeq == w.LastSeq:
		return m.mend(bad, func(r raw) bool { return r.message() && r.seq == w.FirstSeq })
	}
	return nil
}
