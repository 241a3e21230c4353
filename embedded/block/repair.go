package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Fixed is what Repair did. Only Lost is a loss.
type Fixed struct {
	Lost     []Range  // sequences whose messages are gone
	Torn     []Range  // sequences of records that were cut off at the log's end: the next messages get them
	Restored []string // blocks taken from the archive
	SetAside []string // new names of block files without a good record
}

// ErrGone says that nothing that can be read is left of a stream that is known to have had messages.
var ErrGone = errors.New("nothing is left of the blocks")

// Repair makes the blocks in dir readable for the server again, so that it loses what is damaged and nothing else. r is
// what Check found with o; no server may be running. A block is taken from o.Archive where that has everything of it and
// more. Then every bad record is cut out alone, and before the next good one comes an erased record for the lost sequences
// (one for all when several follow each other), as the server writes it for a securely deleted message: so no later check
// finds the loss anew. A record that was cut off at the end of the newest block goes, and the server will give its sequence
// to the next message. Blocks are replaced whole, by rename. Repair of a sound report changes nothing.
func Repair(dir string, o Options, r Report) (Fixed, error) {
	var f Fixed
	if r.Sound() {
		return f, nil
	}
	if err := DropIndex(dir); err != nil { // first of all: a crash must not leave an index.db that knows other blocks
		return f, err
	}
	if err := f.fromArchive(dir, o, r); err != nil {
		return f, err
	}
	if len(f.Restored) > 0 {
		var err error
		if r, err = Check(dir, Options{Stream: o.Stream, Vouched: o.Vouched}); err != nil {
			return f, err
		}
	}
	if r.Last == 0 && o.Vouched > 0 {
		return f, ErrGone
	}

	f.Lost, f.Torn = r.Missing(), r.Torn
	rest := f.Lost
	for _, sc := range r.scans {
		var err error
		if rest, err = f.rewrite(filepath.Join(dir, sc.Name), o.Stream, sc.hurt(), rest); err != nil {
			return f, fmt.Errorf("%s: %w", sc.Name, err)
		}
	}
	for _, lost := range rest {
		if err := Lose(dir, o.Stream, lost); err != nil {
			return f, err
		}
	}
	return f, nil
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
	case errors.Is(err, ErrDenied):
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
	return Sync(filepath.Dir(path))
}

// fromArchive takes each archived block that is better than the one under its name.
func (f *Fixed) fromArchive(dir string, o Options, r Report) error {
	if o.Archive == "" {
		return nil
	}
	for _, live := range r.scans {
		kept := scan{Info: Info{Name: live.Name}}
		path := filepath.Join(o.Archive, live.Name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		err := kept.fill(path, o.Stream)
		if err != nil && !errors.Is(err, ErrDenied) {
			return err
		}
		if err != nil || !kept.betters(live) {
			continue
		}

		if live.Records == 0 && live.hurt() { // what is no file cannot be replaced by one, and what may be another block must not be
			if err := f.setAside(filepath.Join(dir, live.Name)); err != nil {
				return err
			}
		}
		if err := copyBlock(path, filepath.Join(dir, live.Name)); err != nil {
			return err
		}
		f.Restored = append(f.Restored, live.Name)
	}
	return nil
}

// betters tells that a block has every message of another one, and more, and brings none back that was erased there.
func (sc *scan) betters(live scan) bool {
	has := sc.has()
	return len(Without(live.has(), has...)) == 0 && len(Without(has, live.has()...)) > 0 && len(Without(live.wiped, sc.wiped...)) == 0
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
	newest := Info{Name: "1" + suffix}
	var content []byte
	var nanos int64
	if len(blocks) > 0 {
		newest = blocks[len(blocks)-1]
		err = withBlock(filepath.Join(dir, newest.Name), stream, func(buf []byte, sum hasher) error {
			content = append(content, buf...)
			for p := range pieces(buf, sum) {
				if p.message() {
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
		err = Replace(filepath.Join(dir, newest.Name), append(content, newHasher(stream, newest.Name).erased(lost, nanos)...))
	}
	if err != nil {
		return fmt.Errorf("give up the sequences %d to %d: %w", lost.First, lost.Last, err)
	}
	return nil
}
