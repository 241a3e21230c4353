package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/events"
)

const (
	// maxPayload bounds a message in bytes; above it the server warns.
	maxPayload = 8 << 20

	// appendTimeout bounds the events of one decision. After a write error the server does not answer at all; on a busy
	// machine an answer takes milliseconds.
	appendTimeout = 3 * time.Second

	// duplicateWindow is how long the server remembers ids, about 140 B of memory each.
	duplicateWindow = 2 * time.Minute
)

// Receipt is the log's answer to one appended event.
type Receipt struct {
	Seq       uint64
	Duplicate bool // the id was in the log already, at Seq; nothing was appended
}

// Stream is the event log. Its methods may be used by many goroutines at once.
type Stream struct {
	srv    *Server
	handle jetstream.Stream
	codec  *codec
	sync   *syncer

	stuck atomic.Pointer[error] // the first error after which nothing is appended any more
	order sync.Mutex            // held while events are written: nothing comes between those of a group

	replies *nats.Subscription // where the server answers to messages of a group; nil until there is one
	answers chan *nats.Msg     // of replies

	mu      sync.Mutex
	last    uint64
	lastID  string
	unknown uint64 // messages of which nothing is known
	settled uint64 // of these, those before the newest answer
}

// streamConfig is the log's configuration. No limits and no compression: with it one bad bit costs
// the whole stream. DenyDelete stays off, since lawful erasure needs the delete. Atomic batches are allowed for the builds
// before, which wrote some.
func streamConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: streamName, Subjects: []string{subjectRoot + ".>"},
		Storage: jetstream.FileStorage, Replicas: 1,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		Duplicates: duplicateWindow, Compression: jetstream.NoCompression,
		AllowDirect: true, AllowAtomicPublish: true, DenyPurge: true,
		Metadata: map[string]string{"schema": schema},
	}
}

// Append adds the events of one decision in the given order and returns one receipt each. Up to 16 are in the log whole or
// not at all (group.go); more are appended as by [Stream.AppendEach]. An event whose id came within the last two minutes is a
// Duplicate. The events are written when Append returns, and on their way to the disk; they are there after [Stream.Sync]
// of the last sequence. An error after the acknowledgement is possible, so an append that failed may be repeated with the
// same ids.
func (st *Stream) Append(ctx context.Context, envs ...events.Envelope) ([]Receipt, error) {
	write := st.appendGroup
	if len(envs) > maxGroup {
		write = st.appendEach
	}
	out, err := st.append(ctx, envs, write)
	if err == nil && !st.srv.opts.Always && len(out) > 0 {
		st.sync.begin(out[len(out)-1].Seq)
	}
	return out, err
}

// AppendEach is [Stream.Append] for events that do not belong together and that no hook waits for: when it fails, some of
// them may be in the log, and they are not on their way to the disk until the next append is, or [Stream.Sync].
func (st *Stream) AppendEach(ctx context.Context, envs ...events.Envelope) ([]Receipt, error) {
	return st.append(ctx, envs, st.appendEach)
}

// append encodes events and writes them while nothing else is appended.
func (st *Stream) append(ctx context.Context, envs []events.Envelope, write func(context.Context, []message) ([]Receipt, error)) ([]Receipt, error) {
	if len(envs) == 0 {
		return nil, nil
	}
	msgs := make([]message, len(envs))
	for i, env := range envs {
		var err error
		if msgs[i], err = st.codec.encode(env); err != nil {
			return nil, fmt.Errorf("append %s: %w", env.Type, err)
		}
	}

	if len(msgs) == 1 {
		write = st.appendGroup
	}

	st.order.Lock()
	defer st.order.Unlock()
	err := ctx.Err() // it may have waited too long for its turn
	if p := st.stuck.Load(); p != nil {
		err = *p
	}
	var out []Receipt
	if err == nil {
		out, err = write(ctx, msgs)
	}
	if err != nil {
		return nil, fmt.Errorf("append %s (%d events): %w", envs[0].Type, len(envs), err)
	}
	return out, nil
}

// appendEach sends messages without waiting for each. The caller holds st.order.
func (st *Stream) appendEach(ctx context.Context, msgs []message) ([]Receipt, error) {
	out := make([]Receipt, 0, len(msgs))
	for some := range slices.Chunk(msgs, maxUnderWay) {
		batch := make([]*nats.Msg, len(some))
		for i, m := range some {
			batch[i] = m.natsMsg()
		}
		acks, err := publishAll(ctx, st.srv.js, batch)
		if err != nil {
			st.answered(false, 0)
			return nil, st.trouble(err)
		}
		for i, ack := range acks {
			out = append(out, Receipt{Seq: ack.Sequence, Duplicate: ack.Duplicate})
			st.advance(ack.Sequence, some[i].id)
		}
	}
	return out, nil
}

// publish sends one message and waits for what the server says. An error other than a [jetstream.APIError], which refuses
// the message, means that nothing is known of it. The caller holds st.order.
func (st *Stream) publish(ctx context.Context, msg *nats.Msg) (*jetstream.PubAck, error) {
	st.mu.Lock()
	before := st.unknown
	st.mu.Unlock()

	ack, err := st.request(ctx, msg)
	known := err == nil || errors.As(err, new(*jetstream.APIError))
	st.answered(known, before)
	if !known && st.replies != nil { // the answer may come late
		_ = st.replies.Unsubscribe()
		st.replies = nil
	}
	return ack, err
}

// request is the library's PublishMsg with a subscription of the stream's own for the answers. They do not pass through the
// goroutine that the library gives its requests, which takes longer than the server takes for the message.
func (st *Stream) request(ctx context.Context, msg *nats.Msg) (*jetstream.PubAck, error) {
	nc := st.srv.nc
	if st.replies == nil {
		var err error
		st.answers = make(chan *nats.Msg, 1)
		if st.replies, err = nc.ChanSubscribe(nc.NewInbox(), st.answers); err != nil {
			return nil, err
		}
	}
	msg.Reply = st.replies.Subject
	if err := nc.PublishMsg(msg); err != nil {
		return nil, err
	}

	var ack struct {
		jetstream.PubAck
		Error *jetstream.APIError `json:"error"`
	}
	select {
	case m := <-st.answers:
		if err := json.Unmarshal(m.Data, &ack); err != nil || ack.Error == nil && ack.Sequence == 0 {
			return nil, fmt.Errorf("the server's answer is no acknowledgement: %.100q", m.Data)
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if ack.Error != nil {
		return nil, ack.Error
	}
	return &ack.PubAck, nil
}

// answered notes whether a message was answered. There is doubt while nothing is known of one, since its acknowledgement was
// lost: the log may have it behind the newest event that is known. The server takes messages in the order in which they
// were sent, so an answer settles those that were unknown before its message was sent.
func (st *Stream) answered(known bool, before uint64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if known {
		st.settled = max(st.settled, before)
	} else {
		st.unknown++
	}
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
	st.mu.Lock()
	doubt := st.unknown > st.settled
	st.mu.Unlock()
	if !doubt || st.stuck.Load() != nil {
		return nil
	}
	if err := st.loadLast(ctx); err != nil {
		return fmt.Errorf("newest event: %w", st.trouble(err))
	}
	return nil
}

// trouble says what stands behind a failed request: after a write error the server does not answer
// at all, and only its health tells why.
func (st *Stream) trouble(err error) error {
	if health := st.srv.Health(); health != nil {
		if errors.Is(health, ErrWriteStuck) {
			st.stuck.CompareAndSwap(nil, &health)
		}
		return fmt.Errorf("%w (%w)", health, err)
	}
	if errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return classify(err)
}

func (st *Stream) advance(seq uint64, id string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if seq > st.last {
		st.last, st.lastID = seq, id
	}
}

// Sync returns when every event up to seq is on disk; seq must come from a receipt. With Options.Always
// it returns at once, since the server synced before it acknowledged.
func (st *Stream) Sync(ctx context.Context, seq uint64) error {
	if st.srv.opts.Always {
		return nil
	}
	return st.sync.wait(ctx, seq)
}

// end lets the append under way, a group above all, come to its end and refuses all others; it tells whether the
// store is healthy then.
func (st *Stream) end() (healthy bool) {
	st.order.Lock()
	defer st.order.Unlock()
	healthy = st.srv.Health() == nil
	closed := ErrClosed
	st.stuck.CompareAndSwap(nil, &closed)
	return healthy
}

// Last returns the newest event's sequence and id; 0 and "" for an empty log.
func (st *Stream) Last() (seq uint64, id string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.last, st.lastID
}

// Get reads one event. A sequence that was never written or was erased is an [ErrNoRecord].
func (st *Stream) Get(ctx context.Context, seq uint64) (events.Record, error) {
	last, _ := st.Last()
	m, err := st.ask(ctx, seq, min(seq, last))
	if err != nil {
		return events.Record{}, fmt.Errorf("event %d: %w", seq, err)
	}
	env, err := st.codec.decode(m.message)
	if err != nil {
		return events.Record{}, fmt.Errorf("event %d: %w", seq, err)
	}
	rec := events.NewRecord(seq, env)
	rec.Appended = m.appended
	return rec, nil
}

// ask gets a message from the server. What is not there from seq up to a sequence is an [ErrNoRecord], if it was erased or
// never written: the server says the same of what the disk does not give.
func (st *Stream) ask(ctx context.Context, seq, upTo uint64, opts ...jetstream.GetMsgOpt) (stored, error) {
	raw, err := st.handle.GetMsg(ctx, seq, opts...)
	if errors.Is(err, jetstream.ErrMsgNotFound) || seq == 0 {
		if err := st.unread(ctx, seq, upTo); err != nil {
			return stored{}, err
		}
		return stored{}, ErrNoRecord
	}
	if err != nil {
		return stored{}, st.trouble(err)
	}
	m := message{subject: raw.Subject, data: raw.Data}.ofHeader(raw.Header)
	return stored{seq: raw.Sequence, appended: raw.Time.UTC(), message: m}, nil
}

// loadLast asks the server for the newest event. No group may be under way: its events are not shown one by one.
func (st *Stream) loadLast(ctx context.Context) error {
	info, err := st.handle.Info(ctx)
	if err != nil {
		return err
	}
	last, m := info.State.LastSeq, stored{}
	if last > 0 && info.State.Msgs > 0 {
		m, err = st.ask(ctx, last, last)
	}
	if err != nil && !errors.Is(err, ErrNoRecord) { // where it was erased its sequence still counts
		return err
	}
	st.advance(last, m.id)
	return nil
}
