package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// scanBatch is how many cells are asked for in one go, scanBytes what they may weigh together.
const (
	scanBatch = 2048
	scanBytes = 16 << 20
)

// scanRequest asks a stream's direct reader for the messages of a filter, in the order of their sequences.
type scanRequest struct {
	Seq      uint64 `json:"seq"`
	NextFor  string `json:"next_by_subj"`
	Batch    int    `json:"batch"`
	MaxBytes int    `json:"max_bytes"`
}

// Scan calls fn with the cells of a bucket whose keys begin with prefix, in the order in which they were written. A
// cell that is written meanwhile may come a second time; none is left out without an error. fn may keep the value.
func (b *buckets) Scan(ctx context.Context, bucket, prefix string, fn func(key string, value []byte) error) error {
	if _, err := b.handle(bucket); err != nil {
		return nil
	}
	return b.scan(ctx, bucket, prefix, func(m *nats.Msg) error {
		key, err := unescape(strings.TrimPrefix(m.Subject, bucketPrefix(bucket)))
		if err != nil || !strings.HasPrefix(key, prefix) {
			return nil
		}
		value, err := b.unpack(m.Data)
		if err == nil {
			err = fn(key, value)
		}
		if err != nil {
			return fmt.Errorf("cell %s: %w", key, err)
		}
		return nil
	})
}

// scan calls fn with the messages of cells, as they would be written again.
func (b *buckets) scan(ctx context.Context, bucket, prefix string, fn func(*nats.Msg) error) error {
	nc := b.js.Conn()
	answers := make(chan *nats.Msg, scanBatch+1) // the connection's own queues hold one answer to each question
	sub, err := nc.ChanSubscribe(nc.NewInbox(), answers)
	if err != nil {
		return fmt.Errorf("scan %s: %w", bucket, err)
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails only when the connection is gone
	unread := b.log.reads(bucketStream(bucket))
	next := uint64(1)
	for next > 0 {
		ask, err := json.Marshal(scanRequest{Seq: next, NextFor: prefixFilter(bucket, prefix), Batch: scanBatch, MaxBytes: scanBytes})
		if err != nil {
			return err
		}
		if err := nc.PublishRequest("$JS.API.DIRECT.GET."+bucketStream(bucket), sub.Subject, ask); err != nil {
			return fmt.Errorf("scan %s: %w", bucket, err)
		}
		if next, err = scanSome(ctx, answers, fn); err != nil {
			return fmt.Errorf("scan %s: %w", bucket, err)
		}
	}
	if err := unread(); err != nil {
		return fmt.Errorf("scan %s: %w", bucket, err)
	}
	return nil
}

// scanSome takes the answers to one request and says at which sequence to go on; 0 at the end. fn, which gets each
// cell as it comes, counts in the time of the request.
func scanSome(ctx context.Context, answers <-chan *nats.Msg, fn func(*nats.Msg) error) (next uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		var msg *nats.Msg
		select {
		case msg = <-answers:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		switch end, more, err := batchEnd(msg); {
		case err != nil || end && !more:
			return 0, err
		case end:
			return next, nil
		}
		seq, err := strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil {
			return 0, err
		}
		next = seq + 1
		if msg.Header.Get("KV-Operation") != "" {
			continue
		}
		if err := fn(&nats.Msg{Subject: msg.Header.Get("Nats-Subject"), Data: msg.Data}); err != nil {
			return 0, err
		}
	}
}

// batchEnd tells whether an answer is no message but the end of its batch, and whether there is more behind it.
func batchEnd(msg *nats.Msg) (end, more bool, err error) {
	switch status := msg.Header.Get("Status"); status {
	case "":
		return false, false, nil
	case "204":
		return true, msg.Header.Get("Nats-Num-Pending") != "0", nil
	case "404": // nothing, or nothing any more
		return true, false, nil
	default:
		return false, false, errors.New("the server answered " + status + " " + msg.Header.Get("Description"))
	}
}
