package embedded

import (
	"context"
	"fmt"
	"sync"
)

// doubt counts the messages of which nothing is known, since their acknowledgement was lost: the log may have them
// behind the newest event that anybody was told of. The server takes messages in the order in which they were sent,
// so an answer to one that was sent later settles those before it: its own sequence is behind theirs. The zero value
// is without doubt.
type doubt struct {
	mu              sync.Mutex
	raised, settled uint64
}

// count is to be taken before a message is sent, and given to settle.
func (d *doubt) count() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.raised
}

func (d *doubt) raise() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.raised++
}

func (d *doubt) settle(before uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled = max(d.settled, before)
}

func (d *doubt) open() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.raised > d.settled
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
	if !st.doubt.open() || st.stuck.Load() != nil {
		return nil
	}
	if err := st.loadLast(ctx); err != nil {
		return fmt.Errorf("newest event: %w", st.trouble(err))
	}
	return nil
}
