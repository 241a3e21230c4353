package embedded

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
)

// BenchmarkAppendSync is one hook's way to the disk, with 1, 8 and 32 hooks at once, in both modes.
// Goal: shared not slower than always for one, and at least twice as fast for 32.
func BenchmarkAppendSync(b *testing.B) {
	for _, mode := range []FsyncMode{Shared, Always} {
		for _, publishers := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("%s/%d", mode, publishers), func(b *testing.B) { benchAppend(b, mode, publishers) })
		}
	}
}

func benchAppend(b *testing.B, mode FsyncMode, publishers int) {
	s := expect.Value(Open(context.Background(), Options{Dir: storeDir(b), Fsync: mode}))(b)
	defer closeStore(b, s)
	var n atomic.Uint64
	var all sync.WaitGroup
	b.ResetTimer()
	for range publishers {
		all.Go(func() {
			for i := n.Add(1); i <= uint64(b.N); i = n.Add(1) {
				r, err := s.Stream().Append(context.Background(), event(i))
				if err == nil {
					err = s.Stream().Sync(context.Background(), r[0].Seq)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRead reads a log of 100,000 hooks, decoded, against an ordered consumer that reads and
// discards. Goal: at least half as many events a second; the newest block comes by that consumer.
func BenchmarkRead(b *testing.B) {
	const total = 100_000
	s := open(b, storeDir(b))
	for at := uint64(1); at <= total; at += maxBatch {
		batch := make([]events.Envelope, maxBatch)
		for i := range batch {
			batch[i] = event(at + uint64(i))
		}
		expect.Value(s.Stream().Append(context.Background(), batch...))(b)
	}
	blocks := expect.Value(block.Numbers(filepath.Clean(s.opts.msgsDir())))(b)
	rate := func(b *testing.B) {
		b.ReportMetric(float64(b.N)*total/b.Elapsed().Seconds(), "events/s")
		b.ReportMetric(float64(len(blocks)), "blocks")
	}
	b.Run("decoded", func(b *testing.B) {
		for range b.N {
			expect.OK(b, s.Stream().Read(context.Background(), 0, 0, func(events.Record) error { return nil }))
		}
		rate(b)
	})
	b.Run("raw", func(b *testing.B) {
		for range b.N {
			expect.EqualNow(b, count(b, s, 0, 0), total)
		}
		rate(b)
	})
	b.Run("discarded", func(b *testing.B) {
		for range b.N {
			discard(b, s, total)
		}
		rate(b)
	})
}

func discard(b *testing.B, s *Server, total int) {
	c := expect.Value(s.stream.handle.OrderedConsumer(context.Background(), jetstream.OrderedConsumerConfig{}))(b)
	it := expect.Value(c.Messages(jetstream.PullMaxMessages(pullSize)))(b)
	defer it.Stop()
	for range total {
		expect.Value(it.Next())(b)
	}
}

func longOutput(n int) string {
	out := make([]byte, 0, n+64)
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "--- PASS: TestNumber%d (0.%02ds)\\n", i*i, i%100)
	}
	return string(out)
}
