package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrPresent says that sequences that are to be given up are in the log.
var ErrPresent = errors.New("the sequence is in the log")

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
	if err := dropIndex(dir); err != nil {
		return err
	}
	return replace(filepath.Join(dir, newest.Name), append(content, newHasher(stream, newest.Index).erased(lost, 0, nanos)...))
}

// ended is a block's content, which must be sound and hold no sequence from first on, with the time of its last message.
func ended(path, stream string, first uint64) (content []byte, nanos int64, err error) {
	err = withBlock(path, stream, func(buf []byte, sum hasher) error {
		s := newScanner(buf, sum)
		for p, ok := s.next(); ok; p, ok = s.next() {
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
