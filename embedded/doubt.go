package embedded

import (
	"context"
	"fmt"
)

// There is doubt while nothing is known of a message, since its acknowledgement was lost: the log may have it behind the
// newest event that anybody was told of. The server takes messages in the order in which they were sent, so an answer to
// one that was sent later settles those before it: its own sequence is behind theirs.

// inDoubt tells that nothing is known of a message.
func (st *Stream) inDoubt() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.unknown > st.settled
}

// Settled is [Stream.Last] when every append under way has come to its end, those included whose acknowledgement was
// lost. Its error is the one after which nothing is appended any more: the log may end with a part of a group then,
// which nobody may see.
func (st *Stream) Settled(ctx context.Context) (seq uint64, id string, err error) {
	st.order.Lock()
	defer st.order.Unlock()
	if p := st.stuck.Load(); p != nil {
		return 0, "", *p
	}
	if err := st.resolve(ctx); err != nil {
		return 0, "", err
	}
	seq, id = st.Last()
	return seq, id, nil
}

// resolve asks the server for the newest event when there is doubt. The caller holds st.order, so that no group is
// under way. What a stuck stream ends with is not shown.
func (st *Stream) resolve(ctx context.Context) error {
	if !st.inDoubt() || st.stuck.Load() != nil {
		return nil
	}
	if err := st.loadLast(ctx); err != nil {
		return fmt.Errorf("newest event: %w", st.trouble(err))
	}
	return nil
}
