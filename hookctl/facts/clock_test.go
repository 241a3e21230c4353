package facts

import (
	"testing"
	"time"
)

func TestClockTellsUTCMilliseconds(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	c := &Clock{now: func() time.Time { return time.Date(2026, 11, 21, 8, 52, 0, 123_999_999, berlin) }}
	if got := c.Now().Format(time.RFC3339Nano); got != "2026-11-21T07:52:00.123Z" {
		t.Errorf("now %s", got)
	}
	if got := new(Clock).Now(); got.Location() != time.UTC || got.Nanosecond()%1e6 != 0 || time.Since(got).Abs() > time.Minute {
		t.Errorf("now %s", got)
	}
}

func TestClockCorrects(t *testing.T) {
	last := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		captured time.Time
		want     time.Time
		back     int64
	}{
		{last.Add(time.Hour), last.Add(time.Hour), 0},
		{last, last, 0},
		{last.Add(-time.Second), last.Add(-time.Second), 0},
		{last.Add(-1001 * time.Millisecond), last, 1001},
		{last.Add(-time.Hour).In(time.FixedZone("", -3600)), last, 3_600_000},
	} {
		got, back := new(Clock).Correct(c.captured, last)
		if !got.Equal(c.want) || got.Location() != time.UTC || back != c.back {
			t.Errorf("%s: %s, %d; want %s, %d", c.captured, got, back, c.want, c.back)
		}
	}
	if got, back := new(Clock).Correct(last, time.Time{}); !got.Equal(last) || back != 0 {
		t.Errorf("nothing known: %s, %d", got, back)
	}
}
