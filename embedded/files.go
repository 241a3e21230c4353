package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// ErrUnclean says that the store's last exit was not in order, so that its files must be checked by [Open] before they are believed.
var ErrUnclean = errors.New("the last exit was not in order")

// Files is the log read from its files, without a server: what a question about the past needs, at a twentieth of
// what [Open] costs. It holds the store's lock, so that nothing changes meanwhile, and changes nothing itself but the
// contents of blocks that it keeps. For one goroutine.
type Files struct {
	lock   *lock
	shelf  shelf
	codec  *codec
	hidden map[uint64]bool
	names  map[string]bool // of sessions
	last   uint64
}

// OpenFiles takes the lock and reads the contents of all blocks. The error is a [*LockedError] while another process has
// the store, and [ErrUnclean] where the files are not as an exit in order left them.
func OpenFiles(o Options) (*Files, error) {
	o = o.withDefaults()
	l, err := takeLock(o.Lock, o.Holder)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	f := &Files{lock: l, hidden: map[uint64]bool{}, names: map[string]bool{}}
	if err := f.open(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", o.Dir, err), l.release())
	}
	return f, nil
}

func (f *Files) open(o Options) (err error) {
	marker, err := block.ReadMarker(o.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnclean, err)
	}
	blocks, err := list(o.msgsDir())
	if err != nil {
		return err
	}
	if len(blocks) != len(marker.Blocks) {
		return fmt.Errorf("%w: %d blocks where it left %d", ErrUnclean, len(blocks), len(marker.Blocks))
	}
	for _, b := range blocks {
		if !marker.Vouches(b) {
			return fmt.Errorf("%w: %s has changed", ErrUnclean, b.Name)
		}
	}
	if f.codec, err = payloads(); err != nil {
		return err
	}
	f.last = marker.LastSeq
	f.shelf = shelf{blocks: newBlockIndex(o.msgsDir(), o.tablesDir()), limit: marker.LastSeq, held: map[int]*contents{}}
	return f.load(blocks)
}

// load reads the contents of all blocks; the newest one is read whole, as at every start.
func (f *Files) load(blocks []block.Info) error {
	for i, b := range blocks {
		c, err := (*contents)(nil), error(nil)
		if i == len(blocks)-1 {
			c, err = survey(f.shelf.blocks.path(b.Index), f.last)
		} else {
			c, err = f.shelf.blocks.contents(b.Index)
		}
		if errors.Is(err, block.ErrDamaged) {
			return fmt.Errorf("%w: %w", ErrUnclean, err)
		}
		if err != nil {
			return err
		}
		f.shelf.held[b.Index] = c
		if c.first > 0 {
			f.shelf.blocks.firsts[b.Index] = c.first
		}
		for _, seq := range c.tombs {
			f.hidden[seq] = true
		}
		for _, name := range c.names[ofSession] {
			f.names[name] = true
		}
	}
	return nil
}

// Close gives up the lock.
func (f *Files) Close() error { return f.lock.release() }

// Last is the newest sequence; 0 for an empty log.
func (f *Files) Last() uint64 { return f.last }

// Sessions are the ids of all sessions in the log.
func (f *Files) Sessions() []string {
	out := make([]string, 0, len(f.names))
	for name := range f.names {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Select is [Stream.Select].
func (f *Files) Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	if to == 0 || to > f.last {
		to = f.last
	}
	return decodeAll(ctx, f.codec, true, func(ctx context.Context, give func(stored) error) error {
		s := selection{shelf: f.shelf, want: want, hidden: f.hidden, give: give}
		_, err := s.run(ctx, max(from, 1), to)
		return err
	}, fn)
}

// Get is [Stream.Get].
func (f *Files) Get(ctx context.Context, seq uint64) (events.Record, error) {
	var found *events.Record
	err := f.Select(ctx, seq, seq, []projector.Selector{{}}, func(r events.Record) error {
		found = &r
		return nil
	})
	if err == nil && (found == nil || seq == 0) {
		err = ErrNoRecord
	}
	if err != nil {
		return events.Record{}, fmt.Errorf("event %d: %w", seq, err)
	}
	return *found, nil
}

// SeqCaptured is [Stream.SeqCaptured].
func (f *Files) SeqCaptured(ctx context.Context, t time.Time) (uint64, error) {
	return f.shelf.captured(ctx, t, f.hidden)
}

// SeqAtTime is [Stream.SeqAtTime].
func (f *Files) SeqAtTime(ctx context.Context, t time.Time) (uint64, error) {
	spans, err := f.shelf.blocks.spans(0, f.last)
	if err != nil {
		return 0, fmt.Errorf("blocks of the log: %w", err)
	}
	for _, b := range spans {
		c, err := f.shelf.of(b)
		if err != nil {
			return 0, err
		}
		if time.Unix(0, c.appended[1]).Before(t) {
			continue
		}
		var seq uint64
		err = block.ReadFrom(f.shelf.blocks.path(b.index), streamName, 0, f.last, func(r block.Record) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if r.Erased || f.hidden[r.Seq] || r.Time.Before(t) {
				return nil
			}
			seq = r.Seq
			return errStop
		})
		if errors.Is(err, errStop) {
			return seq, nil
		}
		if err != nil {
			return 0, damageOf(b, err)
		}
	}
	return f.last + 1, nil
}
