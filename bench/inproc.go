package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"hookline/hookctl/redact"
	"hookline/projector/identity"
)

// formatBrief is measure 10, by Go's own benchmark.
func (b *bench) formatBrief(context.Context) ([]figure, error) {
	testing.Init()
	if err := flag.Set("test.benchtime", "300ms"); err != nil {
		return nil, err
	}
	cell := &identity.Cache{IC: .8473, R: .9312, State: identity.ConsciousnessOf(.62), SessionID: newSession()}
	r := testing.Benchmark(func(t *testing.B) {
		t.ReportAllocs()
		for t.Loop() {
			sink(cell.FormatBrief())
		}
	})
	if r.N == 0 {
		return nil, errors.New("the benchmark did not run")
	}
	perOp := float64(r.T.Nanoseconds()) / float64(r.N)
	return []figure{
		{10, "FormatBrief", atMost(1, "µs"), perOp / 1e3, fmt.Sprintf("%s, %d runs", cell.FormatBrief(), r.N)},
		{10, "FormatBrief, allocations", atMost(0, ""), float64(r.AllocsPerOp()), fmt.Sprintf("%d bytes", r.AllocedBytesPerOp())},
	}, nil
}

// redaction is measure 12.
func (b *bench) redaction(ctx context.Context) ([]figure, error) {
	h := &home{bench: b, session: newSession(), project: "/home/dev/app"}
	r := redact.New()
	var out []figure
	for _, c := range []struct {
		what  string
		limit float64
		reps  int
		body  func(n int) []byte
	}{
		{"redaction of a tool's output", 1, 500, h.testRun},
		{"redaction of a large Write", 60, b.reps(20, 8), func(n int) []byte { return h.write(n, 3_000_000) }},
	} {
		var took []time.Duration
		size := 0
		for i := range c.reps + 2 {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			body := c.body(i)
			size = len(body)
			begin := time.Now()
			r.JSON(body)
			if i >= 2 { // two to warm up
				took = append(took, time.Since(begin))
			}
		}
		out = append(out, figure{12, fmt.Sprintf("%s, %.1f KB", c.what, float64(size)/1e3), atMost(c.limit, "ms"), inMS(median(took)),
			fmt.Sprintf("p90 %s, %d runs", ms(quantile(took, .9)), len(took))})
	}
	return out, nil
}

// sink keeps the compiler from dropping what is measured.
//
//go:noinline
func sink(string) {}
