package embedded

import (
	"context"

	"github.com/nats-io/nats.go"
)

// idleLines bounds the lines kept for later: as many as appends are under way at once, and no more than are
// worth a subscription each.
const idleLines = 64

// line is a reply subject with its subscription. The answer to a request reaches the one that waits for it
// without the goroutines that the library's own requests pass through, which take longer than the
// server takes for the message.
type line struct {
	inbox   string
	answers chan *nats.Msg // room for the one answer to each question
	sub     *nats.Subscription
}

// lines keeps lines for the next request. One that may still get a late answer is never used again.
type lines struct{ idle chan line }

func (l lines) take(nc *nats.Conn) (line, error) {
	select {
	case free := <-l.idle:
		return free, nil
	default:
	}
	made := line{inbox: nc.NewInbox(), answers: make(chan *nats.Msg, 1)}
	var err error
	made.sub, err = nc.ChanSubscribe(made.inbox, made.answers)
	return made, err
}

// ask publishes a message and returns the answer's data.
func (l lines) ask(ctx context.Context, nc *nats.Conn, msg *nats.Msg) ([]byte, error) {
	on, err := l.take(nc)
	if err != nil {
		return nil, err
	}
	msg.Reply = on.inbox
	if err := nc.PublishMsg(msg); err != nil {
		_ = on.sub.Unsubscribe()
		return nil, err
	}
	select {
	case answer := <-on.answers:
		select {
		case l.idle <- on:
		default:
			_ = on.sub.Unsubscribe() // with the connection gone it is gone too
		}
		return answer.Data, nil
	case <-ctx.Done():
		_ = on.sub.Unsubscribe()
		return nil, ctx.Err()
	}
}

// publish sends a message to the log and returns what the server says to it. An error means that
// nothing is known of the message.
func (st *Stream) publish(ctx context.Context, msg *nats.Msg) (ack pubAck, err error) {
	st.mu.Lock()
	before := st.unknown
	st.mu.Unlock()

	data, err := st.lines.ask(ctx, st.js.Conn(), msg)
	if err == nil {
		ack, err = parseAck(data)
	}

	st.mu.Lock()
	defer st.mu.Unlock()
	if err != nil {
		st.unknown++
		return pubAck{}, err
	}
	st.settled = max(st.settled, before)
	return ack, nil
}
