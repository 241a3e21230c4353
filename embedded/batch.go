package embedded

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Headers of the server's atomic batch; they stay in the stored messages, so the id is short.
const (
	batchID     = "Nats-Batch-Id"
	batchSeq    = "Nats-Batch-Sequence"
	batchCommit = "Nats-Batch-Commit"
)

// duplicateInBatch is the server's code for "atomic publish batch contains duplicate message id".
const duplicateInBatch = 10201

// appendBatch appends all messages or none. The server stages the batch in a store of its own that
// it syncs, so a batch costs about 3 ms, whatever its size.
func (st *Stream) appendBatch(ctx context.Context, msgs []message) ([]Receipt, error) {
	if len(msgs) > maxBatch {
		return nil, fmt.Errorf("%w: a batch of %d events", ErrTooLarge, len(msgs))
	}
	if err := fits(msgs); err != nil {
		return nil, err
	}
	reply, err := st.publishBatch(ctx, msgs)
	if err != nil {
		return nil, st.trouble(err)
	}
	if reply.Error != nil && reply.Error.ErrorCode == duplicateInBatch {
		return st.resent(ctx, msgs)
	}
	if reply.Error != nil {
		return nil, classify(reply.Error)
	}
	if reply.Count != len(msgs) {
		return nil, fmt.Errorf("the server committed %d of %d events", reply.Count, len(msgs))
	}
	out := make([]Receipt, len(msgs))
	for i := range msgs {
		out[i].Seq = reply.Seq - uint64(len(msgs)-1-i)
	}
	st.advance(reply.Seq, msgs[len(msgs)-1].id)
	return out, nil
}

// publishBatch sends the messages; only the last one is answered. An error on the way comes as the
// answer to the last one, too: the server has given the batch up then.
func (st *Stream) publishBatch(ctx context.Context, msgs []message) (pubAck, error) {
	if _, bounded := ctx.Deadline(); !bounded { // a server that cannot write does not answer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, startTimeout)
		defer cancel()
	}
	nc, id := st.js.Conn(), strconv.FormatUint(st.batch.Add(1), 36)
	for i, m := range msgs {
		msg := m.natsMsg()
		msg.Header[batchID] = []string{id}
		msg.Header[batchSeq] = []string{strconv.Itoa(i + 1)}
		if i == len(msgs)-1 {
			msg.Header[batchCommit] = []string{"1"}
			return st.publish(ctx, msg)
		}
		if err := nc.PublishMsg(msg); err != nil {
			return pubAck{}, err
		}
	}
	return pubAck{}, errors.New("a batch of no events")
}

// resent answers a batch that was refused because of ids the log has: receipts when it has all of
// them, as after a lost acknowledgement, else a [*DuplicateError].
func (st *Stream) resent(ctx context.Context, msgs []message) ([]Receipt, error) {
	ids := make(map[string]struct{}, len(msgs))
	for _, m := range msgs {
		ids[m.id] = struct{}{}
	}
	if len(ids) < len(msgs) {
		return nil, fmt.Errorf("%w: an id twice in one batch", ErrBadEnvelope)
	}
	if err := st.loadLast(ctx); err != nil { // of a lost acknowledgement nobody has told us
		return nil, err
	}
	from, err := st.SeqAtTime(ctx, time.Now().Add(-2*duplicateWindow))
	if err != nil {
		return nil, err
	}
	found, err := st.findIDs(ctx, from, ids)
	if err != nil {
		return nil, err
	}
	if len(found) < len(msgs) {
		return nil, &DuplicateError{Found: found}
	}
	out := make([]Receipt, len(msgs))
	for i, m := range msgs {
		out[i] = Receipt{Seq: found[m.id], Duplicate: true}
	}
	return out, nil
}
