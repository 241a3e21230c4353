package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Fixed is what Repair did. Only Lost is a loss.
type Fixed struct {
	Lost     []Range  // sequences whose messages are gone
	Torn     []Range  // sequences of records that were cut off at the log's end: the next messages get them
	Restored []string // blocks taken from the archive
	SetAside []string // new names of block files without a good record
}

// Repair makes the blocks in dir readable for the server again, so that it loses what is damaged and nothing else. r is
// what Check found; no server may be running. Damaged and missing blocks come from o.RepairFrom where that has a sound copy.
// Else every bad record is cut out alone, and before the next good one comes an erased record for the lost sequences (one
// for all when several follow each other), as the server writes it for a securely deleted message: so no later check finds
// the loss anew. A record that was cut off at the end of the newest block goes, and the server will give its sequence to
// the next message. Blocks are replaced whole, by rename. Repair of a clean report changes nothing.
func Repair(dir string, o Options, r Report) (Fixed, error) {
	f := Fixed{Lost: r.Missing(), Torn: r.Torn}
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
	hurt := map[string]bool{}
	for _, d := range r.Damage {
		hurt[d.Block] = true
	}
	if err := f.fromArchive(dir, o, r, hurt); err != nil {
		return err
	}
	blocks, err := List(dir) // after the archive, which may have brought a newer one
	if err != nil {
		return err
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

// rewrite replaces a block by its good records, with an erased record for each of the lost ranges before the first
// message behind it, and gives the ranges that belong behind this block. A block without a good record is set aside: the
// server deletes a stream with one that it cannot read, and what lies under a wrong name may be wanted.
func (f *Fixed) rewrite(path, stream string, hurt bool, lost []Range) ([]Range, error) {
	var out []byte
	good := 0
	rest := lost
	err := withBlock(path, stream, func(buf []byte, sum hasher) error {
		var nanos int64
		for p := range pieces(buf, sum) {
			if p.why != "" {
				continue
			}
			good++
			for p.message() && len(rest) > 0 && rest[0].Last < p.first() {
				out = append(out, sum.erased(rest[0], nanos)...)
				rest = rest[1:]
			}
			if p.message() {
				nanos = p.nanos()
			}
			out = append(out, p.b...)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrCompressed), errors.Is(err, ErrEncrypted), errors.Is(err, ErrDenied):
		return lost, err
	case hurt && good == 0:
		return lost, f.setAside(path)
	case err != nil:
		return lost, err
	case !hurt && len(rest) == len(lost):
		return lost, nil
	}
	return rest, Replace(path, out)
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

// fromArchive takes back each sound archived block that has lost sequences and everything that the block under its name
// has. It is not hurt any more then.
func (f *Fixed) fromArchive(dir string, o Options, r Report, hurt map[string]bool) error {
	if o.RepairFrom == "" {
		return nil
	}
	archived, err := List(o.RepairFrom)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, info := range archived {
		kept := scan{Info: info}
		err := kept.fill(filepath.Join(o.RepairFrom, info.Name), o.Stream)
		if errors.Is(err, ErrDenied) {
			continue
		}
		if err != nil {
			return err
		}
		var live *scan
		if at := slices.IndexFunc(r.scans, func(sc scan) bool { return sc.Name == info.Name }); at >= 0 {
			live = &r.scans[at]
		}
		if kept.hurt() || !r.wants(live, kept) {
			continue
		}

		if live != nil && live.Records == 0 && live.hurt() { // what is no file cannot be replaced by one, and what may be another block must not be
			if err := f.setAside(filepath.Join(dir, info.Name)); err != nil {
				return err
			}
		}
		if err := restore(o.RepairFrom, dir, info.Name); err != nil {
			return err
		}
		f.Restored = append(f.Restored, info.Name)
		hurt[info.Name] = false
		f.Lost, f.Torn = Without(f.Lost, kept.has()...), Without(f.Torn, kept.has()...)
	}
	return nil
}

// wants says whether an archived block is better than the live one, nil where there is none: it has missing sequences, or
// that is damaged; and it has every message of that, and brings back none that was erased.
func (r Report) wants(live *scan, kept scan) bool {
	fills := slices.ContainsFunc(r.Holes, func(hole Range) bool { return overlaps(kept.has(), hole) })
	if live == nil {
		return fills
	}
	if !fills && !live.hurt() {
		return false
	}
	need := live.has()
	for _, d := range r.Damage {
		if live.Records > 0 && d.Block == kept.Name {
			need = append(need, d.Range())
		}
	}
	need, wiped := Join(Without(need, kept.has()...)...), Without(live.wiped, kept.wiped...)
	return kept.First > 0 && len(need)+len(wiped) == 0
}

// Lose gives up sequences that follow the newest one in dir and are known to have been there: it appends one erased
// record for all of them to the newest block, or makes the first block of it. The server takes that for messages which
// were deleted and goes on counting behind them, so that none of the sequences is ever given to another message. No server
// may be running, and the newest block must be sound.
func Lose(dir, stream string, lost Range) error {
	blocks, err := List(dir)
	if errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	newest := Info{Name: "1" + suffix, Index: 1}
	var content []byte
	var nanos int64
	if len(blocks) > 0 {
		newest = blocks[len(blocks)-1]
		err = withBlock(filepath.Join(dir, newest.Name), stream, func(buf []byte, sum hasher) error {
			content = append(content, buf...)
			for p := range pieces(buf, sum) {
				if p.why == "" && p.message() {
					nanos = p.nanos()
				}
			}
			return nil
		})
	}
	if err == nil {
		err = DropIndex(dir)
	}
	if err == nil {
		err = Replace(filepath.Join(dir, newest.Name), append(content, newHasher(stream, newest.Index).erased(lost, nanos)...))
	}
	if err != nil {
		return fmt.Errorf("give up the sequences %d to %d: %w", lost.First, lost.Last, err)
	}
	return nil
}
