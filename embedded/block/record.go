package block

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/highwayhash"
)

// Record is one record of a block. Header and Data lie in the reader's buffer and are valid during the callback only.
type Record struct {
	Seq       uint64
	First     uint64    // Seq, but in an erased record that stands for several sequences the first of them
	Time      time.Time // UTC; what the server stored, in an erased record usually 1970
	Subject   string
	Header    []byte // with its first line and the closing empty line; nil without headers
	Data      []byte
	Erased    bool // the message was wiped: no subject, no header, no data
	Tombstone bool // no message: Seq was deleted
}

// The record layout of server/filestore.go; the package comment has the table.
const (
	headLen   = 22               // length, sequence, time, subject length
	sumLen    = 8                // checksum
	minRecord = headLen + sumLen // a tombstone
	maxRecord = 32 << 20         // the server's rlBadThresh

	hasHeaders = 1 << 31 // in the length
	isErased   = 1 << 63 // in the sequence
	isTomb     = 1 << 62
)

// lostMagic begins the filler of an erased record of ours that stands for more than one sequence; the first of them
// follows as 8 bytes, the record's own sequence is the last. To the server it is filler.
const (
	lostMagic  = "hkl:lost"
	lostRecord = minRecord + len(lostMagic) + 8
)

var le = binary.LittleEndian

// raw is a record's bytes with its head taken apart.
type raw struct {
	b       []byte
	seq     uint64 // without its two bits
	subject int    // length
	headers bool
	erased  bool
	tomb    bool
}

// frame takes the head at the start of buf apart; false when the lengths cannot be those of a record in buf.
func frame(buf []byte) (raw, bool) {
	if len(buf) < minRecord {
		return raw{}, false
	}
	length, seq, subject := le.Uint32(buf), le.Uint64(buf[4:]), int(le.Uint16(buf[20:]))
	n := int(length &^ hasHeaders)
	need := minRecord + subject
	if length&hasHeaders != 0 {
		need += 4
	}
	if n < need || n > len(buf) || n > maxRecord {
		return raw{}, false
	}
	return raw{
		b: buf[:n], seq: seq &^ (isErased | isTomb), subject: subject,
		headers: length&hasHeaders != 0, erased: seq&isErased != 0, tomb: seq&isTomb != 0,
	}, true
}

// message says whether the record holds or held a message.
func (r raw) message() bool { return !r.tomb && r.seq != 0 }

// nanos is the record's time since 1970.
func (r raw) nanos() int64 { return int64(le.Uint64(r.b[12:])) }

// first is the first of the sequences the record stands for: its own but for ranges given up by Repair.
func (r raw) first() uint64 {
	body := r.b[headLen : len(r.b)-sumLen]
	if !r.erased || len(r.b) < lostRecord || string(body[:len(lostMagic)]) != lostMagic {
		return r.seq
	}
	if first := le.Uint64(body[len(lostMagic):]); first > 0 && first < r.seq {
		return first
	}
	return r.seq
}

// content splits what lies between subject and checksum. A header length that does not fit counts as no headers.
func (r raw) content() (header, data []byte) {
	rest := r.b[headLen+r.subject : len(r.b)-sumLen]
	if !r.headers {
		return nil, rest
	}
	n := uint64(le.Uint32(rest))
	if rest = rest[4:]; n > uint64(len(rest)) {
		return nil, rest
	}
	return rest[:n:n], rest[n:]
}

// plausible checks what the checksum does not cover: where the subject and the headers end. A subject has no blanks, no
// controls and no empty token.
func (r raw) plausible() bool {
	if r.erased || r.tomb {
		return true
	}
	last := byte('.')
	for _, c := range r.b[headLen : headLen+r.subject] {
		if c <= ' ' || c == 0x7f || c == '.' && last == '.' {
			return false
		}
		last = c
	}
	if last == '.' {
		return false
	}
	header, _ := r.content()
	return !r.headers || bytes.HasPrefix(header, []byte("NATS/1.0")) && bytes.HasSuffix(header, []byte("\r\n\r\n"))
}

// hasher computes the checksums of one block. It is not safe for use by two goroutines.
type hasher struct{ digest *highwayhash.Digest64 }

// newHasher returns the hasher of the block at path.
func newHasher(stream, path string) hasher {
	key := sha256.Sum256([]byte(stream + "-" + strings.TrimSuffix(filepath.Base(path), suffix)))
	digest, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		panic(err) // only for keys that are not 32 bytes long
	}
	return hasher{digest}
}

func (h hasher) sum(r raw) uint64 {
	body := r.b[headLen : len(r.b)-sumLen]
	h.digest.Reset()
	_, _ = h.digest.Write(r.b[4:20]) // a hash does not fail
	if r.headers {
		_, _ = h.digest.Write(body[:r.subject])
		body = body[r.subject+4:]
	}
	_, _ = h.digest.Write(body)
	return h.digest.Sum64()
}

// good says whether the record's checksum matches.
func (h hasher) good(r raw) bool { return h.sum(r) == le.Uint64(r.b[len(r.b)-sumLen:]) }

// erased makes the record that stands for the lost sequences, in the server's own form for a securely deleted message. The
// server leaves no time in its own, which tells the two apart.
func (h hasher) erased(lost Range, nanos int64) []byte {
	nanos = max(nanos, 1)
	n := minRecord
	if lost.First != lost.Last {
		n = lostRecord
	}
	b := make([]byte, n)
	le.PutUint32(b, uint32(n))
	le.PutUint64(b[4:], lost.Last|isErased)
	le.PutUint64(b[12:], uint64(nanos))
	if lost.First != lost.Last {
		copy(b[headLen:], lostMagic)
		le.PutUint64(b[headLen+len(lostMagic):], lost.First)
	}
	le.PutUint64(b[n-sumLen:], h.sum(raw{b: b}))
	return b
}
