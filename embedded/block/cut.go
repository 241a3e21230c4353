package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CutEnd takes messages off the end of the log in dir. It shows the newest message to unwanted, which says how many
// messages, that one included, are to go; 0 changes nothing. They go as if they had never been written: the server gives
// their sequences to the next messages. Tombstones behind them stay. What archive has of a block that is cut is removed
// first, since the archive must not bring the messages back. No server may be running. It returns the number of messages
// that went and the newest sequence after that, 0 for none. A crash in the middle leaves an end that can be cut again.
func CutEnd(dir, archive, stream string, unwanted func(newest Record) int) (cut int, last uint64, err error) {
	blocks, err := List(dir)
	if err != nil {
		return 0, 0, err
	}
	n := 0
	for i := len(blocks) - 1; i >= 0 && last == 0; i-- {
		if last, n, err = ending(filepath.Join(dir, blocks[i].Name), stream, unwanted); err != nil {
			return 0, 0, fmt.Errorf("end of the log: %w", err)
		}
	}
	if n == 0 {
		return 0, last, nil
	}
	if err := DropIndex(dir); err != nil {
		return 0, last, err
	}
	first := last - min(uint64(n), last) + 1
	last = 0
	for i := len(blocks) - 1; i >= 0 && last == 0; i-- {
		done := 0
		if done, last, err = cutBlock(dir, archive, blocks[i].Name, stream, first); err != nil {
			return cut, last, fmt.Errorf("cut %s: %w", blocks[i].Name, err)
		}
		cut += done
	}
	return cut, last, nil
}

// ending is the sequence of a block's newest message, 0 where it has none, and what unwanted says to it; an erased
// message is not shown.
func ending(path, stream string, unwanted func(Record) int) (seq uint64, n int, err error) {
	err = withBlock(path, stream, func(buf []byte, sum hasher) error {
		var last raw
		for p := range pieces(buf, sum) {
			if p.why == "" && p.message() {
				last = p.raw
			}
		}
		if seq = last.seq; seq > 0 && !last.erased {
			n = unwanted(last.record(map[string]string{}))
		}
		return nil
	})
	return seq, n, err
}

// cutBlock rewrites one block without its messages from a sequence on. last is its newest one below that.
func cutBlock(dir, archive, name, stream string, first uint64) (cut int, last uint64, err error) {
	var rest []byte
	err = withBlock(filepath.Join(dir, name), stream, func(buf []byte, sum hasher) error {
		for p := range pieces(buf, sum) {
			switch {
			case p.why == "" && p.message() && p.seq >= first:
				cut++
				continue
			case p.why == "" && p.message():
				last = p.seq
			}
			rest = append(rest, buf[p.off:p.end]...)
		}
		return nil
	})
	if err != nil || cut == 0 {
		return 0, last, err
	}
	if err := os.Remove(filepath.Join(archive, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, last, err
	}
	return cut, last, Replace(filepath.Join(dir, name), rest)
}
