package block

import (
	"bytes"
	"iter"
	"math"
	"slices"
)

// mendBudget bounds the bytes hashed in all attempts of one Repair to find a flipped bit: about a second. One record of
// n bytes costs at most 16·n², so up to about 16 KiB are tried.
const mendBudget = 4 << 30

// mender restores records that one flipped bit, or a damaged length, made unreadable. The checksum has 64 bits: a wrong
// guess is as likely as 2⁻⁴⁶ even for the longest record tried.
type mender struct {
	sum    hasher
	budget *int64
}

// mend returns the record as it was, or nil. damaged is the whole stretch between two good records, want says which
// record can have been there.
func (m mender) mend(damaged []byte, want func(raw) bool) []byte {
	if len(damaged) < minRecord || len(damaged) > maxRecord {
		return nil
	}
	fits := func(b []byte) bool {
		r, ok := frame(b)
		return ok && len(r.b) == len(b) && want(r) && m.sum.good(r) && r.plausible()
	}
	for b := range layouts(damaged) {
		if fits(b) {
			return b
		}
	}
	cost := 8 * int64(len(damaged)) * int64(len(damaged))
	b := slices.Clone(damaged)
	for _, headers := range []uint32{0, hasHeaders} {
		le.PutUint32(b, uint32(len(b))|headers)
		if fits(b) {
			return b
		}
		if cost > *m.budget {
			continue
		}
		*m.budget -= cost
		if flip(b, 4, len(b), fits) {
			return b
		}
	}
	return nil
}

// border repairs the lengths of subject and headers in a record whose checksum matches; nil unless one way of reading its
// content stands out: that of its headers, else the only one that one flipped bit explains.
func (h hasher) border(record []byte) []byte {
	found, fixed := 0, []byte(nil)
	fits := func(b []byte) bool {
		r, ok := frame(b)
		return ok && r.plausible() && h.good(r)
	}
	if le.Uint32(record)&hasHeaders != 0 {
		for b := range layouts(record) {
			if fits(b) {
				return b
			}
		}
		return nil
	}
	flip(slices.Clone(record), 20, headLen, func(b []byte) bool {
		if fits(b) {
			found, fixed = found+1, slices.Clone(b)
		}
		return false
	})
	if found != 1 {
		return nil
	}
	return fixed
}

// layouts yields the record with its three lengths as its content suggests them: headers wherever they seem to begin, up to
// their first empty line. Each is a copy.
func layouts(record []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at, tries := headLen+4, 0; at < len(record) && tries < 4; at, tries = at+1, tries+1 {
			next := bytes.Index(record[at:], []byte("NATS/1.0"))
			if next < 0 {
				return
			}
			at += next
			end := bytes.Index(record[at:], []byte("\r\n\r\n"))
			subject := at - 4 - headLen
			if end < 0 || subject > math.MaxUint16 {
				return
			}
			b := slices.Clone(record)
			le.PutUint32(b, uint32(len(b))|hasHeaders)
			le.PutUint16(b[20:], uint16(subject))
			le.PutUint32(b[at-4:], uint32(end+4))
			if !yield(b) {
				return
			}
		}
	}
}

// flip tries each bit of b[from:to] and leaves the first one flipped that fits.
func flip(b []byte, from, to int, fits func([]byte) bool) bool {
	for i := from; i < to; i++ {
		for bit := byte(1); bit != 0; bit <<= 1 {
			b[i] ^= bit
			if fits(b) {
				return true
			}
			b[i] ^= bit
		}
	}
	return false
}
