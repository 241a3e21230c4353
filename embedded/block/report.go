package block

import (
	"cmp"
	"slices"
)

// report puts the blocks' scans together; outer are archived blocks from before and behind them, headless says that the
// stream's first block is gone.
func report(scans, outer []scan, headless bool) Report {
	var rep Report
	gaps := beyond(scans, outer)
	if first := firstAfter(scans); headless && first > 1 {
		head := Range{1, first - 1}
		gaps = append(without(gaps, head), head)
	}
	var tombs []uint64
	for i, sc := range scans {
		if !sc.read {
			continue
		}
		rep.Blocks = append(rep.Blocks, sc.Info)
		tombs = append(tombs, sc.tombs...)
		gaps = append(gaps, sc.gaps...)
		prev, next := lastBefore(scans[:i]), firstAfter(scans[i+1:])
		for _, w := range sc.wounds {
			d := w.resolve(prev, next, i == len(scans)-1)
			if sc.foreign() && next == 0 {
				d.FirstSeq, d.LastSeq = w.behind(prev)
			}
			rep.Damage = append(rep.Damage, d)
		}
		if prev > 0 && sc.First > prev+1 {
			gaps = append(gaps, Range{prev + 1, sc.First - 1})
		}
	}
	slices.SortFunc(gaps, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	for _, d := range rep.Damage {
		gaps = without(gaps, Range{d.FirstSeq, d.LastSeq})
	}
	rep.Holes = unexplained(gaps, tombs, scans)
	return rep
}

// beyond returns what the outer blocks have before the first and behind the last message of the scans.
func beyond(scans, outer []scan) []Range {
	first, last := firstAfter(scans), lastBefore(scans)
	var front, back Range
	for _, sc := range outer {
		switch {
		case sc.First == 0:
		case first == 0 || sc.Last < first:
			front = Range{min(front.First-1, sc.First-1) + 1, max(front.Last, sc.Last)}
		case sc.First > last && last > 0:
			back = Range{last + 1, max(back.Last, sc.Last)}
		}
	}
	if front.First > 0 && first > 0 {
		front.Last = first - 1
	}
	return slices.DeleteFunc([]Range{front, back}, func(r Range) bool { return r.First == 0 })
}

// lastBefore is the last message sequence before a block, when the blocks before it were read as far as needed.
func lastBefore(scans []scan) uint64 {
	for _, sc := range slices.Backward(scans) {
		if !sc.read || sc.Last > 0 {
			return sc.Last
		}
	}
	return 0
}

// firstAfter is lastBefore in the other direction.
func firstAfter(scans []scan) uint64 {
	for _, sc := range scans {
		if !sc.read || sc.First > 0 {
			return sc.First
		}
	}
	return 0
}

// resolve concludes which sequences the damage has cost from the messages around it: in its block, else in the blocks
// before and behind. At the end of the newest block, and where the neighbours are unknown, the damaged heads must do.
func (w wound) resolve(before, behind uint64, newest bool) Damage {
	d := w.Damage
	prev, next := w.prev, w.next
	if prev == 0 {
		prev = before
	}
	if next == 0 && !newest {
		next = behind
	}
	first, last := prev+1, next-1
	if prev == 0 {
		first = w.head
	}
	if next == 0 {
		last = 0
		if w.Why != whyZeros && first > 0 {
			last = first + max(w.heads, 1) - 1
		}
	} else if prev == 0 && (first == 0 || first > last || last-first > uint64(w.size/minRecord)) {
		first = last
	}
	if first > 0 && first <= last {
		d.FirstSeq, d.LastSeq = first, last
	}
	return d
}

// behind is which sequences another block has cost that lies where nothing comes after it: those in its heads that the
// log does not have. A copy of an earlier block has none.
func (w wound) behind(before uint64) (first, last uint64) {
	last = w.head + w.heads - 1
	if first = before + 1; before == 0 {
		first = w.head
	}
	if first > last {
		return 0, 0
	}
	return first, last
}

// unexplained drops the deleted sequences from the gaps. A block whose messages were all deleted is removed by the
// server, and its last message gets no tombstone: such a gap between blocks, explained but for one sequence, is no hole.
func unexplained(gaps []Range, tombs []uint64, scans []scan) []Range {
	slices.Sort(tombs)
	tombs = slices.Compact(tombs)
	var holes []Range
	for _, gap := range gaps {
		left := []Range{gap}
		from, _ := slices.BinarySearch(tombs, gap.First)
		to, _ := slices.BinarySearch(tombs, gap.Last+1)
		for _, seq := range tombs[from:to] {
			left = without(left, Range{seq, seq})
		}
		if to > from && len(left) == 1 && left[0].First == left[0].Last && atMissingBlock(gap, scans) {
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

// without removes cut from the ascending ranges.
func without(ranges []Range, cut Range) []Range {
	if cut.First == 0 {
		return ranges
	}
	var left []Range
	for _, r := range ranges {
		if cut.Last < r.First || cut.First > r.Last {
			left = append(left, r)
			continue
		}
		if r.First < cut.First {
			left = append(left, Range{r.First, cut.First - 1})
		}
		if r.Last > cut.Last {
			left = append(left, Range{cut.Last + 1, r.Last})
		}
	}
	return left
}

// Join puts ranges in order and together: none meets another.
func Join(ranges ...Range) []Range {
	var all []Range
	for _, r := range ranges {
		all = append(without(all, r), r)
	}
	sortRanges(all)
	var out []Range
	for _, r := range all {
		if n := len(out); n > 0 && out[n-1].Last+1 == r.First {
			out[n-1].Last = r.Last
		} else if r.First > 0 && r.First <= r.Last {
			out = append(out, r)
		}
	}
	return out
}
