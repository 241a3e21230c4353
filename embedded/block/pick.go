package block

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Place is where a record lies in its block: [Walk] tells it, and [Pick] takes it.
type Place struct {
	Off  int64
	Size int // bytes of the whole record
}

// Bounds of one read by Pick: records that lie so close are read at once, and no more than so much.
const (
	pickGap = 4 << 10
	pickRun = 256 << 10
)

// Pick calls fn with the records at the given places of the block at path, in the given order, which must be that of the
// file, and reads nothing else of it. A place without a good record ends it with [ErrDamaged]: the block is not the one
// that the places were taken from, or it is damaged.
func Pick(path, stream string, places []Place, fn func(Record) error) error {
	index, err := number(filepath.Base(path))
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	p := picked{file: f, sum: newHasher(stream, index), subjects: make(map[string]string)}
	for len(places) > 0 {
		n := run(places)
		if err := p.read(places[:n], fn); err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// First is the sequence of the block's first record, read without the rest of the block. It is [ErrDamaged] where that is
// not a good one that holds or held a single message.
func First(path, stream string) (uint64, error) {
	head := make([]byte, headLen)
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, fmt.Errorf("read %s: %w: %s", filepath.Base(path), ErrDamaged, whyTorn)
	}
	var seq uint64
	size := int(le.Uint32(head) &^ hasHeaders)
	err = Pick(path, stream, []Place{{Size: size}}, func(r Record) error {
		if seq = r.Seq; r.Tombstone || r.Erased || seq == 0 {
			return fmt.Errorf("read %s: %w: no message", filepath.Base(path), ErrDamaged)
		}
		return nil
	})
	return seq, err
}

// run is how many of the places, at least one, are read at once.
func run(places []Place) int {
	n := 1
	for n < len(places) {
		gap := places[n].Off - places[n-1].end()
		if gap < 0 || gap > pickGap || places[n].end()-places[0].Off > pickRun {
			break
		}
		n++
	}
	return n
}

func (p Place) end() int64 { return p.Off + int64(p.Size) }

// picked is a block that is read at places.
type picked struct {
	file     *os.File
	sum      hasher
	buf      []byte
	subjects map[string]string
}

// read gives the records of one run.
func (p *picked) read(places []Place, fn func(Record) error) error {
	from := places[0].Off
	n := places[len(places)-1].end() - from
	if from < 0 || n < minRecord || n > maxRecord+pickRun {
		return p.damaged(from, whyLength)
	}
	if int64(cap(p.buf)) < n {
		p.buf = make([]byte, n)
	}
	buf := p.buf[:n]
	if _, err := p.file.ReadAt(buf, from); err == io.EOF {
		return p.damaged(from, whyTorn)
	} else if err != nil {
		return err
	}
	for _, at := range places {
		r, ok := frame(buf[at.Off-from : at.end()-from])
		switch {
		case !ok || len(r.b) != at.Size:
			return p.damaged(at.Off, whyLength)
		case !p.sum.good(r):
			return p.damaged(at.Off, whySum)
		case !r.plausible():
			return p.damaged(at.Off, whyBorder)
		}
		if err := fn(r.record(p.subjects)); err != nil {
			return err
		}
	}
	return nil
}

func (p *picked) damaged(off int64, why string) error {
	return fmt.Errorf("read %s at %d: %w: %s", filepath.Base(p.file.Name()), off, ErrDamaged, why)
}
