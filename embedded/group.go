package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

// headerPart stands in every event of a group: "2/3" is the second of three.
const headerPart = "Hookline-Part"

// maxGroup bounds a group, since its events wait for each other.
const maxGroup = 16

// appendGroup writes the few events of one decision. They follow each other in the log, each knows its place, and nothing
// else comes between. The group is in the log whole or not at all, because of three rules:
//
//   - An event is sent when the one before it was acknowledged, so what a kill or a power cut leaves of a
//     group is its beginning, at the end of the log.
//   - When one behind the first fails, or nothing is known of the first, nothing is appended any more until the store was
//     opened again: an unfinished group stays at the end. The error is an [ErrWriteStuck].
//   - [Open] cuts an unfinished group off the end of the log before anything reads it. Nobody was told
//     of its events, so the sender still has them.
//
// A first event that the log has already is answered as a single one is: all of them are there, or the error is a
// [*DuplicateError]. The caller holds st.order.
func (st *Stream) appendGroup(ctx context.Context, msgs []message) ([]Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	out := make([]Receipt, len(msgs))
	for i, m := range msgs {
		msg := m.natsMsg()
		if len(msgs) > 1 {
			msg.Header[headerPart] = []string{strconv.Itoa(i+1) + "/" + strconv.Itoa(len(msgs))}
		}
		ack, err := st.publish(ctx, msg)
		refused := errors.As(err, new(*jetstream.APIError))
		switch {
		case err != nil && (len(msgs) == 1 || i == 0 && refused): // no group was begun
			return nil, st.trouble(err)
		case err == nil && ack.Duplicate && i > 0:
			err = fmt.Errorf("%w at %d", ErrDuplicate, ack.Sequence)
		case err == nil && ack.Duplicate && len(msgs) > 1:
			return st.resent(ctx, msgs)
		}
		if err != nil { // what the log has of the group must stay at its end
			err = fmt.Errorf("%w: event %d of %d that belong together: %w", ErrWriteStuck, i+1, len(msgs), st.trouble(err))
			st.stuck.CompareAndSwap(nil, &err)
			st.srv.distrust()
			return nil, err
		}
		out[i] = Receipt{Seq: ack.Sequence, Duplicate: ack.Duplicate}
	}
	st.advance(out[len(out)-1].Seq, msgs[len(msgs)-1].id) // a duplicate may be behind the end, too: its first acknowledgement was lost
	return out, nil
}

// resent answers a group whose first event the log has: with receipts when it has all of them, as after a lost
// acknowledgement, else with a [*DuplicateError].
func (st *Stream) resent(ctx context.Context, msgs []message) ([]Receipt, error) {
	ids := make(map[string]struct{}, len(msgs))
	for _, m := range msgs {
		ids[m.id] = struct{}{}
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

// cutUnfinished cuts an unfinished group off the end of the log, before the server sees it, and returns the newest sequence
// then. An event that something vouches for was folded, so its group was whole: what lacks of that is a loss.
//
// A group is synced to its end before anybody is told of it, so what was told has no end that is torn, unless the
// disk did not keep what it had said it had. Where something was cut off behind the group, that cannot be told, so the
// events that are cut are found with it.
func (s *Server) cutUnfinished(end uint64) (last uint64, err error) {
	newest, err := block.Newest(s.opts.msgsDir(), streamName)
	n := unfinishedParts(newest)
	if err != nil || n == 0 || newest.Seq <= s.vouched {
		return end, classify(err)
	}
	first := newest.Seq - min(n, newest.Seq) + 1
	if s.trimmed || len(s.found.Torn) > 0 {
		s.found.Torn = block.Join(append(s.found.Torn, block.Range{First: first, Last: newest.Seq})...)
		if err := s.keep(&s.found); err != nil {
			return 0, err
		}
	}

	cut, last, err := block.CutEnd(s.opts.msgsDir(), s.opts.archiveDir(), streamName, first)
	if err != nil {
		return 0, classify(err)
	}
	s.report.Unfinished += cut // a bucket's trouble may have it opened once more
	s.opts.Log.Warn("the end of the log was cut: events that belong together were not written to their end", "events", cut)
	return last, nil
}

// unfinishedParts returns how many events of a group the newest one ends that has others to come; 0 for all others.
func unfinishedParts(newest block.Record) uint64 {
	_, value, _ := bytes.Cut(newest.Header, []byte(headerPart+":"))
	value, _, _ = bytes.Cut(value, []byte("\r\n"))
	var k, n uint64
	if _, err := fmt.Sscanf(string(bytes.TrimSpace(value)), "%d/%d", &k, &n); err != nil || k == 0 || k >= n || n > maxGroup {
		return 0
	}
	return k
}
