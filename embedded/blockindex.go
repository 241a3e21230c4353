package embedded

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"hookline/embedded/block"
)

// blockIndex remembers the first sequence of each block; a block's first never changes.
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
	names, err := blockNames(b.dir)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var failed error
	first := func(i int) uint64 {
		if i == len(names) {
			return math.MaxUint64
		}
		seq, err := b.first(names[i])
		failed = errors.Join(failed, err)
		return seq
	}
	// The block before the first one that begins behind from is where from lies.
	i := max(0, sort.Search(len(names), func(i int) bool { return first(i) > from })-1)
	var out []span
	for ; i < len(names) && failed == nil; i++ {
		sp := span{index: names[i], first: first(i), end: first(i + 1), newest: i == len(names)-1}
		if sp.first > to {
			break
		}
		out = append(out, sp)
	}
	return out, failed
}

// first is the block's first sequence; the highest number for a block without a record.
func (b *blockIndex) first(n int) (uint64, error) {
	if seq, ok := b.firsts[n]; ok {
		return seq, nil
	}
	seq := uint64(math.MaxUint64)
	err := block.ReadFrom(b.path(n), streamName, 0, math.MaxUint64, func(r block.Record) error {
		seq = r.Seq
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) && !errors.Is(err, block.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if seq != math.MaxUint64 {
		b.firsts[n] = seq
	}
	return seq, nil
}

// blockNames lists the indices of the blocks in dir, ascending.
func blockNames(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ".blk"); ok {
			if n, err := strconv.Atoi(stem); err == nil {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}
