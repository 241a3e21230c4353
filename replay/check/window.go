package check

import (
	"context"
	"errors"
	"time"

	"hookline/embedded/block"
	"hookline/events"
)

// Window is a lost range with the time in which its events were captured: between its neighbours.
type Window struct {
	block.Range
	From, To time.Time
}

// Has reports whether a time falls into the window.
func (w Window) Has(t time.Time) bool { return !t.Before(w.From) && !t.After(w.To) }

// clockSlack is how far a transcript's time and the log's may be apart: a hook is captured and appended
// within its own deadline of at most two seconds.
const clockSlack = 5 * time.Second

// Windows returns the window of each lost range. It ends now where nothing comes after the range.
// What was imported or spooled has a wide one: its neighbours were appended long after they were captured.
func Windows(ctx context.Context, log Log, ranges []block.Range, now time.Time) ([]Window, error) {
	last, _ := log.Last()
	var out []Window
	for _, r := range ranges {
		before, err := neighbour(ctx, log, 1, r.First-1, true)
		if err != nil {
			return nil, err
		}
		after, err := neighbour(ctx, log, r.First, last, false)
		if err != nil {
			return nil, err
		}
		if after.appended.IsZero() {
			after.appended = now
		}
		out = append(out, Window{Range: r, From: before.earlier().Add(-clockSlack), To: after.appended.Add(clockSlack)})
	}
	return out, nil
}

// stamp is when a record was captured and when it was appended; zero where there is none.
type stamp struct{ captured, appended time.Time }

func (s stamp) earlier() time.Time {
	if s.captured.Before(s.appended) {
		return s.captured
	}
	return s.appended
}

// nearby is how many sequences beside a lost range are looked at for a neighbour at first.
const nearby = 64

// errEnough ends a reading early; it never reaches a caller.
var errEnough = errors.New("enough")

// neighbour finds when the record next to a range was captured and appended: the last one between from and to, or the
// first one; zero where there is none.
func neighbour(ctx context.Context, log Log, from, to uint64, newest bool) (at stamp, err error) {
	if to < from {
		return at, nil
	}
	start, end := from, to
	if newest && to-from > nearby {
		start = to - nearby
	}
	found := false
	err = log.ReadRaw(ctx, start, end, func(r events.Record) error {
		if newest || !found {
			at, found = stamp{r.Time, r.Appended}, true
		}
		if !newest {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && !found && start > from {
		return neighbour(ctx, log, from, start-1, newest)
	}
	return at, err
}
