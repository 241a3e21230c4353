package embedded

import (
	"context"
	"errors"

	"hookline/events"
)

// Read calls fn with each event from sequence from to sequence to, both included and in order, on
// the caller's goroutine. A to of 0 is the newest event at the time of the call. Erased sequences
// are passed over. It ends at fn's error, which it returns as it is, and at ctx. Sealed blocks are
// read from their files with checksums verified, and decoding is spread over all processors. A
// damaged block is a [*DamageError] after its readable events.
func (st *Stream) Read(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{typed: true}.run(ctx, st.codec, st.scanner(from, to), fn)
}

// ReadLent is [Stream.Read] for a caller that keeps nothing of a record but its strings: the record's
// Data, and the raw members of its event, are overwritten after fn returns. Folds are such callers. A
// long log is then read in the memory of a few chunks.
func (st *Stream) ReadLent(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{typed: true, lent: true}.run(ctx, st.codec, st.scanner(from, to), fn)
}

// ReadRaw is [Stream.Read] without decoding the events' data: Event is nil.
func (st *Stream) ReadRaw(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
	return pass{}.run(ctx, st.codec, st.scanner(from, to), fn)
}

func (st *Stream) scanner(from, to uint64) scanner {
	return func(ctx context.Context, give func(stored) error) error { return st.scan(ctx, from, to, false, give) }
}

// FindIDs tells which of these event ids are in the log at or after sequence from, with their
// sequences, those included whose acknowledgement was lost. It reads headers only and ends when all are found.
func (st *Stream) FindIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
	if len(ids) > 0 && st.inDoubt() {
		st.order.RLock()
		err := st.resolve(ctx)
		st.order.RUnlock()
		if err != nil {
			return nil, err
		}
	}
	return st.findIDs(ctx, from, ids)
}

// findIDs is FindIDs for the events up to [Stream.Last].
func (st *Stream) findIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
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
