package embedded

import (
	"cmp"
	_ "embed" // the dictionary
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Two formats, both with the dictionary. The payload of an event is one S2 block, which is a quarter larger than a zstd
// frame and unpacked in a quarter of the time: folding the log unpacks each of them (docs/decisions/0011). What is
// large, or read one by one, is a zstd frame: large payloads, blobs, cells. Older logs have frames everywhere.

// Content encodings of a payload.
const (
	encodingZstd = "zstd" // a frame; its header has the dictionary's id
	encodingS2   = "s2-1" // a block, which says nothing of its dictionary: that is 1
)

// dictionary is version 1 of the dictionary, trained on hook payloads of our own making. Its id is
// in every frame made with it. It must never change: a better one gets another id and a file of its
// own, and decoders know both.
//
//go:embed 1.zdict
var dictionary []byte

// blockStart is the place in the dictionary's content where a block finds its own beginning, as most do.
const blockStart = 35704

// What one payload may unpack to, in bytes. A payload that says or turns out to be more is refused, before the memory is
// taken: a few bytes can claim anything.
const (
	maxPlain = 64 << 20 // the largest frame that the daemon accepts
	maxBlock = 1 << 20  // an S2 block: only payloads below smallPayload are packed so
	maxPlump = 1 << 20  // a frame that does not say its size: encoders leave it out below 256 bytes
)

// ErrBadPayload says that a message has a payload which this package did not write.
var ErrBadPayload = errors.New("unreadable payload")

// codec holds the compressors and the decompressors; all may be used by many goroutines at once.
type codec struct {
	blocks *s2.Dict
	small  *zstd.Encoder
	large  *zstd.Encoder
	frames *zstd.Decoder
	plump  *zstd.Decoder // of frames that do not say their size
}

// smallPayload is the size in bytes below which speed comes first. The few large payloads, whose strings are in blobs
// already, are worth zstd's better level, which takes 110 µs for its tables alone.
const smallPayload = 24 << 10

// payloads is built on first use: the tables cost 10 ms, which a refused Open need not pay.
var payloads = sync.OnceValues(func() (*codec, error) {
	content, err := zstd.InspectDictionary(dictionary)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	blocks := s2.MakeDictManual(content.Content(), blockStart)
	small, err := newEncoder(zstd.SpeedFastest)
	if err != nil {
		return nil, fmt.Errorf("compressor: %w", err)
	}
	large, err := newEncoder(zstd.SpeedBetterCompression)
	if err != nil {
		return nil, fmt.Errorf("compressor: %w", err)
	}
	frames, err := newDecoder(maxPlain)
	if err != nil {
		return nil, fmt.Errorf("decompressor: %w", err)
	}
	plump, err := newDecoder(maxPlump)
	if err != nil {
		return nil, fmt.Errorf("decompressor: %w", err)
	}
	return &codec{blocks: blocks, small: small, large: large, frames: frames, plump: plump}, nil
})

func newDecoder(limit uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(limit))
}

// newEncoder leaves out the checksum: the log's blocks and the names of blobs have one.
func newEncoder(level zstd.EncoderLevel) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(level), zstd.WithSingleSegment(true))
}

// pack returns an event's payload compressed, and in which encoding; plain itself and "" where that is not smaller.
func (c *codec) pack(plain []byte) (packed []byte, encoding string) {
	if len(plain) < smallPayload {
		packed, encoding = c.blocks.Encode(nil, plain), encodingS2
	} else {
		packed, encoding = c.frame(plain), encodingZstd
	}
	if len(packed) < len(plain) {
		return packed, encoding
	}
	return plain, ""
}

// frame is plain as one zstd frame, smaller or not.
func (c *codec) frame(plain []byte) []byte {
	out := make([]byte, 0, len(plain)/2+64)
	if len(plain) < smallPayload {
		return c.small.EncodeAll(plain, out)
	}
	return c.large.EncodeAll(plain, out)
}

// unpack undoes pack. Unknown encodings, frames of an unknown dictionary, damage and what unpacks to more than
// 64 MiB are an [ErrBadPayload].
func (c *codec) unpack(encoding string, packed []byte) ([]byte, error) {
	return c.unpackTo(encoding, packed, nil)
}

// unpackTo is unpack into the memory of to, which is empty, where that is enough.
func (c *codec) unpackTo(encoding string, packed, to []byte) (plain []byte, err error) {
	switch encoding {
	case "":
		return packed, nil
	case encodingS2:
		plain, err = c.unpackBlock(packed, to)
	case encodingZstd:
		plain, err = c.unpackFrame(packed, to)
	default:
		return nil, fmt.Errorf("%w: content encoding %q", ErrBadPayload, encoding)
	}
	switch {
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return nil, fmt.Errorf("%w: compressed with a dictionary that this build does not have: %w", ErrBadPayload, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBadPayload, err)
	case len(plain) > maxPlain:
		return nil, fmt.Errorf("%w: %d bytes", ErrBadPayload, len(plain))
	}
	return plain, nil
}

func (c *codec) unpackBlock(packed, to []byte) ([]byte, error) {
	n, err := s2.DecodedLen(packed)
	if err != nil || n > maxBlock { // the memory is taken before the block is read
		return nil, cmp.Or(err, s2.ErrTooLarge)
	}
	return c.blocks.Decode(to, packed)
}

func (c *codec) unpackFrame(packed, to []byte) ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(packed); err != nil || head.HasFCS {
		return c.frames.DecodeAll(packed, to)
	}
	return c.plump.DecodeAll(packed, to)
}

// unpackInto is unpack into the free end of an arena, which it gives back with that part taken. Where
// there is too little room the result has memory of its own, and the arena is a new, larger one.
func (c *codec) unpackInto(encoding string, packed, arena []byte) (plain, rest []byte, err error) {
	free := arena[len(arena):]
	plain, err = c.unpackTo(encoding, packed, free)
	switch {
	case err != nil || len(plain) == 0 || encoding == "":
		return plain, arena, err
	case cap(free) > 0 && &free[:1][0] == &plain[0]:
		return plain[:len(plain):len(plain)], arena[:len(arena)+len(plain)], nil
	}
	return plain, make([]byte, 0, 2*max(cap(arena), len(plain))), nil
}
