package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/projector"
)

// maxUnderWay is how many messages are under way to the server at once.
const maxUnderWay = 512

// keysTimeout bounds the listing of a bucket's keys: the server takes 20 s for all of 600,000, a third of a second for those
// of one projection.
const keysTimeout = 2 * time.Minute

// minPack is the size in bytes from which a value is worth compressing.
const minPack = 256

// wasteAllowed is how many bytes of overwritten values a bucket may carry, beside a quarter of its
// live ones. The server itself takes them out of a bucket's newest block (up to 4 MiB) never.
const wasteAllowed = 32 << 10

// zstdMagic begins every compressed value. A value that begins so by itself is compressed in any
// case, so the magic tells the two apart.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// buckets is the projector's Store on JetStream key-value buckets with a history of 1: the value of
// a cell is the newest message of its subject. Values of 256 bytes and more are zstd with the
// package's dictionary where that is smaller. Deleting removes the message and leaves no marker.
type buckets struct {
	srv    *Server
	codec  *codec
	byName map[string]jetstream.Stream
	absent absent

	written notice // of every save
}

var _ projector.Store = (*buckets)(nil)

// errBucketLost is the error for a bucket that is not there although the one with the positions is.
var errBucketLost = errors.New("the bucket is gone")

// openBuckets looks the buckets up and creates those that lack; created says whether one on disk was made. A lost bucket is no
// loss: its projections are folded again from the log. So that no position vouches for what a lost bucket held, the bucket
// with the positions is created last, and where it alone is left the error is errBucketLost: all are to be dropped.
func openBuckets(ctx context.Context, srv *Server, c *codec) (b *buckets, created bool, err error) {
	b = &buckets{srv: srv, codec: c, byName: make(map[string]jetstream.Stream)}
	js := srv.js
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
			_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: want.name, History: 1, Storage: want.storage, Replicas: 1})
			if err == nil {
				handle, err = js.Stream(ctx, bucketStream(want.name))
			}
			created = created || want.storage == jetstream.FileStorage
		}
		if err != nil {
			return nil, false, fmt.Errorf("bucket %s: %w", want.name, classify(err))
		}
		b.byName[want.name] = handle
	}
	return b, created, nil
}

func bucketStream(name string) string       { return "KV_" + name }
func bucketPrefix(name string) string       { return "$KV." + name + "." }
func cellSubject(bucket, key string) string { return bucketPrefix(bucket) + bucketKey(key) }

// Load implements [projector.Store].
func (b *buckets) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	subject := cellSubject(bucket, key)
	known, since := b.absent.knows(subject)
	if known {
		return nil, fmt.Errorf("cell %s of %s: %w", key, bucket, projector.ErrNoCell)
	}
	unread := b.srv.log.reads(bucketStream(bucket))
	raw, err := b.byName[bucket].GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && raw.Header.Get("KV-Operation") != "" {
		err = unread()
		if err == nil {
			b.absent.note(subject, since)
			err = projector.ErrNoCell
		}
	}
	if err != nil {
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

// pack returns a value as it is stored. The cache is read on the hot path, so its values stay as they are.
func (b *buckets) pack(bucket string, value []byte) []byte {
	framed := bytes.HasPrefix(value, zstdMagic)
	if !framed && (len(value) < minPack || bucket == projector.BucketCache) {
		return value
	}
	if packed := b.codec.frame(value); framed || len(packed) < len(value) {
		return packed
	}
	return value
}

// Save implements [projector.Store]. Cells go to the server in their order without waiting for each
// one; what follows a deletion, and the last cell, waits for everything before it, so that the
// position of a batch is not written when a value was refused. The positions are in the snapshots' bucket and come when the
// log is on disk up to them, which is noted first: a log that ends before a position is known to lack something.
func (b *buckets) Save(ctx context.Context, bucket string, cells []projector.Cell) error {
	h := b.byName[bucket]
	if bucket == projector.BucketSnapshot {
		b.srv.noteLog()
	}
	msgs := make([]*nats.Msg, len(cells))
	for i, c := range cells {
		msgs[i] = &nats.Msg{Subject: cellSubject(bucket, c.Key)}
		if c.Value != nil {
			msgs[i].Data = b.pack(bucket, c.Value)
		}
		if len(msgs[i].Data) > maxPayload-4096 {
			return fmt.Errorf("cell %s of %s: %w: %d bytes", c.Key, bucket, ErrTooLarge, len(c.Value))
		}
	}

	defer b.absent.saving(msgs)()
	defer b.written.tell()
	var err error
	for i := 0; i < len(cells) && err == nil; {
		n := 1 // a deletion, a run of values, or the last cell
		for i+n < len(cells)-1 && n < maxUnderWay && cells[i].Value != nil && cells[i+n].Value != nil {
			n++
		}
		if cells[i].Value == nil {
			err = h.Purge(ctx, jetstream.WithPurgeSubject(msgs[i].Subject))
		} else {
			_, err = publishAll(ctx, b.srv.js, msgs[i:i+n])
		}
		i += n
	}
	if err != nil {
		return fmt.Errorf("save %d cells in %s: %w", len(cells), bucket, classify(err))
	}
	return nil
}

// publishAll sends messages in their order, without waiting for each, and returns their acknowledgements.
func publishAll(ctx context.Context, js jetstream.JetStream, msgs []*nats.Msg) ([]*jetstream.PubAck, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	waits := make([]jetstream.PubAckFuture, len(msgs))
	for i, m := range msgs {
		var err error
		if waits[i], err = js.PublishMsgAsync(m, jetstream.WithStallWait(startTimeout)); err != nil {
			return nil, err
		}
	}
	acks := make([]*jetstream.PubAck, len(msgs))
	for i, w := range waits {
		select {
		case acks[i] = <-w.Ok():
		case err := <-w.Err():
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return acks, nil
}

// Keys implements [projector.Store]. It asks the server for the subjects that it holds in memory,
// so it reads no values.
func (b *buckets) Keys(ctx context.Context, bucket, prefix string) ([]string, error) {
	h := b.byName[bucket]
	if h == nil {
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

// Scan calls fn with the cells of a bucket whose keys begin with prefix, in the order in which they were written. A
// cell that is written meanwhile may come a second time; none is left out without an error. fn may keep the value.
func (b *buckets) Scan(ctx context.Context, bucket, prefix string, fn func(key string, value []byte) error) error {
	if b.byName[bucket] == nil {
		return nil
	}
	err := b.entries(ctx, bucket, prefix, 1, func(e BucketEntry) error { return fn(e.Key, e.Value) })
	if err != nil {
		return fmt.Errorf("scan %s: %w", bucket, err)
	}
	return nil
}

// prefixFilter returns a subject with a wildcard that matches every key that begins with prefix, and as few others as a
// wildcard can: the server answers a filter of its own tokens ten times faster than one for the whole bucket. Of a
// prefix that ends with a dot only what goes on behind the dot can be told apart; "a." itself is escaped at its end.
func prefixFilter(bucket, prefix string) string {
	dot := strings.LastIndexByte(strings.TrimSuffix(prefix, "."), '.')
	if dot <= 0 || prefix[dot-1] == '.' {
		return bucketPrefix(bucket) + ">"
	}
	return bucketPrefix(bucket) + bucketKey(prefix[:dot]) + ".>"
}

// compact rewrites the buckets on disk that consist of overwritten values: it reads the live cells oldest first,
// purges, and writes them again in their order, so that after a crash in between a position is, as
// ever, not newer than the values; what is missing then is folded again.
func (b *buckets) compact(ctx context.Context, streams string) error {
	for _, name := range []string{projector.BucketSnapshot, projector.BucketLatest} {
		h := b.byName[name]
		info, err := h.Info(ctx)
		if err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
		blocks, err := list(filepath.Join(streams, bucketStream(name), "msgs"))
		if err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
		live, onDisk := int64(info.State.Bytes), int64(0)
		for _, b := range blocks {
			onDisk += b.Size
		}
		if onDisk-live <= wasteAllowed+live/4 {
			continue
		}

		var cells []*nats.Msg
		_, err = consume(ctx, h, 1, nil, func(msg jetstream.Msg, _ *jetstream.MsgMetadata) error {
			cells = append(cells, &nats.Msg{Subject: msg.Subject(), Data: msg.Data()})
			return nil
		})
		if err == nil && uint64(len(cells)) != info.State.Msgs {
			err = fmt.Errorf("%d live cells where the server counts %d", len(cells), info.State.Msgs)
		}
		if err == nil {
			err = h.Purge(ctx)
		}
		for some := range slices.Chunk(cells, maxUnderWay) {
			if err == nil {
				_, err = publishAll(ctx, b.srv.js, some)
			}
		}
		if err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	return nil
}
