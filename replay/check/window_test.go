package check

import (
	"testing"
	"time"
)

// What stood between two records was captured between them.
func TestBetween(t *testing.T) {
	at := func(minute int) time.Time {
		return time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute)
	}
	live := func(minute int) stamp { return stamp{at(minute), at(minute)} }
	late := func(minute int) stamp { return stamp{at(minute), at(600)} }
	for _, c := range []struct {
		before, behind stamp
		from, to       time.Time
	}{
		{live(1), live(3), at(1), at(3)},
		{late(1), late(3), at(1), at(3)},
		{late(3), late(1), at(1), at(3)},
		{live(1), stamp{at(0), at(4)}, at(1), at(4)},
		{late(1), live(601), at(1), at(601)},
		{stamp{}, late(3), time.Time{}, at(3)},
		{late(1), stamp{}, at(1), at(999)},
	} {
		if from, to := between(c.before, c.behind, at(999)); !from.Equal(c.from) || !to.Equal(c.to) {
			t.Errorf("%+v: %v to %v", c, from, to)
		}
	}
}
