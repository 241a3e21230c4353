package block

import (
	"bytes"
	"iter"
)

// Why a stretch of a block is damaged.
const (
	whySum    = "checksum does not match"
	whyLength = "record length out of range"
	whyTorn   = "record is cut off at the end of the block"
	whyZeros  = "zeros after the last record"
	whyBorder = "subject or header length does not fit the content"
	whyOrder  = "record is not in the order of the sequences"
)

// maxJump bounds how far ahead of its neighbours a sequence can be where a scan looks for the next good record; text
// read as a number lies far above.
const maxJump = 1 << 32

// piece is a good record, or a stretch without one (why says so).
type piece struct {
	raw      // of a good record, else zero and no message
	off, end int
	why      string
}

// scanner takes a block apart record by record and finds the way again after damage.
type scanner struct {
	buf  []byte
	sum  hasher
	off  int
	prev uint64 // last message sequence so far; 0: none
}

// pieces gives the pieces of a block, one after the other.
func pieces(buf []byte, sum hasher) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		s := &scanner{buf: buf, sum: sum}
		for p, ok := s.next(); ok && yield(p); p, ok = s.next() {
		}
	}
}

// next returns the next piece; false at the end. Pieces follow each other without gaps, and no two damaged ones do.
func (s *scanner) next() (piece, bool) {
	if s.off >= len(s.buf) {
		return piece{}, false
	}
	p := piece{off: s.off}
	r, why := s.record()
	if why == "" {
		p.raw, p.end = r, s.off+len(r.b)
		if r.message() {
			s.prev = max(s.prev, r.seq)
		}
	} else {
		if p.why, p.end = why, s.resync(r, why); why == whyTorn && p.end < len(s.buf) {
			p.why = whyLength
		}
	}
	s.off = p.end
	return p, true
}

// record judges the record at off.
func (s *scanner) record() (raw, string) {
	rest := s.buf[s.off:]
	r, ok := frame(rest)
	switch {
	case !ok && len(bytes.Trim(rest, "\x00")) == 0:
		return raw{}, whyZeros
	case !ok && torn(rest):
		return raw{}, whyTorn
	case !ok:
		return raw{}, whyLength
	case !s.sum.good(r):
		return r, whySum
	case !r.plausible():
		return r, whyBorder
	case r.message() && !r.erased && r.seq <= s.prev: // the server never writes so: the record was copied or moved
		return r, whyOrder
	}
	return r, ""
}

// resync finds the end of the damage at off: the next good record, or the end of the block. bad is the record there as
// far as its lengths make sense: they are believed when the record behind it is good and is the next but one.
func (s *scanner) resync(bad raw, why string) int {
	end := s.off + len(bad.b)
	next, ok := frame(s.buf[end:])
	if why == whyBorder || why == whyOrder || len(bad.b) > 0 && ok && next.message() && next.first() == s.prev+2 && s.sum.good(next) {
		return end
	}
	for at := s.off + 1; at+minRecord <= len(s.buf); at++ {
		if r, ok := frame(s.buf[at:]); ok && s.inReach(r) && s.sum.good(r) {
			return at
		}
	}
	return len(s.buf)
}

// torn says whether rest can be the beginning of a record that ends behind it.
func torn(rest []byte) bool {
	if len(rest) < minRecord {
		return true
	}
	n := int(le.Uint32(rest) &^ hasHeaders)
	return n > len(rest) && n <= maxRecord
}

// inReach says whether r's sequence can stand behind the last good one. Filler made by the server has sequence 0 and is
// not worth finding again.
func (s *scanner) inReach(r raw) bool {
	if r.tomb {
		return !r.erased && r.seq > 0 && r.subject == 0 && len(r.b) == minRecord
	}
	return r.seq > s.prev && (s.prev == 0 && r.seq < 1<<48 || r.seq-s.prev < maxJump)
}
