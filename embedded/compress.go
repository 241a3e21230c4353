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

// What one payload may unpack to, in bytes. A payload that says or turns out to be more is refused: a few bytes can claim
// anything.
const (
	maxPlain = 64 << 20 // the largest frame that the daemon accepts
	maxBlock = 1 << 20  // an S2 block: only payloads below smallPayload are packed so, and the memory is taken before it is read
)

// ErrBadPayload says that a message has a payload which this package did not write.
var ErrBadPayload = errors.New("unreadable payload")

// codec holds the compressors and the decompressor; all may be used by many goroutines at once.
type codec struct {
	blocks  *s2.Dict
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// smallPayload is the size in bytes below which an event's payload is an S2 block.
const smallPayload = 24 << 10

// payloads is built on first use: the tables cost 10 ms, which a refused Open need not pay. Frames have no checksum: the
// log's blocks and the names of blobs have one.
var payloads = sync.OnceValues(func() (*codec, error) {
	content, err := zstd.InspectDictionary(dictionary)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, fmt.Errorf("compressor: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, fmt.Errorf("decompressor: %w", err)
	}
	return &codec{blocks: s2.MakeDictManual(content.Content(), blockStart), encoder: encoder, decoder: decoder}, nil
})

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

// frame returns plain as one zstd frame, smaller or not.
func (c *codec) frame(plain []byte) []byte {
	return c.encoder.EncodeAll(plain, make([]byte, 0, len(plain)/2+64))
}

// unpack undoes pack, into the memory of to, which is empty, where that is enough. Unknown encodings, frames of an unknown
// dictionary, damage and what unpacks to more than 64 MiB are an [ErrBadPayload].
func (c *codec) unpack(encoding string, packed, to []byte) (plain []byte, err error) {
	switch encoding {
	case "":
		return packed, nil
	case encodingS2:
		n, lenErr := s2.DecodedLen(packed)
		if lenErr == nil && n <= maxBlock {
			plain, err = c.blocks.Decode(to, packed)
		} else {
			err = cmp.Or(lenErr, s2.ErrTooLarge)
		}
	case encodingZstd:
		plain, err = c.decoder.DecodeAll(packed, to)
	default:
		err = fmt.Errorf("content encoding %q", encoding)
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
