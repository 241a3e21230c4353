package embedded

import (
	"math"
	"path/filepath"
	"sort"
	"strconv"
	"sync"

	"hookline/embedded/block"
)

// blockIndex knows in which of the block files of dir a message is: it remembers the first sequence of each block, which
// never changes.
type blockIndex struct {
	dir string

	mu     sync.Mutex
	firsts map[int]uint64
}

// span is a block: sequences first to end-1, or first and all that follow for the newest one.
type span struct {
	index      int
	first, end uint64
	newest     bool
}

func newBlockIndex(dir string) *blockIndex {
	return &blockIndex{dir: dir, firsts: make(map[int]uint64)}
}

func (b *blockIndex) path(n int) string { return filepath.Join(b.dir, strconv.Itoa(n)+".blk") }

// spans lists the blocks that can hold a sequence between from and to, in order.
func (b *blockIndex) spans(from, to uint64) ([]span, error) {
	names, err := block.Numbers(b.dir)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	first := func(i int) uint64 {
		for ; i < len(names); i++ { // a block without a readable record ends where the next one begins
			if seq := b.first(names[i]); seq != math.MaxUint64 {
				return seq
			}
		}
		return math.MaxUint64
	}
	// The block before the first one that begins behind from is where from lies.
	i := max(0, sort.Search(len(names), func(i int) bool { return first(i) > from })-1)
	var out []span
	for ; i < len(names); i++ {
		sp := span{index: names[i], first: first(i), end: first(i + 1), newest: i == len(names)-1}
		if sp.first > to && !sp.newest {
			break
		}
		out = append(out, sp)
	}
	return out, nil
}

// first is the block's first sequence; the highest number for a block of which no record can be read.
func (b *blockIndex) first(n int) uint64 {
	if seq, ok := b.firsts[n]; ok {
		return seq
	}
	if seq, err := block.First(b.path(n), streamName); err == nil {
		b.firsts[n] = seq
		return seq
	}
	seq := uint64(math.MaxUint64)
	_ = block.ReadFrom(b.path(n), streamName, 0, math.MaxUint64, func(r block.Record) error { // whoever reads the block is told why not
		seq = r.Seq // of an erased range the last: the block that had the others may be back
		return errStop
	})
	if seq != math.MaxUint64 {
		b.firsts[n] = seq
	}
	return seq
}
