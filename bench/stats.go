package main

import (
	"fmt"
	"slices"
	"time"
)

// number is what can be ranked and averaged here.
type number interface{ ~int64 | ~float64 }

// quantile is the smallest value that a share q of the values does not exceed (nearest rank).
func quantile[T number](values []T, q float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	rank := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median is the middle value, of an even count the mean of the two.
func median[T number](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// pairs are times of two programs that ran in turn.
type pairs struct{ a, b []time.Duration }

// take runs a and b in turn, n times after warm rounds that do not count. The argument is the
// number of the round, from 0, warm ones included.
func take(warm, n int, a, b func(round int) (time.Duration, error)) (pairs, error) {
	var p pairs
	for i := range warm + n {
		x, err := a(i)
		if err != nil {
			return p, err
		}
		y, err := b(i)
		if err != nil {
			return p, err
		}
		if i >= warm {
			p.a, p.b = append(p.a, x), append(p.b, y)
		}
	}
	return p, nil
}

// ratios are a/b, pair by pair.
func (p pairs) ratios() []float64 {
	out := make([]float64, len(p.a))
	for i := range p.a {
		out[i] = float64(p.a[i]) / float64(p.b[i])
	}
	return out
}

// ratio is the median of the paired ratios, which the goals are about: what slows the machine down
// for a while slows both of a pair.
func (p pairs) ratio() float64 { return median(p.ratios()) }

// note gives the times behind the ratio.
func (p pairs) note(a, b string) string {
	return fmt.Sprintf("%s %s (p90 %s), %s %s (p90 %s), ratio of medians %.2f, %d pairs",
		a, ms(median(p.a)), ms(quantile(p.a, .9)), b, ms(median(p.b)), ms(quantile(p.b, .9)),
		float64(median(p.a))/float64(median(p.b)), len(p.a))
}

// ms prints a time in milliseconds with a sensible number of places.
func ms(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	switch {
	case v < 1:
		return fmt.Sprintf("%.3f ms", v)
	case v < 20:
		return fmt.Sprintf("%.2f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
