package block

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// maxSubjects bounds the table that saves an allocation for each subject seen before.
const maxSubjects = 4096

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

// First is the sequence of the block's first record, read without the rest of the block. It is [ErrDamaged] where that is
// not a good one that holds a single message.
func First(path, stream string) (uint64, error) {
	index, err := number(filepath.Base(path))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()

	bad := fmt.Errorf("read %s: %w: its first record", filepath.Base(path), ErrDamaged)
	head := make([]byte, headLen)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, bad
	}
	size := le.Uint32(head) &^ hasHeaders
	if size < minRecord || size > maxRecord {
		return 0, bad
	}
	buf := make([]byte, size)
	if _, err := f.ReadAt(buf, 0); err != nil {
		return 0, bad
	}
	r, ok := frame(buf)
	if !ok || !newHasher(stream, index).good(r) || r.tomb || r.erased || r.seq == 0 {
		return 0, bad
	}
	return r.seq, nil
}

// record makes the public form; subjects holds those seen before.
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
		if len(subjects) < maxSubjects {
			subjects[subject] = subject
		}
	}
	rec.Subject = subject
	rec.Header, rec.Data = r.content()
	return rec
}
