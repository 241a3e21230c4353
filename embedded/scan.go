package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

const (
	pullSize    = 5000            // messages asked for at once; measured best
	idleTimeout = 3 * time.Second // a consumer that is silent so long has met a hole
)

// errStop ends a scan early; it never reaches the caller of the package.
var errStop = errors.New("enough")

// scanning is one pass over the log: fn gets the messages from sequence from to sequence to (0: the
// newest now), in order; a message's data is valid until fn returns. It reads the block files, the
// newest one too: the server writes a message before it acknowledges it, so everything up to the last
// acknowledged sequence is in a file, and nothing behind it is looked at. The messages of filters it asks the server for.
type scanning struct {
	st       *Stream
	from, to uint64
	fn       func(stored) error
	filters  []string // subjects: the server gives these and no others; nil: all
	tolerant bool     // go on behind damage; else it ends the scan
}

func (s *scanning) scan(ctx context.Context) error {
	last, _ := s.st.Last()
	if s.to == 0 || s.to > last {
		s.to = last
	}
	s.from = max(s.from, 1)
	if s.from > s.to {
		return nil
	}
	if s.filters != nil {
		return s.filtered(ctx)
	}
	return s.files(ctx)
}

// give calls fn with one message, and goes on behind it.
func (s *scanning) give(m stored) error {
	s.from = m.seq + 1
	return s.fn(m)
}

// files reads the block files, from the newest one on whose first message is not behind what is wanted. It ends at an event
// that they lack, unless the server knows that it was erased.
func (s *scanning) files(ctx context.Context) error {
	msgs := s.st.srv.opts.msgsDir()
	numbers, err := block.Numbers(msgs)
	if err != nil {
		return fmt.Errorf("blocks of the log: %w", err)
	}
	path := func(i int) string { return filepath.Join(msgs, strconv.Itoa(numbers[i])+blockSuffix) }
	i := max(0, len(numbers)-1)
	for ; i > 0; i-- {
		first, _ := block.First(path(i), streamName) // a reader of the block gets the error
		if 0 < first && first <= s.from {
			break
		}
	}

	for ; i < len(numbers) && s.from <= s.to; i++ {
		var told error
		err := block.ReadFrom(path(i), streamName, s.from, s.to, func(r block.Record) error {
			told = s.reach(ctx, r.First)
			if told != nil {
				return told
			}
			if r.Erased {
				s.from = r.Seq + 1
				return nil
			}
			m := message{subject: r.Subject, data: r.Data}.ofRaw(r.Header)
			told = s.give(stored{seq: r.Seq, appended: r.Time, message: m})
			return told
		})
		if told != nil {
			return told
		}
		if err != nil && !s.tolerant && !errors.Is(err, block.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.reach(ctx, s.to+1)
}

// reach is called before the message of a sequence. Those before it that did not come are damage, unless they were erased.
func (s *scanning) reach(ctx context.Context, at uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.from >= at || s.tolerant {
		return nil
	}
	return s.st.unread(ctx, s.from, at-1)
}

// filtered reads what matches the filters, to the log's end. The server passes over an event that is damaged, and counts
// none in a block that the disk does not give: whenever it gave others than it had counted, or was silent, or a block could
// not be read, the files say what is wrong with what was wanted, and the rest of it is read without the filters.
func (s *scanning) filtered(ctx context.Context) error {
	check := scanning{st: s.st, from: s.from, to: s.to, fn: func(stored) error { return nil }}
	last, _ := s.st.Last()
	unread := s.st.srv.log.reads(streamName)
	missing, err := consume(ctx, s.st.handle, s.from, s.filters, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		seq := meta.Sequence.Stream
		if seq > last {
			return errStop
		}
		if seq > s.to {
			return nil
		}
		m := message{subject: msg.Subject(), data: msg.Data()}.ofHeader(msg.Headers())
		return s.give(stored{seq: seq, appended: meta.Timestamp.UTC(), message: m})
	})
	if err != nil && !errors.Is(err, errStop) && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	if (err == nil || errors.Is(err, errStop)) && missing == 0 && unread() == nil {
		return nil
	}
	if err := check.files(ctx); err != nil {
		return err
	}
	return s.files(ctx)
}

// consume calls fn with the messages of a stream that match the filters, from a sequence on, and returns how many more or
// fewer came than the server had counted at first. It ends at fn's error, which it returns as it is.
func consume(ctx context.Context, from jetstream.Stream, seq uint64, filters []string, fn func(jetstream.Msg, *jetstream.MsgMetadata) error) (missing int64, err error) {
	consumer, err := from.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: seq, FilterSubjects: filters,
	})
	if err != nil {
		return 0, fmt.Errorf("read from %d: %w", seq, err)
	}
	defer func() { // else the server keeps it for minutes, and there may be a thousand of a stream
		_ = from.DeleteConsumer(context.WithoutCancel(ctx), consumer.CachedInfo().Name)
	}()
	missing = int64(consumer.CachedInfo().NumPending)
	if missing == 0 {
		return 0, nil
	}
	it, err := consumer.Messages(jetstream.PullMaxMessages(pullSize))
	if err != nil {
		return missing, fmt.Errorf("read from %d: %w", seq, err)
	}
	defer it.Stop()

	for {
		wait, cancel := context.WithTimeout(ctx, idleTimeout)
		msg, err := it.Next(jetstream.NextContext(wait))
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			if info, infoErr := consumer.Info(ctx); infoErr == nil && info.NumPending == 0 { // the last ones were deleted meanwhile
				return missing, nil
			}
		}
		if err != nil {
			return missing, fmt.Errorf("read from %d: %w", seq, err)
		}
		meta, err := msg.Metadata()
		if err == nil {
			err = fn(msg, meta)
		}
		if err != nil {
			return missing, err
		}
		missing--
		if meta.NumPending == 0 {
			return missing, nil
		}
	}
}

// unread returns the error about events between two sequences that were not found; nil where they were erased, since the
// server says the same of what the disk does not give.
func (st *Stream) unread(ctx context.Context, from, to uint64) error {
	info, err := st.handle.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return fmt.Errorf("state of the log: %w", st.trouble(err))
	}
	hidden := make(map[uint64]bool, len(info.State.Deleted))
	for _, seq := range info.State.Deleted {
		hidden[seq] = true
	}

	for seq := max(from, info.State.FirstSeq, 1); seq <= to; seq++ {
		if !hidden[seq] {
			st.srv.distrust()
			return &DamageError{What: "an event cannot be read", FirstSeq: seq, LastSeq: seq}
		}
	}
	return nil
}
