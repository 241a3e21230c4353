package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/projector"
)

// saveChunk is how many cells are under way to the server at once.
const saveChunk = 512

// keysTimeout bounds the listing of a bucket's keys: the server takes 20 s for all of 600,000, a third of a second for those
// of one projection.
const keysTimeout = 2 * time.Minute

// minPack is the size in bytes from which a value is worth compressing.
const minPack = 256

// zstdMagic begins every compressed value. A value that begins so by itself is compressed in any
// case, so the magic tells the two apart.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// buckets is the projector's Store on JetStream key-value buckets with a history of 1: the value of
// a cell is the newest message of its subject. Values of 256 bytes and more are zstd with the
// package's dictionary where that is smaller. Deleting removes the message and leaves no marker.
type buckets struct {
	js     jetstream.JetStream
	codec  *codec
	log    *serverLog
	byName map[string]jetstream.Stream
	absent absent
	note   func() // writes down how far the log is on disk
}

var _ projector.Store = (*buckets)(nil)

// errBucketLost is the error for a bucket that is not there although the one with the positions is.
var errBucketLost = errors.New("the bucket is gone")

// openBuckets looks the buckets up and creates those that lack; created says whether one on disk was made. A lost bucket is no
// loss: its projections are folded again from the log. So that no position vouches for what a lost bucket held, the bucket
// with the positions is created last, and where it alone is left the error is errBucketLost: all are to be dropped.
func openBuckets(ctx context.Context, js jetstream.JetStream, c *codec, log *serverLog, note func()) (b *buckets, created bool, err error) {
	b = &buckets{js: js, codec: c, log: log, note: note, byName: make(map[string]jetstream.Stream)}
	for _, want := range []struct {
		name    string
		storage jetstream.StorageType
	}{
		{projector.BucketCache, jetstream.MemoryStorage},
		{projector.BucketLatest, jetstream.FileStorage},
		{projector.BucketSnapshot, jetstream.FileStorage},
	} {
		handle, err := js.Stream(ctx, bucketStream(want.name))
		if errors.Is(err, jetstream.ErrStreamNotFound) && want.name == projector.BucketLatest {
			_, left := js.Stream(ctx, bucketStream(projector.BucketSnapshot))
			if left == nil {
				return nil, false, fmt.Errorf("bucket %s: %w", want.name, errBucketLost)
			}
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			handle, err = createBucket(ctx, js, want.name, want.storage)
			created = created || want.storage == jetstream.FileStorage
		}
		if err != nil {
			return nil, false, fmt.Errorf("bucket %s: %w", want.name, classify(err))
		}
		b.byName[want.name] = handle
	}
	return b, created, nil
}

func createBucket(ctx context.Context, js jetstream.JetStream, name string, storage jetstream.StorageType) (jetstream.Stream, error) {
	_, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, Storage: storage, Replicas: 1})
	if err != nil {
		return nil, err
	}
	return js.Stream(ctx, bucketStream(name))
}

func bucketStream(name string) string       { return "KV_" + name }
func bucketPrefix(name string) string       { return "$KV." + name + "." }
func cellSubject(bucket, key string) string { return bucketPrefix(bucket) + bucketKey(key) }

var errNoBucket = errors.New("no such bucket")

func (b *buckets) handle(bucket string) (jetstream.Stream, error) {
	if h := b.byName[bucket]; h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("%w: %q", errNoBucket, bucket)
}

// Load implements [projector.Store].
func (b *buckets) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	h, err := b.handle(bucket)
	if err != nil {
		return nil, err
	}
	subject := cellSubject(bucket, key)
	known, since := b.absent.knows(subject)
	if known {
		return nil, &noCell{bucket, key}
	}
	unread := b.log.reads(bucketStream(bucket))
	raw, err := h.GetLastMsgForSubject(ctx, subject)
	gone := errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && raw.Header.Get("KV-Operation") != ""
	if gone {
		err = unread()
	}
	switch {
	case gone && err == nil:
		b.absent.note(subject, since)
		return nil, &noCell{bucket, key}
	case err != nil:
		return nil, fmt.Errorf("cell %s of %s: %w", key, bucket, err)
	}
	return b.unpack(raw.Data)
}

func (b *buckets) unpack(stored []byte) ([]byte, error) {
	if bytes.HasPrefix(stored, zstdMagic) {
		return b.codec.unpack(encodingZstd, stored, nil)
	}
	return stored, nil
}

func (b *buckets) pack(bucket string, value []byte) []byte {
	if bytes.HasPrefix(value, zstdMagic) {
		return b.codec.frame(value)
	}
	if len(value) < minPack || bucket == projector.BucketCache { // the cache is read on the hot path
		return value
	}
	if packed := b.codec.frame(value); len(packed) < len(value) {
		return packed
	}
	return value
}

// Save implements [projector.Store]. Cells go to the server in their order without waiting for each
// one; what follows a deletion, and the last cell, waits for everything before it, so that the
// position of a batch is not written when a value was refused. The positions are in the snapshots' bucket and come when the
// log is on disk up to them, which is noted first: a log that ends before a position is known to lack something.
func (b *buckets) Save(ctx context.Context, bucket string, cells []projector.Cell) error {
	h, err := b.handle(bucket)
	if err != nil {
		return err
	}
	if bucket == projector.BucketSnapshot {
		b.note()
	}
	msgs := make([]*nats.Msg, len(cells))
	defer b.absent.saving()()
	for i, c := range cells {
		msgs[i] = &nats.Msg{Subject: cellSubject(bucket, c.Key)}
		b.absent.forget(msgs[i].Subject)
		if c.Value != nil {
			msgs[i].Data = b.pack(bucket, c.Value)
		}
		if len(msgs[i].Data) > maxPayload-4096 {
			return fmt.Errorf("cell %s of %s: %w: %d bytes", c.Key, bucket, ErrTooLarge, len(c.Value))
		}
	}
	for i := 0; i < len(cells); {
		n, err := b.saveSome(ctx, h, cells[i:], msgs[i:])
		if err != nil {
			return fmt.Errorf("save %d cells in %s: %w", len(cells), bucket, classify(err))
		}
		i += n
	}
	return nil
}

// saveSome saves at least one cell, and says how many: a deletion, a chunk of values, or the last.
func (b *buckets) saveSome(ctx context.Context, h jetstream.Stream, cells []projector.Cell, msgs []*nats.Msg) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if cells[0].Value == nil {
		return 1, h.Purge(ctx, jetstream.WithPurgeSubject(msgs[0].Subject))
	}
	n := 1
	for n < min(len(cells)-1, saveChunk) && cells[n].Value != nil {
		n++
	}
	return n, b.publish(ctx, msgs[:n])
}

// publish sends messages and waits for all acknowledgements.
func (b *buckets) publish(ctx context.Context, msgs []*nats.Msg) error {
	if len(msgs) == 1 {
		_, err := b.js.PublishMsg(ctx, msgs[0], jetstream.WithRetryAttempts(0))
		return err
	}
	acks := make([]jetstream.PubAckFuture, len(msgs))
	for i, m := range msgs {
		var err error
		if acks[i], err = b.js.PublishMsgAsync(m, jetstream.WithStallWait(startTimeout)); err != nil {
			return err
		}
	}
	deadline := time.NewTimer(startTimeout)
	defer deadline.Stop()
	for _, a := range acks {
		select {
		case <-a.Ok():
		case err := <-a.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return context.DeadlineExceeded
		}
	}
	return nil
}

// Keys implements [projector.Store]. It asks the server for the subjects that it holds in memory,
// so it reads no values.
func (b *buckets) Keys(ctx context.Context, bucket, prefix string) ([]string, error) {
	h, err := b.handle(bucket)
	if err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()

	info, err := h.Info(ctx, jetstream.WithSubjectFilter(prefixFilter(bucket, prefix)))
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", bucket, err)
	}
	var keys []string
	for subject := range info.State.Subjects {
		key, err := unescape(strings.TrimPrefix(subject, bucketPrefix(bucket)))
		if err == nil && strings.HasPrefix(key, prefix) { // a key that escape cannot make is not ours
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// prefixFilter is a subject with a wildcard that matches every key that begins with prefix, and as few others as a
// wildcard can: the server answers a filter of its own tokens ten times faster than one for the whole bucket. Of a
// prefix that ends with a dot only what goes on behind the dot can be told apart; "a." itself is escaped at its end.
func prefixFilter(bucket, prefix string) string {
	dot := strings.LastIndexByte(strings.TrimSuffix(prefix, "."), '.')
	if dot <= 0 || prefix[dot-1] == '.' {
		return bucketPrefix(bucket) + ">"
	}
	return bucketPrefix(bucket) + bucketKey(prefix[:dot]) + ".>"
}
