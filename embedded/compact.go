package embedded

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/projector"
)

// wasteAllowed is how many bytes of overwritten values a bucket may carry, beside a quarter of its
// live ones. The server itself takes them out of a bucket's newest block (up to 4 MiB) never.
const wasteAllowed = 32 << 10

// compact rewrites the buckets on disk that consist of overwritten values: it reads the live cells,
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
		if err := b.rewrite(ctx, name, h, info.State.Msgs); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	return nil
}

// rewrite reads the bucket's messages oldest first, purges it and publishes them again.
func (b *buckets) rewrite(ctx context.Context, name string, h jetstream.Stream, cells uint64) error {
	live := make([]*nats.Msg, 0, cells)
	err := b.scan(ctx, name, "", func(m *nats.Msg) error {
		live = append(live, m)
		return nil
	})
	if err != nil {
		return err
	}
	if uint64(len(live)) != cells {
		return fmt.Errorf("%d live cells where the server counts %d", len(live), cells)
	}
	if err := h.Purge(ctx); err != nil {
		return err
	}
	for len(live) > 0 {
		n := min(len(live), saveChunk)
		if err := b.publish(ctx, live[:n]); err != nil {
			return err
		}
		live = live[n:]
	}
	return nil
}
