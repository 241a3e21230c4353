package embedded

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"hookline/events"
)

// Reading the log is a pipeline of three stages: one goroutine gathers messages into chunks, workers
// decode the chunks, and the caller's goroutine hands the events out in order.

// Bounds of one chunk, and of the buffers that a chunk keeps for the next one that uses it.
const (
	chunkRecords = 256
	chunkBytes   = 1 << 20 // of packed data
	chunkPlain   = 1 << 20 // room for unpacked data that is lent, at first
	keptBytes    = 4 << 20
)

// stored is a message with its place in the log.
type stored struct {
	seq      uint64
	appended time.Time
	message
}

// decoded is a stored message taken apart.
type decoded struct {
	rec events.Record
	err error
}

// pass says what a reading of the log is for.
type pass struct {
	typed      bool                        // decode the events' data
	lent       bool                        // the records' bytes are used again when fn returns
	wanted     func(message) bool          // nil: all are
	unreadable func(seq uint64, why error) // gets what cannot be decoded; nil: it ends the pass
}

// chunk is a run of messages on its way through a worker.
type chunk struct {
	in     []stored
	out    []decoded
	packed []byte // what in's data lies in
	plain  []byte // what out's data lies in, where it is lent
	done   chan struct{}
}

// chunks are used again: a long log is read in the memory of a few.
var chunks = sync.Pool{New: func() any { return &chunk{in: make([]stored, 0, chunkRecords), done: make(chan struct{}, 1)} }}

// run runs the three stages. ordered bounds the chunks in memory.
func (p pass) run(ctx context.Context, scan *scanning, fn func(events.Record) error) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	ordered, work := make(chan *chunk, 2*workers), make(chan *chunk, 2*workers)
	gathered := make(chan error, 1)
	go func() {
		err := p.gather(ctx, scan, ordered, work)
		close(work)
		close(ordered)
		gathered <- err
	}()
	for range workers {
		go func() {
			for c := range work {
				c.decode(scan.st.codec, p)
				c.done <- struct{}{}
			}
		}()
	}
	err := p.deliver(ctx, ordered, fn)
	cancel()
	for c := range ordered { // the gatherer may be waiting; and every chunk must be done before we are
		<-c.done
	}
	if scanErr := <-gathered; err == nil {
		err = scanErr
	}
	return err
}

// gather cuts the scan into chunks and queues each for the workers and for delivery.
func (p pass) gather(ctx context.Context, scan *scanning, ordered, work chan<- *chunk) error {
	var c *chunk
	queue := func() error {
		if c == nil || len(c.in) == 0 {
			return nil
		}
		full := c
		c = nil
		select {
		case ordered <- full:
			work <- full // never blocks for long: the workers always read on
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	scan.fn = func(m stored) error {
		if p.wanted != nil && !p.wanted(m.message) {
			return nil
		}
		if c == nil {
			c = chunks.Get().(*chunk)
		}
		at := len(c.packed)
		c.packed = append(c.packed, m.data...) // the data is the reader's
		m.data = c.packed[at:len(c.packed):len(c.packed)]
		c.in = append(c.in, m)
		if len(c.in) == chunkRecords || len(c.packed) >= chunkBytes {
			return queue()
		}
		return nil
	}
	return errors.Join(scan.scan(ctx), queue())
}

// decode takes the chunk's messages apart. What is lent lies in the chunk's own memory as far as there is room.
func (c *chunk) decode(codec *codec, p pass) {
	c.out = slices.Grow(c.out[:0], len(c.in))
	c.plain = c.plain[:0]
	if p.lent && c.plain == nil {
		c.plain = make([]byte, 0, chunkPlain)
	}
	for _, m := range c.in {
		var free []byte
		if p.lent {
			free = c.plain[len(c.plain):]
		}
		plain, err := codec.unpack(m.encoding, m.data, free)
		switch {
		case !p.lent && m.encoding == "": // the event's data would be the chunk's
			plain = slices.Clone(plain)
		case m.encoding != "" && len(plain) <= cap(free):
			c.plain = c.plain[:len(c.plain)+len(plain)]
			plain = plain[:len(plain):len(plain)]
		}
		var env events.Envelope
		if err == nil {
			env, err = m.envelope(plain)
		}
		d := decoded{rec: events.Record{Seq: m.seq, Envelope: env}, err: err}
		if err == nil && p.typed {
			d.rec = events.NewRecord(m.seq, env)
		}
		d.rec.Appended = m.appended
		c.out = append(c.out, d)
	}
}

// deliver calls fn with the chunks' events in order.
func (p pass) deliver(ctx context.Context, ordered <-chan *chunk, fn func(events.Record) error) error {
	for c := range ordered {
		<-c.done
		for _, d := range c.out {
			if err := ctx.Err(); err != nil {
				return err
			}
			if d.err != nil && p.unreadable != nil {
				p.unreadable(d.rec.Seq, d.err)
				continue
			}
			if d.err != nil {
				return fmt.Errorf("event %d: %w", d.rec.Seq, d.err)
			}
			if err := fn(d.rec); err != nil {
				return err
			}
		}
		clear(c.in)
		clear(c.out)
		c.in, c.out, c.packed = c.in[:0], c.out[:0], c.packed[:0]
		if cap(c.packed)+cap(c.plain) <= keptBytes {
			chunks.Put(c)
		}
	}
	return nil
}
