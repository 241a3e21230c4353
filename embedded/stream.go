package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/events"
)

// Limits of one append.
const (
	maxPayload = 8 << 20 // bytes of one message; above it the server warns
	maxBatch   = 1000    // messages of one atomic batch, the server's limit

	// appendTimeout bounds one append. After a write error the server does not answer at all; on a busy
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
	js     jetstream.JetStream
	handle jetstream.Stream
	codec  *codec
	sync   *syncer
	mode   FsyncMode
	opened time.Time
	batch  atomic.Uint64 // ids of the batches under way
	lines  lines

	stuck atomic.Pointer[error] // the first error after which nothing is appended any more
	order sync.RWMutex          // held alone while a group is written: nothing comes between its events

	mu      sync.Mutex
	last    uint64
	lastID  string
	unknown uint64 // messages of which nothing is known (doubt.go)
	settled uint64 // of these, those before the newest answer
}

// streamConfig is the log's configuration. No limits and no compression: with it one bad bit costs
// the whole stream. DenyDelete stays off, since lawful erasure needs the delete.
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

// Append adds events in the given order and returns one receipt each. One event is one message;
// several are one atomic batch, which is in the log whole or not at all. An event whose id came
// within the last two minutes is a Duplicate. The events are written when Append returns, and on
// their way to the disk; they are there after [Stream.Sync] of the last sequence. An error after
// the acknowledgement is possible, so an append that failed may be repeated with the same ids.
func (st *Stream) Append(ctx context.Context, envs ...events.Envelope) ([]Receipt, error) {
	out, err := st.AppendUnhurried(ctx, envs...)
	st.begin(out)
	return out, err
}

// AppendUnhurried is [Stream.Append] for events that nobody waits for: they are not on their way to the disk until the
// next append is, or [Stream.Sync].
func (st *Stream) AppendUnhurried(ctx context.Context, envs ...events.Envelope) ([]Receipt, error) {
	if len(envs) == 0 {
		return nil, nil
	}
	msgs, err := st.encode(envs)
	if err != nil {
		return nil, err
	}
	return st.appended(ctx, envs, func(ctx context.Context) ([]Receipt, error) {
		st.order.RLock()
		defer st.order.RUnlock()
		if p := st.stuck.Load(); p != nil {
			return nil, *p
		}
		if len(msgs) == 1 {
			return st.appendOne(ctx, msgs[0])
		}
		return st.appendBatch(ctx, msgs)
	})
}

func (st *Stream) encode(envs []events.Envelope) ([]message, error) {
	msgs := make([]message, len(envs))
	for i, env := range envs {
		var err error
		if msgs[i], err = st.codec.encode(env); err != nil {
			return nil, fmt.Errorf("append %s: %w", env.Type, err)
		}
	}
	return msgs, nil
}

// begin has what was appended brought to disk, without waiting for it.
func (st *Stream) begin(out []Receipt) {
	if st.mode == Shared && len(out) > 0 {
		st.sync.begin(out[len(out)-1].Seq)
	}
}

// appended bounds an append.
func (st *Stream) appended(ctx context.Context, envs []events.Envelope, write func(context.Context) ([]Receipt, error)) ([]Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	out, err := write(ctx)
	if err != nil {
		return nil, fmt.Errorf("append %s (%d events): %w", envs[0].Type, len(envs), err)
	}
	return out, nil
}

func (st *Stream) appendOne(ctx context.Context, m message) ([]Receipt, error) {
	if err := fits([]message{m}); err != nil {
		return nil, err
	}
	ack, err := st.publish(ctx, m.natsMsg())
	if err == nil && ack.Error != nil {
		err = ack.Error
	}
	if err != nil {
		return nil, st.trouble(err)
	}
	st.advance(ack.Seq, m.id) // a duplicate may be behind the end, too: its first acknowledgement was lost
	return []Receipt{{Seq: ack.Seq, Duplicate: ack.Duplicate}}, nil
}

// fits refuses messages that the server would warn about.
func fits(msgs []message) error {
	for _, m := range msgs {
		if len(m.data) > maxPayload-4096 { // the headers count too
			return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(m.data))
		}
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

// Sync returns when every event up to seq is on disk; seq must come from a receipt. With [Always]
// it returns at once, since the server synced before it acknowledged.
func (st *Stream) Sync(ctx context.Context, seq uint64) error {
	if st.mode == Always {
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

// Last is the newest event's sequence and id; 0 and "" for an empty log.
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
