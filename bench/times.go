package main

import (
	"math"
	"slices"
	"time"
)

// since is the time from a moment to now, in milliseconds.
func since(begin time.Time) float64 { return float64(time.Since(begin)) / float64(time.Millisecond) }

// median runs f n times after a run that does not count, and returns the median of the values it gives.
func median(n int, f func(round int) float64) float64 {
	f(0)
	var values []float64
	for i := range n {
		values = append(values, f(i+1))
	}
	return quantile(values, .5)
}

// ratio runs a and b in turn, n times after one round in twenty that does not count, and returns the median of a/b.
func ratio(n int, a, b func(round int) float64) float64 {
	warm := 1 + n/20
	var values []float64
	for i := range warm + n {
		one := a(i)
		values = append(values, one/b(i))
	}
	return quantile(values[warm:], .5)
}

// quantile is the smallest value that a share q of the values does not exceed (nearest rank). There is at least one value.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}
