package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// Select is [Stream.Read] for those events that one of the selectors means. It reads no other from the sealed
// blocks, whose contents are kept beside the log (and made where they are missing), so that it costs what it finds.
func (st *Stream) Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	if meansAll(want) {
		return st.Read(ctx, from, to, fn)
	}
	return decodeAll(ctx, st.codec, true, func(ctx context.Context, give func(stored) error) error {
		return st.selected(ctx, from, to, want, give)
	}, fn)
}

func meansAll(want []projector.Selector) bool {
	return slices.ContainsFunc(want, func(w projector.Selector) bool { return w.Session == "" && w.Project == "" && w.Types == nil })
}

func (st *Stream) selected(ctx context.Context, from, to uint64, want []projector.Selector, give func(stored) error) error {
	last, _ := st.Last()
	if to == 0 || to > last {
		to = last
	}
	if from = max(from, 1); from > to {
		return nil
	}
	hidden, first, err := st.deleted(ctx)
	if err != nil {
		return err
	}
	s := selection{shelf: shelf{blocks: st.blocks, limit: last}, want: want, hidden: hidden, give: give}
	next, err := s.run(ctx, max(from, first), to)
	if errors.Is(err, ErrLogDamaged) {
		st.srv.distrust()
	}
	if err != nil || next > to {
		return err
	}
	return st.scan(ctx, next, to, false, s.filter) // the newest file does not give it: the server may
}

// SeqCaptured is the newest sequence whose event was captured at or before t, to the millisecond; 0 where there is
// none. Events that came late stand behind younger ones, so earlier sequences may have been captured after t, and
// no later one was captured before it.
func (st *Stream) SeqCaptured(ctx context.Context, t time.Time) (uint64, error) {
	last, _ := st.Last()
	hidden, _, err := st.deleted(ctx)
	if err != nil {
		return 0, err
	}
	seq, err := shelf{blocks: st.blocks, limit: last}.captured(ctx, t, hidden)
	if errors.Is(err, ErrLogDamaged) {
		st.srv.distrust()
	}
	return seq, err
}

// shelf gives the contents of every block: of sealed ones those that are kept, of the newest one new ones.
type shelf struct {
	blocks *blockIndex
	limit  uint64            // the newest sequence that counts
	held   map[int]*contents // where set, all contents
}

// of is the contents of one block. A damaged sealed block is a [*DamageError]; of the newest one the good part counts.
func (s shelf) of(b span) (*contents, error) {
	if c := s.held[b.index]; c != nil {
		return c, nil
	}
	if !b.newest {
		c, err := s.blocks.contents(b.index)
		return c, damageOf(b, err)
	}
	c, err := survey(s.blocks.path(b.index), s.limit)
	if errors.Is(err, block.ErrDamaged) || errors.Is(err, fs.ErrNotExist) && c == nil {
		err = nil
	}
	if c == nil {
		c = &contents{}
	}
	return c, err
}

// damageOf says of a block's damage where in the log it is.
func damageOf(b span, err error) error {
	if errors.Is(err, block.ErrDamaged) {
		return &DamageError{What: "a sealed block", FirstSeq: b.first, LastSeq: b.end - 1, BlockName: strconv.Itoa(b.index) + ".blk", Err: err}
	}
	return err
}

// captured is the newest sequence that was captured at or before t.
func (s shelf) captured(ctx context.Context, t time.Time, hidden map[uint64]bool) (uint64, error) {
	spans, err := s.blocks.spans(0, s.limit)
	if err != nil {
		return 0, fmt.Errorf("blocks of the log: %w", err)
	}
	for _, b := range slices.Backward(spans) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c, err := s.of(b)
		if err != nil {
			return 0, err
		}
		if c.captured[0] > t.UnixMilli() || c.last == 0 {
			continue
		}
		seq, err := s.capturedIn(b, t.UnixMilli(), hidden)
		if err != nil || seq > 0 {
			return seq, damageOf(b, err)
		}
	}
	return 0, nil
}

func (s shelf) capturedIn(b span, ms int64, hidden map[uint64]bool) (seq uint64, err error) {
	err = block.ReadFrom(s.blocks.path(b.index), streamName, 0, s.limit, func(r block.Record) error {
		if !r.Erased && !hidden[r.Seq] && capturedMS(r.Header) <= ms {
			seq = r.Seq
		}
		return nil
	})
	if b.newest && errors.Is(err, block.ErrDamaged) {
		err = nil
	}
	return seq, err
}

// selection is one reading of chosen messages.
type selection struct {
	shelf
	want   []projector.Selector
	hidden map[uint64]bool
	give   func(stored) error
}

// run reads the blocks and returns the sequence to go on from.
func (s selection) run(ctx context.Context, from, to uint64) (uint64, error) {
	spans, err := s.blocks.spans(from, to)
	if err != nil {
		return 0, fmt.Errorf("blocks of the log: %w", err)
	}
	for _, b := range spans {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c, err := s.of(b)
		if err != nil {
			return 0, err
		}
		if err := s.pick(b, c, from, to); err != nil {
			return 0, err
		}
		if from = max(from, c.last+1); !b.newest {
			from = max(from, b.end)
		}
	}
	return from, nil
}

// pick gives the wanted messages of one block. Contents that turn out not to be the block's are made again, once.
func (s selection) pick(b span, c *contents, from, to uint64) error {
	for again := false; ; again = true {
		places, ok := c.places(s.want, from, to)
		err := error(block.ErrDamaged)
		if ok {
			err = s.blocks.records(b.index, c, places, func(r block.Record) error {
				from = r.Seq + 1
				return s.record(r)
			})
		}
		if again || !errors.Is(err, block.ErrDamaged) {
			return damageOf(b, err)
		}
		if c, err = s.blocks.renew(b.index); err != nil {
			return damageOf(b, err)
		}
	}
}

// records reads the messages at the places: each by itself, or the whole block where they are most of it.
func (b *blockIndex) records(n int, c *contents, places []block.Place, fn func(block.Record) error) error {
	if len(places) == 0 {
		return nil
	}
	var sum int64
	for _, p := range places {
		sum += int64(p.Size)
	}
	if sum < c.of.size/2 {
		return block.Pick(b.path(n), streamName, places, fn)
	}
	err := block.Walk(b.path(n), streamName, func(at block.Place, r block.Record) error {
		if len(places) == 0 {
			return errStop
		}
		if at != places[0] {
			return nil
		}
		places = places[1:]
		return fn(r)
	})
	switch {
	case errors.Is(err, errStop), err == nil && len(places) == 0:
		return nil
	case err == nil:
		return fmt.Errorf("%w: no record at %d", block.ErrDamaged, places[0].Off) // the contents are another file's
	}
	return err
}

func (s selection) record(r block.Record) error {
	if r.Erased || r.Tombstone || s.hidden[r.Seq] {
		return nil
	}
	m := message{subject: r.Subject, data: slices.Clone(r.Data)}.ofRaw(r.Header) // the reader's buffer is used again
	return s.give(stored{seq: r.Seq, appended: r.Time, message: m})
}

// filter gives a message that was read otherwise if it is wanted.
func (s selection) filter(m stored) error {
	names := splitSubject(m.subject)
	for _, w := range s.want {
		if w.Match(names[ofSession], names[ofProject], names[ofType]) {
			return s.give(m)
		}
	}
	return nil
}

// sealed makes the contents of sealed blocks that have none, and removes what a crash left of such a writing; a
// block that cannot be read is passed over, and is the error. It ends early with quit.
func (b *blockIndex) sealed(quit <-chan struct{}) error {
	if left, err := filepath.Glob(filepath.Join(b.tables, "*.tmp")); err == nil {
		for _, f := range left {
			_ = os.Remove(f) // one that is being written is then not kept, and made again
		}
	}
	spans, err := b.spans(0, math.MaxUint64)
	if err != nil {
		return err
	}
	var unread []error
	for _, sp := range spans {
		select {
		case <-quit:
			return errors.Join(unread...)
		default:
		}
		if _, err := os.Lstat(b.contentsFile(sp.index)); err != nil && !sp.newest {
			if _, err := b.renew(sp.index); err != nil {
				unread = append(unread, fmt.Errorf("contents of %s: %w", sp.name(), err))
			}
		}
	}
	return errors.Join(unread...)
}
