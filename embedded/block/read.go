package block

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"
)

// errStop ends a walk early; it never reaches the caller.
var errStop = errors.New("stop")

// Read calls fn with each good record of the block at path, in the order of the file: messages, erased ones and
// tombstones. Damaged stretches are passed over; when there were any the error is [ErrDamaged] and names them. An error of
// fn ends the reading and is returned as it is.
func Read(path, stream string, fn func(Record) error) error {
	return withBlock(path, stream, func(buf []byte, sum hasher) error {
		var damage []error
		subjects := make(map[string]string)
		for p := range pieces(buf, sum) {
			if p.why != "" {
				damage = append(damage, fmt.Errorf("read %s at %d: %w: %s", filepath.Base(path), p.off, ErrDamaged, p.why))
				continue
			}
			if err := fn(p.record(subjects)); err != nil {
				return err
			}
		}
		return errors.Join(damage...)
	})
}

// ReadFrom is Read for the messages with a sequence from from to to, both included: no tombstones. Damage behind them is
// not looked at.
func ReadFrom(path, stream string, from, to uint64, fn func(Record) error) error {
	err := Read(path, stream, func(r Record) error {
		switch {
		case r.Tombstone || r.Seq < from:
			return nil
		case r.Seq > to:
			return errStop
		}
		return fn(r)
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// firstLook is how much of a block is read at first in search of its first record.
const firstLook = 64 << 10

// First returns the sequence of the first message in a block that can be read, 0 where there is none; of a range that Repair
// gave up the last one. The rest of the block is read only where the first record is large, erased or damaged.
func First(path, stream string) (first uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()

	buf := make([]byte, firstLook)
	n, _ := io.ReadFull(f, buf)
	if r, ok := frame(buf[:n]); ok && newHasher(stream, path).good(r) && r.message() && !r.erased {
		return r.seq, nil
	}
	err = ReadFrom(path, stream, 0, math.MaxUint64, func(r Record) error {
		first = r.Seq
		return errStop
	})
	return first, err
}

// record makes the public form; subjects holds those seen before, which saves an allocation for each.
func (r raw) record(subjects map[string]string) Record {
	rec := Record{
		Seq: r.seq, First: r.first(), Time: time.Unix(0, r.nanos()).UTC(),
		Erased: r.erased, Tombstone: r.tomb,
	}
	if r.erased || r.tomb {
		return rec
	}
	name := r.b[headLen : headLen+r.subject]
	subject, known := subjects[string(name)]
	if !known {
		subject = string(name)
		subjects[subject] = subject
	}
	rec.Subject = subject
	rec.Header, rec.Data = r.content()
	return rec
}
