package facts

import "time"

// tolerance is how far a capture time may lie before an event that is already in the log: hooks of
// one event run in parallel and overtake each other, by less than their deadline as a rule.
const tolerance = time.Second

// Clock is the machine's clock as events use it: UTC, milliseconds. The zero value is ready and safe
// for concurrent use.
type Clock struct {
	now func() time.Time // nil: time.Now
}

// Now is the time, UTC, cut to milliseconds, without a monotonic reading.
func (c *Clock) Now() time.Time {
	if c.now != nil {
		return stamp(c.now())
	}
	return stamp(time.Now())
}

// Correct gives the time an event is recorded with. Where captured lies more than a second before
// last, the time of the newest event known, the clock went backwards: the event gets last, and backMS
// says by how many milliseconds it was moved; otherwise it keeps its time and backMS is 0. A frame
// that waited in the spool is older by right and is not to be asked about. A zero last knows nothing.
func (c *Clock) Correct(captured, last time.Time) (t time.Time, backMS int64) {
	captured, last = stamp(captured), stamp(last)
	if back := last.Sub(captured); back > tolerance {
		return last, back.Milliseconds()
	}
	return captured, 0
}

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
