package embedded

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packers is how many small payloads may be compressed at once: hooks come one at a time to the log, and
// the buckets' cells are written beside them. Each has half a megabyte of tables from its first use on.
const packers = 2

// packer compresses small payloads. Before a payload an encoder puts the dictionary's tables in place of
// what the last one left, which takes 40 µs where the compression itself takes 10. [packer.ahead] does
// that for the next payload while a hook waits for the disk.
type packer struct {
	mu    sync.Mutex
	free  sync.Cond
	ready []*zstd.Encoder // with the dictionary's tables; the last one is used first, its memory is warm
	used  []*zstd.Encoder // with those of the last payload
}

func newPacker() (*packer, error) {
	p := &packer{}
	p.free.L = &p.mu
	for range packers {
		e, err := newEncoder(zstd.SpeedFastest, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		p.used = append(p.used, e)
	}
	return p, nil
}

// pack appends plain as one zstd frame to out.
func (p *packer) pack(plain, out []byte) []byte {
	e := p.take()
	defer p.give(e, &p.used)
	return e.EncodeAll(plain, out)
}

// ahead prepares one encoder for the next payload, where one needs it.
func (p *packer) ahead() {
	p.mu.Lock()
	e := pop(&p.used)
	p.mu.Unlock()
	if e == nil {
		return
	}
	var out [64]byte
	e.EncodeAll([]byte("{}"), out[:0]) // the tables are put in place first; two bytes leave next to no trace in them
	p.give(e, &p.ready)
}

func (p *packer) take() *zstd.Encoder {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if e := pop(&p.ready); e != nil {
			return e
		}
		if e := pop(&p.used); e != nil {
			return e
		}
		p.free.Wait()
	}
}

func (p *packer) give(e *zstd.Encoder, to *[]*zstd.Encoder) {
	p.mu.Lock()
	*to = append(*to, e)
	p.mu.Unlock()
	p.free.Signal()
}

func pop(from *[]*zstd.Encoder) *zstd.Encoder {
	n := len(*from) - 1
	if n < 0 {
		return nil
	}
	e := (*from)[n]
	*from = (*from)[:n]
	return e
}
