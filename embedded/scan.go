package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

const (
	fewMessages = 32              // up to so many are fetched one by one: cheaper than a consumer
	pullSize    = 5000            // messages asked for at once; measured best
	idleTimeout = 3 * time.Second // a consumer that is silent so long has met a hole
)

// errStop ends a scan early; it never reaches the caller of the package.
var errStop = errors.New("enough")

// scan calls fn with the messages from sequence from to sequence to (0: the newest now), in order.
// With headersOnly the data may be missing. It reads the block files, the newest one too: the server
// writes a message before it acknowledges it, so everything up to the last acknowledged sequence is
// in a file, and nothing behind it is looked at. What the newest file does not give, it asks the
// server for.
func (st *Stream) scan(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) error {
	last, _ := st.Last()
	if to == 0 || to > last {
		to = last
	}
	from = max(from, 1)
	if from > to || to-from < fewMessages {
		return st.scanOneByOne(ctx, from, to, fn)
	}
	deleted, first, err := st.deleted(ctx)
	if err != nil {
		return err
	}
	from = max(from, first)
	next, err := st.scanFiles(ctx, from, to, headersOnly, func(m stored) error {
		if deleted[m.seq] {
			return nil
		}
		return fn(m)
	})
	switch {
	case err != nil || next > to:
		return err
	case to-next < fewMessages:
		return st.scanOneByOne(ctx, next, to, fn)
	}
	return st.scanServer(ctx, next, to, headersOnly, fn)
}

// deleted is the set of sequences that the server hides, and the first one that it shows. A plain
// delete leaves the message in its block and writes a tombstone into the block that is newest then.
func (st *Stream) deleted(ctx context.Context) (hidden map[uint64]bool, first uint64, err error) {
	info, err := st.handle.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return nil, 0, fmt.Errorf("state of the log: %w", st.trouble(err))
	}
	hidden = make(map[uint64]bool, len(info.State.Deleted))
	for _, seq := range info.State.Deleted {
		hidden[seq] = true
	}
	return hidden, info.State.FirstSeq, nil
}

// scanFiles reads the block files and returns the sequence to go on from.
func (st *Stream) scanFiles(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) (uint64, error) {
	spans, err := st.blocks.spans(from, to)
	if err != nil {
		return 0, fmt.Errorf("blocks of the log: %w", err)
	}
	for _, b := range spans {
		from, err = st.scanFile(ctx, b, from, to, headersOnly, fn)
		switch {
		case errors.Is(err, errStop):
			return from, nil
		case err == nil && !b.newest:
			from = max(from, b.end)
		case b.newest && (err == nil || errors.Is(err, block.ErrDamaged) || errors.Is(err, fs.ErrNotExist)):
			return from, nil // the server knows the rest
		case errors.Is(err, block.ErrDamaged):
			st.srv.distrust()
			return 0, &DamageError{What: "a sealed block", FirstSeq: b.first, LastSeq: b.end - 1, BlockName: strconv.Itoa(b.index) + ".blk", Err: err}
		default:
			return 0, err
		}
	}
	return from, nil
}

// scanFile reads one block and returns the sequence behind the last message it gave to fn. It ends
// with errStop at to.
func (st *Stream) scanFile(ctx context.Context, b span, from, to uint64, headersOnly bool, fn func(stored) error) (uint64, error) {
	err := block.ReadFrom(st.blocks.path(b.index), streamName, from, to, func(r block.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !r.Erased {
			m := stored{seq: r.Seq, appended: r.Time, message: message{subject: r.Subject}.ofRaw(r.Header)}
			if !headersOnly {
				m.data = slices.Clone(r.Data) // the reader's buffer is used again
			}
			if err := fn(m); err != nil {
				return err
			}
		}
		if from = r.Seq + 1; from > to {
			return errStop
		}
		return nil
	})
	return from, err
}

func (st *Stream) scanOneByOne(ctx context.Context, from, to uint64, fn func(stored) error) error {
	for seq := from; seq <= to; seq++ {
		raw, err := st.handle.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return st.trouble(err)
		}
		m := stored{seq: seq, appended: raw.Time.UTC(), message: message{subject: raw.Subject, data: raw.Data}.ofHeader(raw.Header)}
		if err := fn(m); err != nil {
			return err
		}
	}
	return nil
}

// scanServer reads through an ordered consumer. It ends by sequence: what the server says is
// pending is wrong after damage. Silence means that the rest is not there.
func (st *Stream) scanServer(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) error {
	consumer, err := st.handle.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, HeadersOnly: headersOnly,
	})
	if err != nil {
		return fmt.Errorf("read from %d: %w", from, st.trouble(err))
	}
	it, err := consumer.Messages(jetstream.PullMaxMessages(pullSize))
	if err != nil {
		return fmt.Errorf("read from %d: %w", from, st.trouble(err))
	}
	defer it.Stop()
	for {
		wait, cancel := context.WithTimeout(ctx, idleTimeout)
		msg, err := it.Next(jetstream.NextContext(wait))
		cancel()
		if err != nil {
			return st.silence(ctx, from, to, err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if seq := meta.Sequence.Stream; seq > to {
			return nil
		}
		from = meta.Sequence.Stream + 1
		m := stored{seq: from - 1, appended: meta.Timestamp.UTC(), message: message{subject: msg.Subject(), data: msg.Data()}.ofHeader(msg.Headers())}
		if err := fn(m); err != nil || from > to {
			return err
		}
	}
}

// silence judges a consumer that gives no more: nothing is wrong when the rest was erased.
func (st *Stream) silence(ctx context.Context, next, to uint64, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("read from %d: %w", next, st.trouble(err))
	}
	seq, _, err := st.timeFrom(ctx, next)
	if errors.Is(err, ErrNoRecord) || err == nil && seq > to {
		return nil
	}
	st.srv.distrust()
	return &DamageError{What: "the server gives no more events", FirstSeq: next, LastSeq: to, Err: err}
}

// timeFrom finds the first event at or after seq, and when it was appended.
func (st *Stream) timeFrom(ctx context.Context, seq uint64) (uint64, time.Time, error) {
	raw, err := st.handle.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subjectRoot+".>"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, time.Time{}, ErrNoRecord
	}
	if err != nil {
		return 0, time.Time{}, st.trouble(err)
	}
	return raw.Sequence, raw.Time.UTC(), nil
}
