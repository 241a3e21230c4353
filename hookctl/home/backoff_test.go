package home

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	at := time.UnixMilli(1_000_000)
	for _, c := range []struct {
		attempts    int
		since, want time.Duration
	}{
		{0, 0, 0}, {1, 0, time.Second}, {1, 400 * time.Millisecond, 600 * time.Millisecond}, {1, time.Second, 0},
		{2, 0, 2 * time.Second}, {5, 0, 16 * time.Second}, {7, 0, time.Minute}, {1000, time.Second, 59 * time.Second},
		{1000, 11 * time.Minute, 0}, {3, -time.Hour, 0}, // the clock went back
	} {
		s := Attempt{Time: at.UnixMilli(), Attempts: c.attempts}
		if got := s.wait(at.Add(c.since)); got != c.want {
			t.Errorf("%d attempts, %v ago: %v, want %v", c.attempts, c.since, got, c.want)
		}
	}
}
