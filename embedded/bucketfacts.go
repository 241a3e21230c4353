package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/projector"
)

// What the buckets hold, with what the server keeps of each value. Folding needs none of it: it is for people who look.

// BucketInfo describes a bucket.
type BucketInfo struct {
	Name     string
	Keys     uint64
	Bytes    uint64    // as they are stored: values are compressed, and each has some bytes of the server's own
	Revision uint64    // of the newest write; 0 where there was none
	Changed  time.Time // when that was; zero where there was none
}

// BucketEntry is a value of a bucket with the facts of its write.
type BucketEntry struct {
	Key      string
	Value    []byte // as it was saved
	Revision uint64 // number of the write in its bucket
	Time     time.Time
}

// BucketNames are the names of the buckets.
var BucketNames = []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache}

// Bucket returns the facts of a bucket. It reads no values.
func (s *Server) Bucket(ctx context.Context, name string) (BucketInfo, error) {
	info, err := s.buckets.byName[name].Info(ctx)
	if err != nil {
		return BucketInfo{}, fmt.Errorf("bucket %s: %w", name, classify(err))
	}

	out := BucketInfo{Name: name, Keys: info.State.Msgs, Bytes: info.State.Bytes, Revision: info.State.LastSeq}
	if out.Revision > 0 {
		out.Changed = info.State.LastTime
	}
	return out, nil
}

// BucketEntry returns the value of a key with its facts, or [projector.ErrNoCell].
func (s *Server) BucketEntry(ctx context.Context, bucket, key string) (BucketEntry, error) {
	raw, err := s.buckets.byName[bucket].GetLastMsgForSubject(ctx, cellSubject(bucket, key))
	if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && raw.Header.Get("KV-Operation") != "" {
		err = projector.ErrNoCell
	}
	if err != nil {
		return BucketEntry{}, fmt.Errorf("cell %s of %s: %w", key, bucket, err)
	}

	value, err := s.buckets.unpack(raw.Data)
	return BucketEntry{Key: key, Value: value, Revision: raw.Sequence, Time: raw.Time}, err
}

// BucketEntries calls fn with the values of a bucket that were written after a revision, in the order of their writes. fn may
// keep the value. An error of fn ends it and is returned.
func (s *Server) BucketEntries(ctx context.Context, bucket string, after uint64, fn func(BucketEntry) error) error {
	return s.buckets.entries(ctx, bucket, "", after+1, fn)
}

// BucketsWritten returns a channel that is closed with the next write to a bucket.
func (s *Server) BucketsWritten() <-chan struct{} { return s.buckets.written.next() }

// entries calls fn with the values of a bucket whose keys begin with prefix, from a revision on.
func (b *buckets) entries(ctx context.Context, bucket, prefix string, from uint64, fn func(BucketEntry) error) error {
	unread := b.srv.log.reads(bucketStream(bucket))
	filters := []string{prefixFilter(bucket, prefix)}
	_, err := consume(ctx, b.byName[bucket], from, filters, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		key, err := unescape(strings.TrimPrefix(msg.Subject(), bucketPrefix(bucket)))
		if err != nil || !strings.HasPrefix(key, prefix) || msg.Headers().Get("KV-Operation") != "" {
			return nil
		}

		entry := BucketEntry{Key: key, Revision: meta.Sequence.Stream, Time: meta.Timestamp}
		entry.Value, err = b.unpack(msg.Data())
		if err == nil {
			err = fn(entry)
		}
		if err != nil {
			return fmt.Errorf("cell %s: %w", key, err)
		}
		return nil
	})
	if err == nil {
		err = unread()
	}
	return err
}

// notice tells those who wait that something happened. The zero value is ready.
type notice struct {
	mu      sync.Mutex
	waiting chan struct{} // nil while nobody waits
}

// next returns a channel that is closed by the next tell.
func (n *notice) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()

	if n.waiting == nil {
		n.waiting = make(chan struct{})
	}
	return n.waiting
}

// tell wakes all who wait.
func (n *notice) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()

	if n.waiting != nil {
		close(n.waiting)
		n.waiting = nil
	}
}
