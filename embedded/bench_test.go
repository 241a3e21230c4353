package embedded

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"hookline/expect"
)

// BenchmarkAppendSync is one hook's way to the disk, with 1, 8 and 32 hooks at once, in both modes.
// Goal: shared not slower than always for one, and at least twice as fast for 32.
func BenchmarkAppendSync(b *testing.B) {
	for _, always := range []bool{false, true} {
		for _, publishers := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("always=%v/%d", always, publishers), func(b *testing.B) { benchAppend(b, always, publishers) })
		}
	}
}

func benchAppend(b *testing.B, always bool, publishers int) {
	s := expect.Value(Open(context.Background(), Options{Dir: storeDir(b), Always: always}))(b)
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

func longOutput(n int) string {
	out := make([]byte, 0, n+64)
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "--- PASS: TestNumber%d (0.%02ds)\\n", i*i, i%100)
	}
	return string(out)
}
