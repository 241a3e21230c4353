package embedded

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"hookline/events"
)

// chunkRecords is how many records one worker decodes at a time.
const chunkRecords = 256

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

// Read calls fn with each event from sequence from to sequence to, both included and in order, on
// the caller's goroutine. A to of 0 is the newest event at the time of the call. Erased sequences
// are passed over. It ends at fn's error, which it returns as it is, and at ctx. Sealed blocks are
// read from their files with checksums verified, and decoding is spread over all processors. A
// damaged block is a [*DamageError] after its readable events.
func (st *Stream) Read(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return st.read(ctx, from, to, true, fn)
}

// ReadRaw is [Stream.Read] without decoding the events' data.
func (st *Stream) ReadRaw(ctx context.Context, from, to uint64, fn func(seq uint64, appended time.Time, env events.Envelope) error) error {
	return st.read(ctx, from, to, false, func(r events.Record) error { return fn(r.Seq, r.Appended, r.Envelope) })
}

// chunk is a run of messages on its way through a worker.
type chunk struct {
	in   []stored
	out  []decoded
	done chan struct{}
}

// read runs three stages: one goroutine gathers messages, workers decode chunks of them, and the
// caller's goroutine hands the events out in order. ordered bounds the chunks in memory.
func (st *Stream) read(ctx context.Context, from, to uint64, typed bool, fn func(events.Record) error) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	ordered, work := make(chan *chunk, 2*workers), make(chan *chunk, 2*workers)
	gathered := make(chan error, 1)
	go func() {
		err := st.gather(ctx, from, to, ordered, work)
		close(work)
		close(ordered)
		gathered <- err
	}()
	for range workers {
		go func() {
			for c := range work {
				c.decode(st.codec, typed)
			}
		}()
	}
	err := deliver(ctx, ordered, fn)
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
func (st *Stream) gather(ctx context.Context, from, to uint64, ordered, work chan<- *chunk) error {
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
	err := st.scan(ctx, from, to, false, func(m stored) error {
		if c == nil {
			c = &chunk{in: make([]stored, 0, chunkRecords), done: make(chan struct{})}
		}
		c.in = append(c.in, m)
		if len(c.in) == chunkRecords {
			return queue()
		}
		return nil
	})
	return errors.Join(err, queue())
}

func (c *chunk) decode(codec *codec, typed bool) {
	defer close(c.done)
	c.out = make([]decoded, len(c.in))
	for i, m := range c.in {
		env, err := codec.decode(m.message)
		if err != nil {
			c.out[i].err = fmt.Errorf("event %d: %w", m.seq, err)
			continue
		}
		c.out[i].rec = events.Record{Seq: m.seq, Envelope: env}
		if typed {
			c.out[i].rec = events.NewRecord(m.seq, env)
		}
		c.out[i].rec.Appended = m.appended
	}
	c.in = nil
}

// deliver hands the chunks' events to fn in order.
func deliver(ctx context.Context, ordered <-chan *chunk, fn func(events.Record) error) error {
	for c := range ordered {
		<-c.done
		for _, d := range c.out {
			if d.err != nil {
				return d.err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(d.rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// SeqAtTime is the first sequence whose event was appended at or after t; one more than the newest
// where there is none.
func (st *Stream) SeqAtTime(ctx context.Context, t time.Time) (uint64, error) {
	last, _ := st.Last()
	low, high := uint64(1), last+1 // the answer lies in [low, high]
	for low < high {
		mid := low + (high-low)/2
		seq, at, err := st.timeFrom(ctx, mid)
		switch {
		case errors.Is(err, ErrNoRecord): // nothing from mid on: erased
			high = mid
		case err != nil:
			return 0, err
		case at.Before(t):
			low = seq + 1
		default:
			high = mid
		}
	}
	return low, nil
}

// FindIDs tells which of these event ids are in the log at or after sequence from, with their
// sequences. It reads headers only and ends when all are found.
func (st *Stream) FindIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
	found := make(map[string]uint64, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	err := st.scan(ctx, from, 0, true, func(m stored) error {
		if _, wanted := ids[m.id]; !wanted {
			return nil
		}
		if _, again := found[m.id]; !again {
			found[m.id] = m.seq
		}
		if len(found) == len(ids) {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return found, err
}
