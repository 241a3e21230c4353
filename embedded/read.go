package embedded

import (
	"context"
	"errors"

	"hookline/events"
)

// Read calls fn with each event from sequence from to sequence to, both included and in order, on
// the caller's goroutine. A to of 0 is the newest event at the time of the call. Erased sequences
// are passed over. It ends at fn's error, which it returns as it is, and at ctx. Blocks are
// read from their files with checksums verified, and decoding is spread over all processors. An event that cannot be read
// is a [*DamageError] after those before it.
func (st *Stream) Read(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{typed: true}.run(ctx, &scanning{st: st, from: from, to: to}, fn)
}

// ReadLent is [Stream.Read] for a caller that keeps nothing of a record but its strings: the record's
// Data, and the raw members of its event, are overwritten after fn returns. Folds are such callers. A
// long log is then read in the memory of a few chunks.
func (st *Stream) ReadLent(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{typed: true, lent: true}.run(ctx, &scanning{st: st, from: from, to: to}, fn)
}

// ReadRaw is [Stream.Read] without decoding the events' data: Event is nil.
func (st *Stream) ReadRaw(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{}.run(ctx, &scanning{st: st, from: from, to: to}, fn)
}

// FindIDs returns which of these event ids are in the log at or after sequence from, with their
// sequences, those included whose acknowledgement was lost. It ends when all are found.
func (st *Stream) FindIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
	st.order.Lock()
	err := st.resolve(ctx)
	st.order.Unlock()
	if err != nil {
		return nil, err
	}
	return st.findIDs(ctx, from, ids)
}

// findIDs is FindIDs for the events up to [Stream.Last].
func (st *Stream) findIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
	found := make(map[string]uint64, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	s := &scanning{st: st, from: from, fn: func(m stored) error {
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
	}}
	if err := s.scan(ctx); !errors.Is(err, errStop) {
		return found, err
	}
	return found, nil
}
