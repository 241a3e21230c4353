package embedded

import (
	_ "embed" // the dictionary
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run -tags train ./dict -o dict/1.zdict

// dictionary is version 1 of the dictionary, trained on hook payloads of our own making. Its id is
// in every frame made with it. It must never change: a better one gets another id and a file of its
// own, and decoders know both.
//
//go:embed dict/1.zdict
var dictionary []byte

// maxPlain bounds what one payload may unpack to: the largest frame that the daemon accepts. A
// frame that says or turns out to be more is refused.
const maxPlain = 64 << 20

// ErrBadPayload says that a message has a payload which this package did not write.
var ErrBadPayload = errors.New("unreadable payload")

// codec holds the compressor and the decompressor; both are pools inside and may be used by many
// goroutines at once.
type codec struct {
	small *packer
	large *zstd.Encoder
	dec   *zstd.Decoder
}

// smallPayload parts the two levels, in bytes. The better level takes 110 µs for its tables alone
// where the fast one takes 40, and has them ahead of time (packer), on the path of every hook; the few large payloads, whose
// strings are in blobs already, are worth it.
const smallPayload = 24 << 10

// payloads is built on first use: the tables cost 10 ms, which a refused Open need not pay.
var payloads = sync.OnceValues(func() (*codec, error) {
	small, err := newPacker()
	if err != nil {
		return nil, fmt.Errorf("compressor: %w", err)
	}
	large, err := newEncoder(zstd.SpeedBetterCompression)
	if err != nil {
		return nil, fmt.Errorf("compressor: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, fmt.Errorf("decompressor: %w", err)
	}
	return &codec{small: small, large: large, dec: dec}, nil
})

// newEncoder leaves out the checksum: the log's blocks and the names of blobs have one.
func newEncoder(level zstd.EncoderLevel, more ...zstd.EOption) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, append(more, zstd.WithEncoderDict(dictionary), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(level), zstd.WithSingleSegment(true))...)
}

// frame is plain as one zstd frame, smaller or not.
func (c *codec) frame(plain []byte) []byte {
	out := make([]byte, 0, len(plain)/2+64)
	if len(plain) < smallPayload {
		return c.small.pack(plain, out)
	}
	return c.large.EncodeAll(plain, out)
}

// pack returns plain compressed and true, or plain itself where that is not smaller.
func (c *codec) pack(plain []byte) ([]byte, bool) {
	if out := c.frame(plain); len(out) < len(plain) {
		return out, true
	}
	return plain, false
}

// unpack undoes pack. Frames of an unknown dictionary, damaged ones and ones that unpack to more
// than 64 MiB are an [ErrBadPayload].
func (c *codec) unpack(packed []byte) ([]byte, error) {
	plain, _, err := c.unpackInto(packed, nil)
	return plain, err
}

// unpackInto is unpack into the free end of an arena, which it gives back with that part taken. Where
// there is too little room the result has memory of its own, and the arena is a new, larger one. A nil
// arena stays nil.
func (c *codec) unpackInto(packed, arena []byte) (plain, rest []byte, err error) {
	free := arena[len(arena):]
	plain, err = c.dec.DecodeAll(packed, free)
	switch {
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return nil, arena, fmt.Errorf("%w: compressed with a dictionary that this build does not have: %w", ErrBadPayload, err)
	case err != nil:
		return nil, arena, fmt.Errorf("%w: %w", ErrBadPayload, err)
	case len(plain) > maxPlain:
		return nil, arena, fmt.Errorf("%w: %d bytes", ErrBadPayload, len(plain))
	case arena == nil || len(plain) == 0:
		return plain, arena, nil
	case cap(free) > 0 && &free[:1][0] == &plain[0]:
		return plain[:len(plain):len(plain)], arena[:len(arena)+len(plain)], nil
	}
	return plain, make([]byte, 0, 2*cap(arena)), nil
}
