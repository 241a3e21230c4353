package verbs

import (
	"context"
	"encoding/json"
	"time"
)

// stopAfter is a pause that takes no time, calls f each time, and ends the verb at the n-th.
func stopAfter(count *int, n int, f func()) func(context.Context, time.Duration) error {
	return func(context.Context, time.Duration) error {
		*count++
		if *count >= n {
			return context.Canceled
		}
		f()
		return nil
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
