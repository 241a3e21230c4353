package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"hookline/embedded/block"
)

// contentsFile is where a block's contents are kept.
func (b *blockIndex) contentsFile(n int) string {
	return filepath.Join(b.tables, strconv.Itoa(n)+".toc")
}

// contents of a sealed block: those that are kept, else new ones, which are kept then. That they could not be kept
// is no trouble.
func (b *blockIndex) contents(n int) (*contents, error) {
	id, err := identify(b.path(n))
	if err != nil {
		return nil, err
	}
	if kept, err := os.ReadFile(b.contentsFile(n)); err == nil {
		if c, ok := parseContents(kept, id); ok {
			return c, nil
		}
	}
	return b.renew(n)
}

// renew makes a block's contents, whatever is kept.
func (b *blockIndex) renew(n int) (*contents, error) {
	c, err := survey(b.path(n), math.MaxUint64)
	if err == nil {
		_ = keepFile(b.contentsFile(n), c.encode())
	}
	return c, err
}

// keepFile writes a file whole or not at all. It is not synced: after a power cut it may be broken, and is then made
// again.
func keepFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// contentsMagic begins the file; the digit is the version of its form. Behind it come varints in the order of
// encode, and a CRC-32C of all before it.
const contentsMagic = "hkltoc1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *contents) encode() []byte {
	b := make([]byte, 0, 1<<14+8*len(c.rows))
	b = append(b, contentsMagic...)
	b = append(b, c.of.sum[:]...)
	for _, v := range []int64{c.of.size, c.of.changed, c.captured[0], c.captured[1], c.appended[0], c.appended[1]} {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, c.first), c.last)
	for _, names := range c.names {
		b = binary.AppendUvarint(b, uint64(len(names)))
		for _, n := range names {
			b = append(binary.AppendUvarint(b, uint64(len(n))), n...)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(c.subjects)))
	for _, s := range c.subjects {
		for _, i := range s {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(c.tombs)))
	for _, seq := range c.tombs {
		b = binary.AppendUvarint(b, seq)
	}
	b = binary.AppendUvarint(b, uint64(len(c.rows)))
	var seq uint64
	var end int64
	for _, r := range c.rows {
		b = binary.AppendVarint(b, int64(r.seq-seq))
		b = binary.AppendUvarint(b, uint64(r.at.Off-end))
		b = binary.AppendUvarint(b, uint64(r.at.Size))
		b = binary.AppendUvarint(b, uint64(r.subject))
		seq, end = r.seq, r.at.Off+int64(r.at.Size)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseContents reads what encode wrote for a block that looks so; false for anything else.
func parseContents(b []byte, of identity) (*contents, bool) {
	if len(b) < len(contentsMagic)+len(of.sum)+4 || string(b[:len(contentsMagic)]) != contentsMagic {
		return nil, false
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, false
	}
	c := &contents{}
	r := reader{b: body[len(contentsMagic):]}
	copy(c.of.sum[:], r.bytes(uint64(len(c.of.sum))))
	for _, v := range []*int64{&c.of.size, &c.of.changed, &c.captured[0], &c.captured[1], &c.appended[0], &c.appended[1]} {
		*v = r.signed()
	}
	if c.of != of {
		return nil, false
	}
	c.first, c.last = r.uint(), r.uint()
	for kind := range c.names {
		c.names[kind] = make([]string, r.count())
		for i := range c.names[kind] {
			c.names[kind][i] = string(r.bytes(r.uint()))
		}
	}
	c.subjects = make([][3]int, r.count())
	for i := range c.subjects {
		for kind := range c.names {
			c.subjects[i][kind] = r.below(len(c.names[kind]))
		}
	}
	for range r.count() {
		c.tombs = append(c.tombs, r.uint())
	}
	c.packed = r.b
	return c, !r.bad
}

// unpack reads the rows, which most readers of most blocks do not want; false when they are broken.
func (c *contents) unpack() bool {
	if c.packed == nil {
		return true
	}
	r := reader{b: c.packed}
	c.packed, c.rows = nil, make([]row, r.count())
	var seq uint64
	var end int64
	for i := range c.rows {
		seq += uint64(r.signed())
		off := end + int64(r.below(math.MaxInt32))
		size := r.below(math.MaxInt32)
		c.rows[i] = row{seq: seq, at: block.Place{Off: off, Size: size}, subject: r.below(len(c.subjects))}
		end = off + int64(size)
	}
	return !r.bad && len(r.b) == 0 && end <= c.of.size
}

// reader takes varints off b. After the first that is not there it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most of them
		v := uint64(r.b[0])
		r.b = r.b[1:]
		return v
	}
	v, n := binary.Uvarint(r.b)
	r.take(n)
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.b)
	r.take(n)
	return v
}

func (r *reader) take(n int) {
	if n <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

// count is a number of things that follow, each of at least a byte.
func (r *reader) count() int { return r.below(len(r.b) + 1) }

// below is a number smaller than n.
func (r *reader) below(n int) int {
	v := r.uint()
	if r.bad || v >= uint64(n) {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}
