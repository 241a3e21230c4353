package embedded

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded/block"
	"hookline/projector"
)

// What was in the log is told by more than its blocks: a clean exit's marker names the newest sequence, and a
// bucket's position is written only when the log is on disk up to it. Sequences that these vouch for and the
// blocks do not have are lost, and must never be given to other events.

// vouchedFor is the newest sequence that was in the log as far as anything tells. A clean exit's marker is
// behind all positions, unless a bucket was written after it: then log and marker are from another time.
func (s *Server) vouchedFor(marker block.Marker) uint64 {
	seq := marker.LastSeq
	for _, dir := range s.bucketDirs() {
		if !s.report.Clean || writtenAfter(dir, marker.Time) {
			seq = max(seq, positionIn(dir))
		}
	}
	return seq
}

// writtenAfter tells whether a bucket's blocks were changed after a time. Copying a home may make it so: that costs
// the reading of the positions.
func writtenAfter(dir string, t time.Time) bool {
	blocks, err := list(filepath.Join(dir, "msgs"))
	for _, b := range blocks {
		st, e := os.Stat(filepath.Join(dir, "msgs", b.Name))
		if err != nil || e != nil || st.ModTime().After(t) {
			return true
		}
	}
	return false
}

// positionPrefix begins the keys of positions; see package projector.
const positionPrefix = "position."

// positionIn is the highest of the positions in a bucket's blocks, each as it was written last. What cannot be
// read vouches for nothing.
func positionIn(dir string) uint64 {
	prefix := bucketPrefix(strings.TrimPrefix(filepath.Base(dir), bucketStream(""))) + positionPrefix
	blocks, err := list(filepath.Join(dir, "msgs"))
	if err != nil {
		return 0
	}
	type cell struct{ msg, seq uint64 }
	newest := map[string]cell{}
	for _, b := range blocks {
		_ = block.Read(filepath.Join(dir, "msgs", b.Name), filepath.Base(dir), func(r block.Record) error { // damage is for inspectBuckets
			var p projector.Position
			switch {
			case r.Tombstone:
				maps.DeleteFunc(newest, func(_ string, c cell) bool { return c.msg == r.Seq })
			case strings.HasPrefix(r.Subject, prefix) && json.Unmarshal(r.Data, &p) == nil:
				newest[r.Subject] = cell{r.Seq, p.Seq}
			}
			return nil
		})
	}
	var seq uint64
	for _, c := range newest {
		seq = max(seq, c.seq)
	}
	return seq
}

// gone is the error for a log of which nothing is left.
func (s *Server) gone() error {
	return &DamageError{What: "its files are gone and the archive has none; `replay repair` begins a new log behind it", FirstSeq: 1, LastSeq: s.vouched, Gone: true}
}

// renew begins a new log behind the sequences of the one that is gone. What is left of that is set aside, and so are the
// buckets, which are folded again.
func (s *Server) renew() ([]block.Info, error) {
	lost := block.Range{First: 1, Last: s.vouched}
	aside := filepath.Join(s.opts.Dir, "aside", s.opts.Now().UTC().Format("20060102T150405.000Z"))
	s.found.Did = append(s.found.Did, "the log was gone and a new one begins behind it", "set aside: "+filepath.Base(aside))
	s.found.add(nil, block.Fixed{Lost: []block.Range{lost}})
	if err := s.keep(&s.found); err != nil {
		return nil, err
	}
	move := func(dir string) error { return ignoreGone(os.Rename(dir, filepath.Join(aside, filepath.Base(dir)))) }
	err := os.MkdirAll(aside, 0o700)
	if err == nil {
		err = move(filepath.Dir(s.opts.msgsDir()))
	}
	if err == nil {
		s.opts.Log.Warn("the log was gone; a new one begins behind it", "lost", lost)
		err = block.Lose(s.opts.msgsDir(), streamName, lost)
	}
	for _, dir := range s.bucketDirs() { // last: until then their positions vouch for what is lost
		if err == nil {
			err = move(dir)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("set aside what is left of the log: %w", classify(err))
	}
	return list(s.opts.msgsDir())
}
