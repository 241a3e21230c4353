package main

import (
	"math"
	"slices"
	"time"
)

// repeat runs f n times after one that does not count, and returns the times it gives.
func repeat(n int, f func(round int) time.Duration) []time.Duration {
	var took []time.Duration
	for i := range n + 1 {
		took = append(took, f(i))
	}
	return took[1:]
}

// pairs are times of two things that were run in turn.
type pairs struct{ a, b []time.Duration }

// take runs a and b in turn, n times after warm rounds that do not count.
func take(warm, n int, a, b func() time.Duration) pairs {
	var p pairs
	for range warm + n {
		p.a = append(p.a, a())
		p.b = append(p.b, b())
	}
	return pairs{p.a[warm:], p.b[warm:]}
}

// ratio is the median of the paired ratios a/b.
func (p pairs) ratio() float64 {
	out := make([]float64, len(p.a))
	for i := range p.a {
		out[i] = float64(p.a[i]) / float64(p.b[i])
	}
	return quantile(out, .5)
}

// quantile is the smallest value that a share q of the values does not exceed (nearest rank). There is at least one value.
func quantile[T ~int64 | ~float64](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// ms is a quantile of times in milliseconds.
func ms(took []time.Duration, q float64) float64 { return inMS(quantile(took, q)) }

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
