package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

const (
	fewMessages = 32              // up to so many are fetched one by one: cheaper than a consumer
	pullSize    = 5000            // messages asked for at once; measured best
	idleTimeout = 3 * time.Second // a consumer that is silent so long has met a hole
)

// scan calls fn with the messages from sequence from to sequence to (0: the newest now), in order.
// With headersOnly the data may be missing.
func (st *Stream) scan(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) error {
	last, _ := st.Last()
	if to == 0 || to > last {
		to = last
	}
	from = max(from, 1)
	next, err := st.scanSealed(ctx, from, to, headersOnly, fn)
	if err != nil || next > to {
		return err
	}
	if to-next < fewMessages {
		return st.scanOneByOne(ctx, next, to, fn)
	}
	return st.scanServer(ctx, next, to, headersOnly, fn)
}

// scanSealed reads what lies in sealed blocks and returns the sequence to go on from.
func (st *Stream) scanSealed(ctx context.Context, from, to uint64, headersOnly bool, fn func(stored) error) (uint64, error) {
	sealed, err := st.blocks.sealed(from, to)
	if err != nil {
		return 0, fmt.Errorf("blocks of the log: %w", err)
	}
	for _, b := range sealed {
		err := block.ReadFrom(st.blocks.path(b.index), streamName, from, min(to, b.end-1), func(r block.Record) error {
			if r.Erased {
				return nil
			}
			m := stored{seq: r.Seq, appended: r.Time, message: message{subject: r.Subject}.ofRaw(r.Header)}
			if !headersOnly {
				m.data = slices.Clone(r.Data) // the reader's buffer is used again
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(m)
		})
		if errors.Is(err, block.ErrDamaged) {
			err = &DamageError{What: "a sealed block", FirstSeq: b.first, LastSeq: b.end - 1, BlockName: strconv.Itoa(b.index) + ".blk", Err: err}
		}
		if err != nil {
			return 0, err
		}
		from = max(from, b.end)
	}
	return from, nil
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

// blockIndex remembers the first sequence of each block; a block's first never changes.
type blockIndex struct {
	dir string

	mu     sync.Mutex
	firsts map[int]uint64
}

// span is a sealed block: sequences first to end-1.
type span struct {
	index      int
	first, end uint64
}

func newBlockIndex(dir string) *blockIndex {
	return &blockIndex{dir: dir, firsts: make(map[int]uint64)}
}

func (b *blockIndex) path(n int) string { return filepath.Join(b.dir, strconv.Itoa(n)+".blk") }

// sealed lists the sealed blocks that hold a sequence between from and to, in order.
func (b *blockIndex) sealed(from, to uint64) ([]span, error) {
	names, err := blockNames(b.dir)
	if err != nil || len(names) < 2 {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var failed error
	first := func(i int) uint64 {
		n, err := b.first(names[i])
		failed = errors.Join(failed, err)
		return n
	}
	// The block before the first one that begins behind from is where from lies.
	i := max(0, sort.Search(len(names), func(i int) bool { return first(i) > from })-1)
	var out []span
	for ; i < len(names)-1 && failed == nil; i++ {
		sp := span{index: names[i], first: first(i), end: first(i + 1)}
		if sp.first > to || sp.end == math.MaxUint64 {
			break
		}
		out = append(out, sp)
	}
	return out, failed
}

// first is the block's first sequence; the highest number for a block without a record.
func (b *blockIndex) first(n int) (uint64, error) {
	if seq, ok := b.firsts[n]; ok {
		return seq, nil
	}
	seq := uint64(math.MaxUint64)
	err := block.ReadFrom(b.path(n), streamName, 0, math.MaxUint64, func(r block.Record) error {
		seq = r.Seq
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) && !errors.Is(err, block.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if seq != math.MaxUint64 {
		b.firsts[n] = seq
	}
	return seq, nil
}
