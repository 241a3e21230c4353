package block

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// scan is what one block's records tell.
type scan struct {
	Info
	read   bool
	pieces []mark
	tombs  []uint64 // sequences that were deleted
	wiped  []Range  // sequences that were erased
	cut    []Range  // of them, those that Repair gave up
}

// mark is a run of messages without a gap, or a damaged stretch between two of them.
type mark struct {
	Range         // of the messages
	damage Damage // Why is empty for messages
	size   int    // bytes of the damage
	head   uint64 // sequence in the unchecked head of the first damaged record; 0: no head
	heads  uint64 // so many unchecked heads follow each other with ascending sequences
}

// Check verifies every record of the blocks in dir, the stream's msgs folder, and looks for missing sequences in and
// between blocks; before the first block only with o.Began or o.RepairFrom, behind the last only up to o.Vouched or where
// o.RepairFrom has such a block. Where anything is wrong all blocks are read: only together they tell what is lost. Damage is
// no error; an error means that the folder could not be judged at all. In a stream with deletes the server may drop a
// tombstone when it compacts a block: those sequences show as holes.
func Check(dir string, o Options) (Report, error) {
	blocks, err := List(dir)
	if err != nil {
		return Report{}, fmt.Errorf("check blocks: %w", err)
	}
	outer, err := outside(o, blocks)
	if err != nil {
		return Report{}, fmt.Errorf("check blocks: read the archive: %w", err)
	}

	full := slices.IndexFunc(blocks, func(b Info) bool { return b.Size > 0 })
	headless := o.Began > 0 && full >= 0 && blocks[full].Index > o.Began
	scans := make([]scan, len(blocks))
	for i, info := range blocks {
		scans[i].Info = info
	}
	chosen := wanted(o, blocks, len(outer) > 0 || headless)
	for {
		if err := scanAll(dir, o, scans, chosen); err != nil {
			return Report{}, fmt.Errorf("check blocks: %w", err)
		}
		rep := report(scans, outer, headless, o.Vouched)
		sound := len(rep.Damage)+len(rep.Holes) == 0 && rep.Last >= o.Vouched
		if sound || len(rep.Blocks) == len(blocks) {
			return rep, nil
		}
		chosen = func(int) bool { return true }
	}
}

// wanted tells which blocks to read: those of o.Only, those beside a missing or empty one, and with ends the first and the last.
func wanted(o Options, blocks []Info, ends bool) func(i int) bool {
	apart := func(i int) bool {
		return i > 0 && i < len(blocks) && (blocks[i-1].Index+1 != blocks[i].Index || blocks[i-1].Size == 0 || blocks[i].Size == 0)
	}
	return func(i int) bool {
		if o.Only == nil || o.Only(blocks[i].Name) || apart(i) || apart(i+1) {
			return true
		}
		return ends && (i == 0 || i == len(blocks)-1)
	}
}

// outside reads the archived blocks that come before the first and behind the last block with any bytes.
func outside(o Options, blocks []Info) ([]scan, error) {
	if o.RepairFrom == "" {
		return nil, nil
	}
	archived, err := List(o.RepairFrom)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b Info) bool { return b.Size == 0 })
	var outer []scan
	for _, info := range archived {
		if len(blocks) > 0 && info.Index >= blocks[0].Index && info.Index <= blocks[len(blocks)-1].Index {
			continue
		}
		sc := scan{Info: info}
		err := sc.fill(filepath.Join(o.RepairFrom, info.Name), o.Stream)
		if errors.Is(err, ErrDenied) {
			continue // it cannot help, and hides nothing of the log
		}
		if err != nil {
			return nil, err
		}
		outer = append(outer, sc)
	}
	return outer, nil
}

// scanAll fills the wanted scans that are not filled yet, o.Parallel at a time.
func scanAll(dir string, o Options, scans []scan, wanted func(i int) bool) error {
	errs := make([]error, len(scans))
	todo := make(chan int)
	var workers sync.WaitGroup
	for range max(1, o.Parallel) {
		workers.Go(func() {
			for i := range todo {
				errs[i] = scans[i].fill(filepath.Join(dir, scans[i].Name), o.Stream)
			}
		})
	}
	for i := range scans {
		if !scans[i].read && wanted(i) {
			todo <- i
		}
	}
	close(todo)
	workers.Wait()
	return errors.Join(errs...)
}

// fill reads the block. What is no block is damage; one of a kind we never write, and one that the system refused to open or
// read, is an error.
func (sc *scan) fill(path, stream string) error {
	sc.read = true
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		sc.Size = int64(len(buf))
		if len(buf) >= sumLen {
			sc.LastSum = [8]byte(buf[len(buf)-sumLen:])
		}
		for p := range pieces(buf, sum) {
			sc.note(buf, p)
		}
		return nil
	})
	if errors.Is(err, ErrCompressed) || errors.Is(err, ErrEncrypted) || errors.Is(err, ErrDenied) {
		return err
	}
	if err != nil {
		sc.pieces = []mark{{damage: Damage{Block: sc.Name, Why: err.Error()}}}
	}
	return nil
}

// denied turns a refusal by the system into an [ErrDenied]; others, and that there is no such file, stay as they are.
func denied(err error) error {
	var refused syscall.Errno
	if errors.As(err, &refused) && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return err
}

// note takes one piece of the block into account.
func (sc *scan) note(buf []byte, p piece) {
	if p.why != "" {
		sc.pieces = append(sc.pieces, damaged(sc.Name, buf, p))
		return
	}
	sc.Records++
	if p.tomb {
		sc.tombs = append(sc.tombs, p.seq)
	}
	if !p.message() {
		return
	}

	if p.seq <= sc.Last {
		return
	}
	first := max(p.first(), sc.Last+1)
	if sc.First == 0 {
		sc.First = first
	}
	sc.Last = p.seq
	if p.erased {
		sc.wiped = append(sc.wiped, Range{first, p.seq})
	}
	if p.erased && p.nanos() != 0 {
		sc.cut = append(sc.cut, Range{first, p.seq})
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

// report puts the blocks' scans together. The sequences between two messages are missing, whatever blocks these lie in: damage
// between the two has cost them, else they are a hole. Outer are archived blocks from before and behind; headless says that
// the stream's first block is gone, so that its first message is not where the stream began.
func report(scans, outer []scan, headless bool, vouched uint64) Report {
	rep := Report{scans: scans}
	var gaps []Range
	var tombs []uint64
	var prev uint64 // the last message; 0: not known
	var open mark   // damage between prev and the next message
	at := -1        // its place in rep.Damage; -1: none
	for _, sc := range scans {
		if !sc.read {
			prev, at = 0, -1
			continue
		}
		rep.Blocks = append(rep.Blocks, sc.Info)
		rep.Cut = append(rep.Cut, sc.cut...)
		tombs = append(tombs, sc.tombs...)
		for _, m := range sc.pieces {
			if m.damage.Why != "" {
				rep.Damage = append(rep.Damage, m.damage)
				if m.damage.Why != whyOrder {
					open, at = m, len(rep.Damage)-1
				}
				continue
			}
			gap := Range{prev + 1, m.First - 1}
			if at >= 0 && prev == 0 { // before the first message that is left
				gap.First = open.before(gap.Last)
			}
			switch {
			case gap.First > gap.Last:
			case at >= 0:
				rep.Damage[at].FirstSeq, rep.Damage[at].LastSeq = gap.First, gap.Last
			case prev > 0:
				gaps = append(gaps, gap)
			}
			prev, at = max(prev, m.Last), -1
		}
	}
	rep.Last = prev

	gaps = append(gaps, beyond(scans, outer, headless)...)
	if prev > 0 && prev < vouched {
		gaps = append(gaps, Range{prev + 1, vouched})
	}
	if at >= 0 {
		d := &rep.Damage[at]
		d.FirstSeq, d.LastSeq = open.atEnd(prev)
		rep.torn(open, *d, overlaps(gaps, d.Range()))
	}
	for _, d := range rep.Damage {
		gaps = Without(gaps, d.Range())
	}
	rep.Holes = unexplained(Join(gaps...), tombs, scans)
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

// before is the first of the sequences that damage in front of all messages has cost, of which last is the last, as far as the
// head of its first record can be believed.
func (m mark) before(last uint64) uint64 {
	if m.head == 0 || m.head > last || last-m.head > uint64(m.size/minRecord) {
		return last
	}
	return m.head
}

// atEnd is which sequences damage behind the last message has cost, as far as the heads of its records tell: a lower bound.
// A copy of an earlier block has cost none.
func (m mark) atEnd(prev uint64) (first, last uint64) {
	switch {
	case m.damage.Why == whyZeros:
		return 0, 0
	case m.heads > 1:
		last = m.head + m.heads - 1
	case prev > 0:
		last = prev + 1
	default:
		last = m.head
	}
	first = prev + 1
	if prev == 0 {
		first = m.head
	}
	if first > last {
		return 0, 0
	}
	return first, last
}

// beyond is what is known to have been before the first and behind the last message of the scans.
func beyond(scans, outer []scan, headless bool) []Range {
	var first, last uint64
	for _, sc := range scans {
		if sc.First > 0 {
			last = sc.Last
		}
		if first == 0 {
			first = sc.First
		}
	}
	var out []Range
	if headless && first > 1 {
		out = append(out, Range{1, first - 1})
	}
	for _, sc := range outer {
		parts := sc.has()
		if last > 0 && len(parts) > 0 && sc.First > last {
			parts = []Range{{last + 1, sc.Last}}
		}
		if last > 0 && len(parts) > 0 && sc.Last < first {
			parts = []Range{{sc.First, first - 1}}
		}
		out = append(out, parts...)
	}
	return Without(out, Range{first, last})
}

// unexplained drops the deleted sequences from the gaps. A block whose messages were all deleted is removed by the
// server, and its last message gets no tombstone: such a gap between blocks, explained but for one sequence, is no hole.
func unexplained(gaps []Range, tombs []uint64, scans []scan) []Range {
	var holes []Range
	slices.Sort(tombs)
	tombs = slices.Compact(tombs)
	for _, gap := range gaps {
		left := []Range{gap}
		from, _ := slices.BinarySearch(tombs, gap.First)
		to, _ := slices.BinarySearch(tombs, gap.Last+1)
		for _, seq := range tombs[from:to] {
			left = Without(left, Range{seq, seq})
		}
		single := to > from && len(left) == 1 && left[0].First == left[0].Last
		if single && atMissingBlock(gap, scans) {
			continue
		}
		holes = append(holes, left...)
	}
	return holes
}

// atMissingBlock says whether gap lies before the first block or between two whose numbers do not follow each other.
func atMissingBlock(gap Range, scans []scan) bool {
	for i, sc := range scans {
		if sc.First == gap.Last+1 {
			return i == 0 || scans[i-1].Index+1 != sc.Index
		}
	}
	return false
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
	for _, cut := range cuts {
		if cut.First == 0 || !overlaps(ranges, cut) {
			continue
		}
		var left []Range
		for _, r := range ranges {
			if r.First < cut.First {
				left = append(left, Range{r.First, min(r.Last, cut.First-1)})
			}
			if r.Last > cut.Last {
				left = append(left, Range{max(r.First, cut.Last+1), r.Last})
			}
		}
		ranges = left
	}
	return ranges
}

// Common is what of the ranges lies within a range.
func Common(ranges []Range, within Range) []Range {
	var out []Range
	for _, r := range ranges {
		if overlaps([]Range{r}, within) {
			out = append(out, Range{max(r.First, within.First), min(r.Last, within.Last)})
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

func overlaps(ranges []Range, r Range) bool {
	return slices.ContainsFunc(ranges, func(x Range) bool { return x.First <= r.Last && r.First <= x.Last })
}
