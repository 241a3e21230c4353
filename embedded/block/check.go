package block

import (
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
	wounds []wound
	gaps   []Range  // between its records
	tombs  []uint64 // sequences deleted
	wiped  []Range  // sequences erased
}

// wound is a damaged stretch as its own block sees it. The sequences before and behind it may be known only with the
// neighbouring blocks.
type wound struct {
	Damage
	size       int
	prev, next uint64 // message sequences on either side in this block; 0: none
	head       uint64 // sequence in the unchecked head of the first damaged record; 0: no head
	heads      uint64 // that many unchecked heads follow each other with ascending sequences
}

// Check verifies every record of the blocks in dir, the stream's msgs folder, and looks for missing sequences in and
// between blocks; before the first only with o.Began or o.RepairFrom, behind the last only with the latter, where the archive has such a block. Damage is
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
	scans, err := check(dir, o, blocks, len(outer) > 0 || headless)
	if err != nil {
		return Report{}, fmt.Errorf("check blocks: %w", err)
	}
	return report(scans, outer, headless), nil
}

// check scans the wanted blocks, those beside a missing or empty one (with ends, the first and the last too), and those that are
// needed to tell which sequences a damage at the edge of its neighbour has cost.
func check(dir string, o Options, blocks []Info, ends bool) ([]scan, error) {
	scans := make([]scan, len(blocks))
	wanted := make([]bool, len(blocks))
	for i, info := range blocks {
		scans[i].Info = info
		end := i == 0 || i == len(blocks)-1 || blocks[i+1].Size == 0
		wanted[i] = wanted[i] || o.Only == nil || o.Only(info.Name) || ends && end
		if i > 0 && (blocks[i-1].Index+1 != info.Index || blocks[i-1].Size == 0 || info.Size == 0) {
			wanted[i-1], wanted[i] = true, true
		}
	}
	if err := scanAll(dir, o, scans, wanted); err != nil {
		return nil, err
	}
	for i, sc := range scans {
		for _, w := range sc.wounds {
			wanted[max(i-1, 0)] = wanted[max(i-1, 0)] || w.prev == 0
			wanted[min(i+1, len(scans)-1)] = wanted[min(i+1, len(scans)-1)] || w.next == 0
		}
	}
	return scans, scanAll(dir, o, scans, wanted)
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
		if err := sc.fill(filepath.Join(o.RepairFrom, info.Name), o.Stream); errors.Is(err, ErrDenied) {
			continue // it cannot help, and hides nothing of the log
		} else if err != nil {
			return nil, err
		}
		outer = append(outer, sc)
	}
	return outer, nil
}

// scanAll fills the wanted scans that are not filled yet, o.Parallel at a time.
func scanAll(dir string, o Options, scans []scan, wanted []bool) error {
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
		if wanted[i] && !scans[i].read {
			todo <- i
		}
	}
	close(todo)
	workers.Wait()
	return errors.Join(errs...)
}

// fill reads the block. One that cannot be read is damage; one of a kind we never write, and one that this process was not
// allowed or able to open, is an error.
func (sc *scan) fill(path, stream string) error {
	sc.read = true
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		sc.Size = int64(len(buf))
		if len(buf) >= sumLen {
			sc.LastSum = [8]byte(buf[len(buf)-sumLen:])
		}
		sc.walk(newScanner(buf, sum))
		return nil
	})
	if errors.Is(err, ErrCompressed) || errors.Is(err, ErrEncrypted) || errors.Is(err, ErrDenied) {
		return err
	}
	if err != nil {
		sc.wounds = []wound{{Damage: Damage{Block: sc.Name, Why: err.Error()}}}
	}
	return nil
}

// denied turns an error that says nothing of the file into an [ErrDenied]; others stay as they are.
func denied(err error) error {
	for _, not := range []error{os.ErrPermission, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, not) {
			return fmt.Errorf("%w: %w", ErrDenied, err)
		}
	}
	return err
}

// walk notes what the pieces of the block tell.
func (sc *scan) walk(s *scanner) {
	var open *wound // damage behind the last message: the gap up to the next one is its doing
	for p, ok := s.next(); ok; p, ok = s.next() {
		if p.why != "" {
			if open != nil {
				open.head, open.next = 0, sc.Last+1 // only the last of several in one gap accounts for it
			}
			sc.wounds = append(sc.wounds, sc.wound(s.buf, p))
			open = &sc.wounds[len(sc.wounds)-1]
			continue
		}
		sc.Records++
		if p.tomb {
			sc.tombs = append(sc.tombs, p.seq)
		}
		if !p.message() || p.seq <= sc.Last {
			continue
		}
		sc.message(p, open)
		open = nil
	}
}

// foreign tells that no record of the block is good and that nevertheless several follow each other: most likely it lies
// under another block's name, which is part of every checksum.
func (sc *scan) foreign() bool {
	return sc.Records == 0 && len(sc.wounds) == 1 && sc.wounds[0].heads > 1
}

// message takes a message record into account; open is the damage since the last one, if any.
func (sc *scan) message(p piece, open *wound) {
	first := max(p.first(), sc.Last+1)
	switch {
	case open != nil:
		open.next = first
	case sc.Last > 0 && first > sc.Last+1:
		sc.gaps = append(sc.gaps, Range{sc.Last + 1, first - 1})
	}
	if sc.First == 0 {
		sc.First = first
	}
	if p.erased {
		sc.wiped = append(sc.wiped, Range{first, p.seq})
	}
	sc.Last = p.seq
}

// wound describes the damaged piece p of buf.
func (sc *scan) wound(buf []byte, p piece) wound {
	w := wound{
		Damage: Damage{Block: sc.Name, Offset: int64(p.off), Why: p.why},
		size:   p.end - p.off, prev: sc.Last,
	}
	for rest := buf[p.off:p.end]; ; w.heads++ {
		r, ok := frame(rest)
		if !ok || !r.message() || r.seq >= 1<<48 || w.heads > 0 && r.seq != w.head+w.heads {
			return w
		}
		if w.heads == 0 {
			w.head = r.seq
		}
		rest = rest[len(r.b):]
	}
}
