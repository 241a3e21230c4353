package embedded

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookline/embedded/block"
	"hookline/events"
)

// headerPart stands in every event of a group: "2/3" is the second of three.
const headerPart = "Hookline-Part"

// maxGroup bounds a group; more events than that are cheaper as an atomic batch of the server.
const maxGroup = 16

// AppendGroup is [Stream.Append] for the few events of one decision, without the 3 ms of an atomic batch:
// they follow each other in the log, each knows its place, and nothing else comes between. The group is in
// the log whole or not at all, because of three rules:
//
//   - An event is sent when the one before it was acknowledged, so what a kill or a power cut leaves of a
//     group is its beginning, at the end of the log.
//   - When one of them fails, nothing is appended any more until the store was opened again: an unfinished
//     group stays at the end. The error is an [ErrWriteStuck].
//   - [Open] cuts an unfinished group off the end of the log before anything reads it. Nobody was told
//     of its events, so the sender still has them.
//
// A first event that the log has already is answered as Append answers it: all of them are there, or the
// error is a [*DuplicateError].
func (st *Stream) AppendGroup(ctx context.Context, envs ...events.Envelope) ([]Receipt, error) {
	if len(envs) < 2 || len(envs) > maxGroup {
		return st.Append(ctx, envs...)
	}
	msgs, err := st.encode(envs)
	if err != nil {
		return nil, err
	}
	out, err := st.appended(ctx, envs, func(ctx context.Context) ([]Receipt, error) {
		st.order.Lock()
		defer st.order.Unlock()
		return st.appendGroup(ctx, msgs)
	})
	st.begin(out)
	return out, err
}

// appendGroup sends the messages one after the other. The caller holds st.order.
func (st *Stream) appendGroup(ctx context.Context, msgs []message) ([]Receipt, error) {
	if err := fits(msgs); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // it waited too long for its turn: nothing was sent
		return nil, err
	}
	out := make([]Receipt, len(msgs))
	for i, m := range msgs {
		if p := st.stuck.Load(); p != nil {
			return nil, *p
		}
		msg := m.natsMsg()
		msg.Header[headerPart] = []string{strconv.Itoa(i+1) + "/" + strconv.Itoa(len(msgs))}
		ack, err := st.publish(ctx, msg)
		switch {
		case err == nil && ack.Error != nil && i == 0: // refused: the log is as it was
			return nil, st.trouble(ack.Error)
		case err == nil && ack.Duplicate && i == 0:
			return st.resent(ctx, msgs)
		case err == nil && ack.Error != nil:
			err = ack.Error
		case err == nil && ack.Duplicate:
			err = fmt.Errorf("%w at %d", ErrDuplicate, ack.Seq)
		}
		if err != nil {
			return nil, st.unfinished(i+1, len(msgs), err)
		}
		out[i].Seq = ack.Seq
	}
	st.advance(out[len(out)-1].Seq, msgs[len(msgs)-1].id)
	return out, nil
}

// unfinished ends all appends: what the log has of the group must stay at its end.
func (st *Stream) unfinished(part, of int, err error) error {
	err = fmt.Errorf("%w: event %d of %d that belong together: %w", ErrWriteStuck, part, of, st.trouble(err))
	st.stuck.CompareAndSwap(nil, &err)
	st.srv.distrust()
	return err
}

// cutUnfinished cuts an unfinished group off the end of the log, before the server sees it, and returns the newest sequence
// then. An event that
// something vouches for was folded, so its group was whole: what lacks of that is a loss.
//
// A group is synced to its end before anybody is told of it, so what was told has no end that is torn, unless the
// disk did not keep what it had said it had. Where a torn record stood behind the group, that cannot be told, so the
// events that are cut are found with it.
func (s *Server) cutUnfinished(end uint64) (last uint64, err error) {
	newest, err := block.Newest(s.opts.msgsDir(), streamName)
	n := uint64(unfinishedParts(newest))
	if err != nil || n == 0 || newest.Seq <= s.vouched {
		return end, classify(err)
	}
	first := newest.Seq - min(n, newest.Seq) + 1
	if s.tornBehind(newest.Seq) {
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

// tornBehind tells that something was cut off right behind a sequence, by this opening or one before it.
func (s *Server) tornBehind(seq uint64) bool {
	return s.trimmed || slices.ContainsFunc(s.found.Torn, func(r block.Range) bool { return r.First == seq+1 })
}

// unfinishedParts tells how many events of a group the newest one ends that has others to come; 0 for all
// others.
func unfinishedParts(newest block.Record) int {
	for line := range bytes.SplitSeq(newest.Header, []byte("\r\n")) {
		name, value, _ := strings.Cut(string(line), ":")
		if name != headerPart {
			continue
		}
		part, of, _ := strings.Cut(strings.TrimSpace(value), "/")
		k, errK := strconv.Atoi(part)
		n, errN := strconv.Atoi(of)
		if errK == nil && errN == nil && 0 < k && k < n && n <= maxGroup {
			return k
		}
	}
	return 0
}
