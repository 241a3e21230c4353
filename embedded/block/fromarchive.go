package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// picker decides which archived blocks go back.
type picker struct {
	dir  string
	o    Options
	r    Report
	live map[string]Info // by name
}

// fromArchive takes the blocks from the archive that are wanted and sound, and returns their names. Their sequences are
// no longer lost.
func (f *Fixed) fromArchive(dir string, o Options, r Report) (map[string]bool, error) {
	done := make(map[string]bool)
	if o.RepairFrom == "" || len(r.Damage)+len(r.Holes) == 0 {
		return done, nil
	}
	archived, err := List(o.RepairFrom)
	if errors.Is(err, os.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	blocks, err := List(dir)
	if err != nil {
		return nil, err
	}
	p := picker{dir: dir, o: o, r: r, live: make(map[string]Info, len(blocks))}
	for _, info := range blocks {
		p.live[info.Name] = info
	}
	if err := p.sameStream(archived); err != nil {
		return nil, err
	}
	for _, info := range archived {
		kept := scan{Info: info}
		if err := kept.fill(filepath.Join(o.RepairFrom, info.Name), o.Stream); errors.Is(err, ErrDenied) {
			continue
		} else if err != nil {
			return done, err
		}
		if len(kept.wounds) > 0 || kept.First == 0 || !p.wants(kept) {
			continue
		}
		if err := f.makeRoom(filepath.Join(dir, info.Name), o.Stream); err != nil {
			return done, err
		}
		if err := errors.Join(dropIndex(dir), restore(o.RepairFrom, dir, info.Name)); err != nil {
			return done, err
		}
		done[info.Name] = true
		f.Restored = append(f.Restored, info.Name)
		for _, part := range kept.has() {
			f.Lost = without(f.Lost, part)
		}
	}
	return done, nil
}

// sameStream refuses an archive that holds other messages under sequences of the live blocks: the stream was made anew,
// and blocks of both must not be mixed. One shared file settles it.
func (p picker) sameStream(archived []Info) error {
	for _, info := range archived {
		live, err := os.Stat(filepath.Join(p.dir, info.Name))
		if err != nil || !live.Mode().IsRegular() {
			continue
		}
		path := filepath.Join(p.o.RepairFrom, info.Name)
		if st, err := os.Stat(path); err == nil && os.SameFile(live, st) {
			return nil
		}
		sums, _ := messages(filepath.Join(p.dir, info.Name), p.o.Stream) // what is readable will do
		if other, _ := contradicts(path, p.o.Stream, sums); other {
			return fmt.Errorf("%s in the archive: %w", info.Name, ErrOtherStream)
		}
	}
	return nil
}

// makeRoom moves what is at path aside when it is no file and so cannot be replaced by one, and when it is another block.
func (f *Fixed) makeRoom(path, stream string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && st.Mode().IsRegular() {
		var live scan
		if err := live.fill(path, stream); err != nil || !live.foreign() {
			return err
		}
	}
	return f.setAside(path)
}

// setAside gives a block file that cannot be read, or that is another block, a name under which the server does not look at it.
func (f *Fixed) setAside(path string) error {
	aside := path + ".unreadable"
	for n := 2; ; n++ { // what was set aside before stays
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
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

// wants says whether an archived block is better than what is there under its name. Where nothing is, it is wanted when it
// fills a hole; else when the live block is damaged or short of messages, and the archived one
// has all it has.
func (p picker) wants(kept scan) bool {
	info, ok := p.live[kept.Name]
	if !ok {
		return p.fills(kept)
	}
	live := scan{Info: info}
	if err := live.fill(filepath.Join(p.dir, info.Name), p.o.Stream); err != nil {
		return false
	}
	return (len(live.wounds) > 0 || p.fills(kept)) && p.covers(kept, live)
}

// fills says whether the block has sequences of a hole.
func (p picker) fills(kept scan) bool {
	parts := kept.has()
	return slices.ContainsFunc(p.r.Holes, func(h Range) bool { return overlaps(parts, h) })
}

// has is which sequences the block has: it may have been cut off and gone on behind a gap.
func (sc *scan) has() []Range {
	parts := []Range{{sc.First, sc.Last}}
	for _, gap := range sc.gaps {
		parts = without(parts, gap)
	}
	return parts
}

// covers says whether the archived block has every message of the live one, the damaged ones too, and brings back none that
// was erased.
func (p picker) covers(kept, live scan) bool {
	if live.foreign() {
		return true // it has none, and its sequences are another block's
	}
	parts := []Range{{live.First, live.Last}}
	for _, d := range p.r.Damage {
		if d.Block == live.Name {
			parts = append(parts, Range{d.FirstSeq, d.LastSeq})
		}
	}
	for _, part := range parts {
		if part.First > 0 && (part.First < kept.First || part.Last > kept.Last) {
			return false
		}
	}
	wiped := live.wiped
	for _, k := range kept.wiped {
		wiped = without(wiped, k)
	}
	return len(wiped) == 0 && len(kept.gaps) <= len(live.gaps)
}
