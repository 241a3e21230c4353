package block

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// Newest returns the newest message in dir, without its data. Its Seq is 0 where there is none, and an erased message has no
// header.
func Newest(dir, stream string) (newest Record, err error) {
	numbers, err := Numbers(dir)
	for _, n := range slices.Backward(numbers) {
		if err != nil || newest.Seq > 0 {
			break
		}
		err = withBlock(filepath.Join(dir, strconv.Itoa(n)+suffix), stream, func(buf []byte, sum hasher) error {
			var last raw
			for p := range pieces(buf, sum) {
				if p.message() {
					last = p.raw
				}
			}
			if last.seq > 0 {
				newest = last.record(map[string]string{})
				newest.Header, newest.Data = bytes.Clone(newest.Header), nil
			}
			return nil
		})
	}
	return newest, err
}

// CutEnd takes the messages from a sequence on off the end of the log in dir. They go as if they had never been written:
// the server gives their sequences to the next messages. Tombstones behind them stay. What archive has of a block that is
// cut is removed first, since the archive must not bring the messages back. No server may be running. It returns the
// number of messages that went and the newest sequence after that, 0 for none. A crash in the middle leaves an end that
// can be cut again.
func CutEnd(dir, archive, stream string, from uint64) (cut int, last uint64, err error) {
	if err := DropIndex(dir); err != nil {
		return 0, 0, err
	}
	numbers, err := Numbers(dir)
	for _, n := range slices.Backward(numbers) {
		if err != nil || last > 0 {
			break
		}
		name := strconv.Itoa(n) + suffix
		before := cut
		var rest []byte
		err = withBlock(filepath.Join(dir, name), stream, func(buf []byte, sum hasher) error {
			for p := range pieces(buf, sum) {
				switch {
				case p.message() && p.seq >= from:
					cut++
					continue
				case p.message():
					last = p.seq
				}
				rest = append(rest, buf[p.off:p.end]...)
			}
			return nil
		})

		if err == nil && cut > before {
			err = remove(filepath.Join(archive, name))
		}
		if err == nil && cut > before {
			err = Replace(filepath.Join(dir, name), rest)
		}
	}
	if err != nil {
		return cut, last, fmt.Errorf("cut the end of the log: %w", err)
	}
	return cut, last, nil
}
