package block

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// scan is what one block's records tell.
type scan struct {
	Info
	pieces []mark
	wiped  []Range // sequences that were erased or deleted through a server
	cut    []Range // sequences that Repair gave up
}

// mark is a run of messages without a gap, or a damaged stretch between two of them.
type mark struct {
	Range         // of the messages
	damage Damage // Why is empty for messages
	size   int    // bytes of the damage
	head   uint64 // sequence in the unchecked head of the first damaged record; 0: no head
	heads  uint64 // so many unchecked heads follow each other with ascending sequences
}

// Check verifies every record of the blocks in dir, the stream's msgs folder, and looks for missing sequences: before the
// first message, since a stream begins with sequence 1, between two, and behind the last one up to o.Vouched. With o.From
// only the blocks from there on are read, unless anything is wrong in them: only all blocks together tell what is lost.
// Damage is no error; an error means that the folder could not be judged at all.
func Check(dir string, o Options) (Report, error) {
	blocks, err := List(dir)
	if err != nil {
		return Report{}, fmt.Errorf("check blocks: %w", err)
	}
	var scans []scan
	for _, info := range blocks {
		if info.Index >= o.From {
			scans = append(scans, scan{Info: info})
		}
	}

	var readers errgroup.Group
	readers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range scans {
		readers.Go(func() error { return scans[i].fill(filepath.Join(dir, scans[i].Name), o.Stream) })
	}
	if err := readers.Wait(); err != nil {
		return Report{}, fmt.Errorf("check blocks: %w", err)
	}

	rep := report(scans, len(scans) == len(blocks), o.Vouched)
	if len(scans) == len(blocks) || rep.Sound() {
		return rep, nil
	}
	o.From = 0
	return Check(dir, o)
}

// fill reads the block. What is no block is damage; one that the system refused to open or read is an error.
func (sc *scan) fill(path, stream string) error {
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		for p := range pieces(buf, sum) {
			sc.note(buf, p)
		}
		return nil
	})
	if errors.Is(err, ErrDenied) {
		return err
	}
	if err != nil {
		sc.pieces = []mark{{damage: Damage{Block: sc.Name, Why: err.Error()}}}
	}
	return nil
}

// note takes one piece of the block into account.
func (sc *scan) note(buf []byte, p piece) {
	if p.why != "" {
		sc.pieces = append(sc.pieces, damaged(sc.Name, buf, p))
		return
	}
	sc.Records++
	if p.tomb {
		sc.wiped = append(sc.wiped, Range{p.seq, p.seq})
	}
	if !p.message() || p.seq <= sc.Last {
		return
	}

	first := max(p.first(), sc.Last+1)
	if sc.First == 0 {
		sc.First = first
	}
	sc.Last = p.seq
	switch {
	case p.erased && p.nanos() != 0:
		sc.cut = append(sc.cut, Range{first, p.seq})
	case p.erased:
		sc.wiped = append(sc.wiped, Range{first, p.seq})
	}
	if n := len(sc.pieces); n > 0 && sc.pieces[n-1].damage.Why == "" && sc.pieces[n-1].Last+1 == first {
		sc.pieces[n-1].Last = p.seq
		return
	}
	sc.pieces = append(sc.pieces, mark{Range: Range{first, p.seq}})
}

// damaged describes the damaged piece p of buf.
func damaged(name string, buf []byte, p piece) mark {
	m := mark{damage: Damage{Block: name, Offset: int64(p.off), Why: p.why}, size: p.end - p.off}
	for rest := buf[p.off:p.end]; ; m.heads++ {
		r, ok := frame(rest)
		if !ok || !r.message() || r.seq >= 1<<48 || m.heads > 0 && r.seq != m.head+m.heads {
			return m
		}
		if m.heads == 0 {
			m.head = r.seq
		}
		rest = rest[len(r.b):]
	}
}

// has is which sequences the block has.
func (sc *scan) has() []Range {
	var parts []Range
	for _, m := range sc.pieces {
		if m.damage.Why == "" {
			parts = append(parts, m.Range)
		}
	}
	return parts
}

// hurt tells whether the block has damage.
func (sc *scan) hurt() bool {
	return slices.ContainsFunc(sc.pieces, func(m mark) bool { return m.damage.Why != "" })
}

// report puts the blocks' scans together. The sequences between two messages are missing, whatever blocks these lie in:
// damage between the two has cost them, else they are a hole. Of what is before the scans nothing is known unless they are
// all there are.
func report(scans []scan, all bool, vouched uint64) Report {
	rep := Report{scans: scans}
	var gaps []Range
	var prev uint64 // the last message
	known := all    // whether it is the one before the next
	var open mark   // damage between prev and the next message
	at := -1        // its place in rep.Damage; -1: none
	for _, sc := range scans {
		rep.Blocks = append(rep.Blocks, sc.Info)
		rep.Cut = append(rep.Cut, sc.cut...)
		rep.Erased = append(rep.Erased, sc.wiped...)
		for _, m := range sc.pieces {
			if m.damage.Why != "" {
				rep.Damage = append(rep.Damage, m.damage)
				if m.damage.Why != whyOrder {
					open, at = m, len(rep.Damage)-1
				}
				continue
			}
			gap := Range{prev + 1, m.First - 1}
			switch {
			case !known || gap.First > gap.Last:
			case at >= 0:
				rep.Damage[at].FirstSeq, rep.Damage[at].LastSeq = gap.First, gap.Last
			default:
				gaps = append(gaps, gap)
			}
			prev, at, known = max(prev, m.Last), -1, true
		}
	}
	rep.Last = prev

	if prev < vouched {
		gaps = append(gaps, Range{prev + 1, vouched})
	}
	if at >= 0 {
		d := &rep.Damage[at]
		d.FirstSeq, d.LastSeq = open.atEnd(prev)
		rep.torn(open, *d, prev < vouched)
	}
	for _, d := range rep.Damage {
		gaps = Without(gaps, d.Range())
	}
	rep.Holes = Without(gaps, rep.Erased...)
	return rep
}

// torn notes what was cut off at the end of the newest block and was never whole: its sequences are free, unless they are
// known to have been used. What has a head that can be read was whole, or is no block of this name.
func (r *Report) torn(end mark, d Damage, used bool) {
	newest := r.scans[len(r.scans)-1].Name
	if d.Block != newest || end.size == 0 || end.heads > 0 && d.Why != whyTorn {
		return
	}
	r.Trimmed = int64(end.size)
	if d.FirstSeq > 0 && !used {
		r.Torn = []Range{d.Range()}
	}
}

// atEnd is which sequences damage behind the last message has cost, as far as the heads of its records tell: a lower bound.
// A copy of an earlier block has cost none.
func (m mark) atEnd(prev uint64) (first, last uint64) {
	first, last = prev+1, prev+1
	if m.heads > 1 {
		last = m.head + m.heads - 1
	}
	if m.damage.Why == whyZeros || first > last {
		return 0, 0
	}
	return first, last
}

// Missing is every sequence that the report misses, in order, without those that are free.
func (r Report) Missing() []Range {
	lost := slices.Clone(r.Holes)
	for _, d := range r.Damage {
		lost = append(lost, d.Range())
	}
	return Without(Join(lost...), r.Torn...)
}

// Without removes the cuts from the ranges.
func Without(ranges []Range, cuts ...Range) []Range {
	cuts = Join(cuts...)
	var left []Range
	for _, r := range ranges {
		i, _ := slices.BinarySearchFunc(cuts, r.First, func(cut Range, seq uint64) int { return cmp.Compare(cut.Last, seq) })
		for ; i < len(cuts) && cuts[i].First <= r.Last; i++ {
			if r.First < cuts[i].First {
				left = append(left, Range{r.First, cuts[i].First - 1})
			}
			r.First = cuts[i].Last + 1
		}
		if r.First <= r.Last {
			left = append(left, r)
		}
	}
	return left
}

// Common is what of the ranges lies within a range.
func Common(ranges []Range, within Range) []Range {
	var out []Range
	for _, r := range ranges {
		both := Range{max(r.First, within.First), min(r.Last, within.Last)}
		if both.First <= both.Last {
			out = append(out, both)
		}
	}
	return out
}

// Count is how many sequences the ranges have.
func Count(ranges []Range) (n uint64) {
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}

// Join puts ranges in order and together: none meets another. Empty ones and those from 0 are dropped.
func Join(ranges ...Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var out []Range
	for _, r := range sorted {
		if r.First == 0 || r.First > r.Last {
			continue
		}
		if n := len(out); n > 0 && r.First <= out[n-1].Last+1 {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}
