package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
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

// scanning is one pass over the log: fn gets the messages from sequence from to sequence to (0: the
// newest now), in order; a message's data is valid until fn returns. It reads the block files, the
// newest one too: the server writes a message before it acknowledges it, so everything up to the last
// acknowledged sequence is in a file, and nothing behind it is looked at. A few messages, and those of
// filters, it asks the server for.
type scanning struct {
	st          *Stream
	from, to    uint64
	headersOnly bool // the data may be missing
	fn          func(stored) error
	filters     []string // subjects: the server gives these and no others; nil: all
	tolerant    bool     // go on behind damage; else it ends the scan
}

// scan is a pass over the log that damage ends.
func (st *Stream) scan(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) error {
	return (&scanning{st: st, from: from, to: to, headersOnly: headersOnly, fn: fn}).scan(ctx)
}

func (s *scanning) scan(ctx context.Context) error {
	last, _ := s.st.Last()
	if s.to == 0 || s.to > last {
		s.to = last
	}
	s.from = max(s.from, 1)
	switch {
	case !s.tolerant && (s.from > s.to || s.to-s.from < fewMessages):
		return s.oneByOne(ctx)
	case s.filters != nil:
		return s.filtered(ctx)
	}
	return s.files(ctx)
}

// give hands out one message, and goes on behind it.
func (s *scanning) give(m stored) error {
	s.from = m.seq + 1
	return s.fn(m)
}

// deleted is the set of sequences that the server hides, and the first one that it shows.
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

// unread is the error about events between two sequences of which the server has said that they are not there; nil where
// that is so, since they were erased. It says the same of what the disk does not give.
func (st *Stream) unread(ctx context.Context, from, to uint64) error {
	hidden, first, err := st.deleted(ctx)
	if err != nil {
		return err
	}
	for seq := max(from, first, 1); seq <= to; seq++ {
		if !hidden[seq] {
			st.srv.distrust()
			return &DamageError{What: "the server does not give an event that it has", FirstSeq: seq, LastSeq: seq}
		}
	}
	return nil
}

// span is a block and the sequences that it has: first to end-1, or first and all that follow for the newest one.
type span struct {
	name       string
	first, end uint64
}

// spans lists the blocks that can hold a sequence of the pass, in order. A block of which no record can be read ends where
// the next one begins.
func (s *scanning) spans() ([]span, error) {
	numbers, err := block.Numbers(s.st.srv.opts.msgsDir())
	if err != nil {
		return nil, fmt.Errorf("blocks of the log: %w", err)
	}
	var out []span
	end := uint64(math.MaxUint64)
	for _, n := range slices.Backward(numbers) {
		b := span{name: strconv.Itoa(n) + blockSuffix, first: end, end: end}
		first, _ := block.First(filepath.Join(s.st.srv.opts.msgsDir(), b.name), streamName) // a reader of the block gets the error
		if first > 0 {
			b.first, end = first, first
		}
		if b.first <= s.to || b.end == math.MaxUint64 {
			out = append(out, b)
		}
		if b.first <= s.from {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// files reads the block files. What a damaged one gave is handed out before the error.
func (s *scanning) files(ctx context.Context) error {
	spans, err := s.spans()
	if err != nil {
		return err
	}
	for _, b := range spans {
		if err := s.file(ctx, b); err != nil || s.from > s.to {
			return err
		}
	}
	return nil
}

// file reads one block. An event that it lacks is damage, unless the server knows that it was erased.
func (s *scanning) file(ctx context.Context, b span) error {
	var told error
	var lacking []block.Range
	goOn := func(at uint64) {
		if s.from < at {
			lacking = append(lacking, block.Range{First: s.from, Last: at - 1})
			s.from = at
		}
	}
	err := block.ReadFrom(filepath.Join(s.st.srv.opts.msgsDir(), b.name), streamName, s.from, s.to, func(r block.Record) error {
		goOn(r.First)
		if r.Erased {
			s.from = r.Seq + 1
			return nil
		}
		told = s.record(ctx, r)
		return told
	})
	if told != nil {
		return told
	}

	whole := err == nil || errors.Is(err, block.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
	if !whole && !s.tolerant {
		return err
	}
	goOn(min(b.end, s.to+1))
	for _, r := range lacking {
		if s.tolerant || s.st.unread(ctx, r.First, r.Last) == nil {
			continue
		}
		return &DamageError{What: "a block", FirstSeq: r.First, LastSeq: r.Last, BlockName: b.name, Err: err}
	}
	return nil
}

// record hands out a message of a block.
func (s *scanning) record(ctx context.Context, r block.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m := stored{seq: r.Seq, appended: r.Time, message: message{subject: r.Subject}.ofRaw(r.Header)}
	if !s.headersOnly {
		m.data = r.Data
	}
	return s.give(m)
}

func (s *scanning) oneByOne(ctx context.Context) error {
	for seq := s.from; seq <= s.to; seq++ {
		m, err := s.st.ask(ctx, seq, seq)
		if errors.Is(err, ErrNoRecord) {
			continue
		}
		if err == nil {
			err = s.give(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// filtered reads what matches the filters, to the log's end. The server passes over an event that is damaged, and counts
// none in a block that the disk does not give: whenever it gave others than it had counted, or was silent, or a block could
// not be read, the files say what is wrong with what was wanted, and the rest of it is read without the filters.
func (s *scanning) filtered(ctx context.Context) error {
	from := s.from
	unread := s.st.srv.log.reads(streamName)
	missing, err := s.consume(ctx)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	if err == nil && missing == 0 && unread() == nil {
		return nil
	}
	if err := s.st.scan(ctx, from, s.to, true, func(stored) error { return nil }); err != nil {
		return err
	}
	s.filters = nil
	return s.scan(ctx)
}

// consume reads through an ordered consumer, and gives how many messages more or less came than the server had counted.
func (s *scanning) consume(ctx context.Context) (missing int64, err error) {
	last, _ := s.st.Last()
	consumer, err := s.st.handle.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: s.from, HeadersOnly: s.headersOnly, FilterSubjects: s.filters,
	})
	if err != nil {
		return 0, fmt.Errorf("read from %d: %w", s.from, s.st.trouble(err))
	}
	missing = int64(consumer.CachedInfo().NumPending)
	if missing == 0 {
		return 0, nil
	}
	it, err := consumer.Messages(jetstream.PullMaxMessages(pullSize))
	if err != nil {
		return missing, fmt.Errorf("read from %d: %w", s.from, s.st.trouble(err))
	}
	defer it.Stop()

	for {
		wait, cancel := context.WithTimeout(ctx, idleTimeout)
		msg, err := it.Next(jetstream.NextContext(wait))
		cancel()
		if err != nil {
			return missing, fmt.Errorf("read from %d: %w", s.from, s.st.trouble(err))
		}
		meta, err := msg.Metadata()
		if err != nil {
			return missing, err
		}
		seq := meta.Sequence.Stream
		if seq > last {
			return missing, nil
		}
		missing--
		if seq <= s.to {
			err = s.give(stored{seq: seq, appended: meta.Timestamp.UTC(), message: message{subject: msg.Subject(), data: msg.Data()}.ofHeader(msg.Headers())})
		}
		if err != nil || meta.NumPending == 0 {
			return missing, err
		}
	}
}
