package block

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ErrPresent says that sequences that are to be given up are in the log.
var ErrPresent = errors.New("the sequence is in the log")

// Fixed is what Repair did. Only Lost is a loss.
type Fixed struct {
	Lost     []Range  // sequences whose messages are gone
	Torn     []Range  // sequences of records that were cut off at the log's end: the next messages get them
	Restored []string // blocks taken from the archive
	SetAside []string // new names of block files without a good record
	Trimmed  int64    // bytes cut off the end of the newest block
}

// Repair makes the blocks in dir readable for the server again, so that it loses what is damaged and nothing else. r is
// what Check found; no server may be running. Damaged and missing blocks come from o.RepairFrom where that has a sound copy.
// Else every bad record is cut out alone, and before the next good one comes an erased record for the lost sequences (one
// for all when several follow each other), as the server writes it for a securely deleted message: so no later check finds
// the loss anew. A record that was cut off at the end of the newest block goes, and the server will give its sequence to
// the next message. Records in a wrong order are put in order, and those that are there twice go. Blocks are replaced
// whole, by rename. Repair of a clean report changes nothing.
func Repair(dir string, o Options, r Report) (Fixed, error) {
	f := Fixed{Lost: r.Missing()}
	if len(r.Damage)+len(r.Holes) == 0 {
		return f, nil
	}
	if err := f.repair(dir, o, r); err != nil {
		return f, fmt.Errorf("repair blocks: %w", err)
	}
	return f, nil
}

func (f *Fixed) repair(dir string, o Options, r Report) error {
	if err := DropIndex(dir); err != nil { // first of all: a crash must not leave an index.db that knows other blocks
		return err
	}
	restored, err := f.fromArchive(dir, o, r)
	if err != nil {
		return err
	}
	blocks, err := List(dir) // after the archive, which may have brought a newer one
	if err != nil {
		return err
	}

	hurt := map[string]bool{}
	for _, d := range r.Damage {
		hurt[d.Block] = !restored[d.Block]
	}
	if n := len(blocks); n > 0 && hurt[blocks[n-1].Name] {
		if err := f.torn(filepath.Join(dir, blocks[n-1].Name), o.Stream, r.Damage[len(r.Damage)-1]); err != nil {
			return err
		}
	}
	rest := f.Lost
	for _, info := range blocks {
		if rest, err = f.rewrite(filepath.Join(dir, info.Name), o.Stream, hurt[info.Name], rest); err != nil {
			return fmt.Errorf("%s: %w", info.Name, err)
		}
	}
	for _, lost := range rest {
		if err := Lose(dir, o.Stream, lost); err != nil {
			return err
		}
	}
	return nil
}

// torn notes what is lost at the end of the newest block but was never whole: its sequence is free. d is the last damage.
func (f *Fixed) torn(path, stream string, d Damage) error {
	if d.Block != filepath.Base(path) {
		return nil
	}
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		var last piece
		for p := range pieces(buf, sum) {
			last = p
		}
		if last.why == "" || last.why != whyTorn && damaged("", buf, last).heads > 0 {
			return nil
		}
		f.Trimmed += int64(last.end - last.off)
		if gone := (Range{d.FirstSeq, d.LastSeq}); gone.First > 0 && d.Offset == int64(last.off) {
			f.Torn = append(f.Torn, gone)
			f.Lost = Without(f.Lost, gone)
		}
		return nil
	})
	if errors.Is(err, ErrCompressed) || errors.Is(err, ErrEncrypted) || errors.Is(err, ErrDenied) {
		return err
	}
	return nil // what is no block at all is set aside
}

// rewrite replaces a block by its good records in order, with an erased record for each of the lost ranges before the first
// message behind it, and gives the ranges that belong behind this block. A block without a good record is set aside: the
// server deletes a stream with one that it cannot read, and what lies under a wrong name may be wanted.
func (f *Fixed) rewrite(path, stream string, hurt bool, lost []Range) ([]Range, error) {
	var good []raw
	var out []byte
	rest := lost
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		for p := range pieces(buf, sum) {
			if p.why == "" {
				good = append(good, p.raw)
			}
		}
		if hurt {
			good = ordered(good)
		}
		for _, r := range good {
			if hurt && r.message() { // it may have been in another place
				f.Lost = Without(f.Lost, Range{r.first(), r.seq})
				rest = Without(rest, Range{r.first(), r.seq})
			}
		}

		var nanos int64
		out = make([]byte, 0, len(buf)+lostRecord)
		for _, r := range good {
			for r.message() && len(rest) > 0 && rest[0].Last < r.first() {
				out = append(out, sum.erased(rest[0], nanos)...)
				rest = rest[1:]
			}
			if r.message() {
				nanos = int64(le.Uint64(r.b[12:]))
			}
			out = append(out, r.b...)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrCompressed), errors.Is(err, ErrEncrypted), errors.Is(err, ErrDenied):
		return lost, err
	case hurt && len(good) == 0:
		return lost, f.setAside(path)
	case err != nil:
		return lost, err
	case !hurt && len(rest) == len(lost):
		return lost, nil
	}
	return rest, Replace(path, out)
}

// ordered puts the messages in the order of their sequences, each once; tombstones come last.
func ordered(records []raw) []raw {
	var messages, others []raw
	for _, r := range records {
		if r.message() {
			messages = append(messages, r)
		} else {
			others = append(others, r)
		}
	}
	slices.SortStableFunc(messages, func(a, b raw) int { return cmp.Compare(a.seq, b.seq) })
	messages = slices.CompactFunc(messages, func(a, b raw) bool { return a.seq == b.seq })
	return append(messages, others...)
}

// setAside gives what is no block file, or another block, a name under which the server does not look at
// it. What was set aside before stays.
func (f *Fixed) setAside(path string) error {
	aside := path + ".unreadable"
	for n := 2; ; n++ {
		_, err := os.Lstat(aside)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		aside = fmt.Sprintf("%s.unreadable.%d", path, n)
	}
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	f.SetAside = append(f.SetAside, filepath.Base(aside))
	return syncDir(filepath.Dir(path))
}

// fromArchive takes back each sound archived block that has lost sequences and everything that the block under its name has,
// and gives the names. An archive with other messages under the same sequences is of another stream: nothing is mixed.
func (f *Fixed) fromArchive(dir string, o Options, r Report) (map[string]bool, error) {
	done := make(map[string]bool)
	if o.RepairFrom == "" {
		return done, nil
	}
	archived, err := List(o.RepairFrom)
	if errors.Is(err, os.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	if err := sameStream(dir, o, archived); err != nil {
		return nil, err
	}

	for _, info := range archived {
		kept := scan{Info: info}
		err := kept.fill(filepath.Join(o.RepairFrom, info.Name), o.Stream)
		if errors.Is(err, ErrDenied) {
			continue
		}
		if err != nil {
			return done, err
		}
		path := filepath.Join(dir, info.Name)
		if kept.hurt() || !r.wants(path, o.Stream, kept) {
			continue
		}
		if err := f.restore(path, o, info.Name); err != nil {
			return done, err
		}
		done[info.Name] = true
		for _, part := range kept.has() {
			f.Lost = Without(f.Lost, part)
		}
	}
	return done, nil
}

// sameStream compares the archived blocks with those under their names. One shared file settles it.
func sameStream(dir string, o Options, archived []Info) error {
	for _, info := range archived {
		path := filepath.Join(o.RepairFrom, info.Name)
		live, err := os.Stat(filepath.Join(dir, info.Name))
		if err != nil || !live.Mode().IsRegular() {
			continue
		}
		if st, err := os.Stat(path); err == nil && os.SameFile(live, st) {
			return nil
		}
		sums, _ := messages(filepath.Join(dir, info.Name), o.Stream) // what is readable will do
		if other, _ := contradicts(path, o.Stream, sums); other {
			return fmt.Errorf("%s in the archive: %w", info.Name, ErrOtherStream)
		}
	}
	return nil
}

// wants says whether an archived block is better than what lies at path: it has missing sequences, or that is damaged; and
// it has every message of that, and brings back none that was erased.
func (r Report) wants(path, stream string, kept scan) bool {
	fills := slices.ContainsFunc(r.Holes, func(hole Range) bool { return overlaps(kept.has(), hole) })
	live := scan{}
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return fills
	}
	if err := live.fill(path, stream); err != nil || !fills && !live.hurt() {
		return false
	}
	need := live.has()
	wiped := live.wiped
	if live.Records > 0 {
		for _, d := range r.Damage {
			if d.Block == kept.Name {
				need = append(need, Range{d.FirstSeq, d.LastSeq})
			}
		}
	}
	for _, part := range kept.has() {
		need = Without(need, part)
	}
	for _, part := range kept.wiped {
		wiped = Without(wiped, part)
	}
	return kept.First > 0 && len(Join(need...))+len(wiped) == 0
}

// restore copies a block back. What is no file cannot be replaced by one, and what may be another block must not be.
func (f *Fixed) restore(path string, o Options, name string) error {
	live := scan{}
	_, err := os.Lstat(path)
	if err == nil {
		if err = live.fill(path, o.Stream); err == nil && live.Records == 0 && live.hurt() {
			err = f.setAside(path)
		}
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f.Restored = append(f.Restored, name)
	return restore(o.RepairFrom, filepath.Dir(path), name)
}

// Lose gives up sequences that follow the newest one in dir and are known to have been there: it appends one erased
// record for all of them to the newest block, or makes the first block of it. The server takes that for messages which
// were deleted and goes on counting behind them, so that none of the sequences is ever given to another message. No server
// may be running. Without lost sequences nothing changes.
func Lose(dir, stream string, lost Range) error {
	if lost.First == 0 || lost.First > lost.Last {
		return nil
	}
	if err := lose(dir, stream, lost); err != nil {
		return fmt.Errorf("give up the sequences %d to %d: %w", lost.First, lost.Last, err)
	}
	return nil
}

func lose(dir, stream string, lost Range) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	blocks, err := List(dir)
	if err != nil {
		return err
	}
	newest := Info{Name: "1" + suffix, Index: 1}
	var content []byte
	var nanos int64
	if len(blocks) > 0 {
		newest = blocks[len(blocks)-1]
		if content, nanos, err = ended(filepath.Join(dir, newest.Name), stream, lost.First); err != nil {
			return err
		}
	}
	if err := DropIndex(dir); err != nil {
		return err
	}
	return Replace(filepath.Join(dir, newest.Name), append(content, newHasher(stream, newest.Index).erased(lost, nanos)...))
}

// ended is a block's content, which must be sound and hold no sequence from first on, with the time of its last message.
func ended(path, stream string, first uint64) (content []byte, nanos int64, err error) {
	err = withBlock(path, stream, func(buf []byte, sum hasher) error {
		for p := range pieces(buf, sum) {
			switch {
			case p.why != "":
				return fmt.Errorf("%w at %d: %s", ErrDamaged, p.off, p.why)
			case p.message() && p.seq >= first:
				return fmt.Errorf("%w: %d", ErrPresent, p.seq)
			case p.message():
				nanos = int64(le.Uint64(p.b[12:]))
			}
		}
		content = append(make([]byte, 0, len(buf)+lostRecord), buf...)
		return nil
	})
	return content, nanos, err
}
