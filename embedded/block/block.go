// Package block reads, checks, archives and repairs the block files in which the NATS file store (nats-server 2.10 to
// 2.15) keeps the messages of one stream. It works on the files alone: no server, no client, no lock. Use it while no
// server runs on the store; blocks that are sealed may also be read and archived while one does.
//
// # Format
//
// A stream's messages lie in …/streams/<NAME>/msgs as 1.blk, 2.blk and so on. Only the newest block is appended to; all
// others are sealed: without deletes they never change. A block is a plain sequence of records, little endian:
//
//	offset  bytes  what
//	0       4      length of the whole record, at most 32 MiB; bit 31 set: the record has headers
//	4       8      sequence; bit 63 set: erased, the content is filler; bit 62 set: a tombstone for that sequence
//	12      8      time, nanoseconds since 1970
//	20      2      length of the subject
//	22      s      subject
//	22+s    4      length of the headers, then the headers; both only with bit 31 of the length
//	…       …      data
//	n-8     8      checksum
//
// The checksum is HighwayHash-64 over bytes 4 to 20, subject, headers and data, under the key
// SHA-256("<stream>-<block number>"). It covers none of the three lengths. A wrong record length always breaks the
// checksum, and so does a wrong subject length in a record with headers. A wrong header length does not: it is found
// because headers begin with "NATS/1.0" and end with an empty line. In a record without headers the border between
// subject and data is not protected at all: it is found wrong only where the subject cannot be one and a single other
// border fits. All hookline records have headers.
//
// index.db beside the blocks is a cache that the server writes when it stops: with one that fits it does not read the
// blocks, without it rebuilds everything from them, and then cuts a block off at the first record that fails. So a
// repair takes index.db away and leaves no record that fails.
//
// Compressed and encrypted blocks are not read: a stream with either is not one of ours.
package block

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What is wrong with a block file.
var (
	ErrDamaged = errors.New("damaged block")

	// ErrDenied: the system refused to open or read the block, for want of permission, descriptors, memory or a disk that
	// answers. That says nothing of what is in it, so it is never taken for damage.
	ErrDenied = errors.New("cannot be read")
)

// suffix of a block file's name, before it the block's number; indexFile is the server's cache of the stream's state.
const (
	suffix    = ".blk"
	indexFile = "index.db"
)

// Options say which blocks to look at and how.
type Options struct {
	Stream  string // the stream's name, part of the checksum's key
	From    int    // number of the first block to read, where those before it are known to be as they were; 0: all of them
	Archive string // folder written by Archive that Repair may take blocks from; empty: none
	Vouched uint64 // newest sequence that the stream is known to have had; 0: not known
}

// Report is what Check found.
type Report struct {
	Blocks []Info   // the blocks that were read, by number
	Damage []Damage // by block and offset
	Holes  []Range  // sequences that are missing though no tombstone says why and no Damage covers them
	Cut    []Range  // sequences that a Repair gave up
	Erased []Range  // sequences that were deleted through a server
	Last   uint64   // newest sequence; 0: none

	Torn    []Range // sequences of damage at the end that were never whole, as far as is known: the next messages get them
	Trimmed int64   // bytes of damage at the end of the newest block

	scans []scan
}

// Sound tells that nothing is damaged and nothing is missing.
func (r Report) Sound() bool { return len(r.Damage)+len(r.Holes) == 0 }

// Info describes one block. First and Last are 0 when it has no message, erased ones included.
type Info struct {
	Name        string
	Index       int // the number in the name
	First, Last uint64
	Records     int // good records of every kind
	Size        int64
	LastSum     [8]byte // the last 8 bytes of the file, the checksum of its last record
}

// Damage is a stretch of a block that holds no good record. FirstSeq and LastSeq are the sequences that must have been
// in it, concluded from its neighbours; 0 when none is missing. LastSeq of a damaged end is a lower bound.
type Damage struct {
	Block             string
	Offset            int64
	FirstSeq, LastSeq uint64
	Why               string
}

// Range is the sequences that the damage has cost.
func (d Damage) Range() Range { return Range{d.FirstSeq, d.LastSeq} }

// Range is an inclusive range of sequences.
type Range struct {
	First uint64 `json:"first" jsonschema_description:"first sequence"`
	Last  uint64 `json:"last" jsonschema_description:"last sequence"`
}

// String is "7" or "7-9".
func (r Range) String() string {
	if r.First == r.Last {
		return strconv.FormatUint(r.First, 10)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// List describes the blocks of a folder without reading their records: First, Last and Records are 0.
func List(dir string) ([]Info, error) {
	numbers, err := Numbers(dir)
	blocks := make([]Info, 0, len(numbers))
	for _, n := range numbers {
		info := Info{Name: strconv.Itoa(n) + suffix, Index: n}
		if f, err := os.Open(filepath.Join(dir, info.Name)); err == nil {
			info.Size, _ = f.Seek(0, io.SeekEnd)
			_, _ = f.ReadAt(info.LastSum[:], info.Size-sumLen) // of what is shorter there is none
			_ = f.Close()
		}
		blocks = append(blocks, info)
	}
	return blocks, err
}

// Numbers are those of the blocks in a folder, ascending.
func Numbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		n, err := strconv.Atoi(digits)
		if ok && err == nil && n >= 0 && strconv.Itoa(n) == digits {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
