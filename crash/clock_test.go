//go:build linux

package crash

import (
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// shifts are where the clock goes during a session: a day back, to now, a year forward, back again. The
// machine's own clock is never set: frames carry the client's time, and the daemon of the second test
// gets its clock as an option. So the server's time of storing stays the real one.
var shifts = []time.Duration{0, -day, 0, year, -day, 0}

// perShift is how many hooks come before the clock moves on.
const perShift = 20

// Clients whose clocks are wrong: the log's order is the order of arrival, ids are unique, each record
// keeps its client's own time.
func TestClockOfClients(t *testing.T) {
	t.Parallel()
	h := newHome(t, need(t, oldBuild), "")
	h.up(t)
	l := newLedger()
	var order []string
	at := map[string]int64{}
	for _, shift := range shifts {
		for range perShift {
			f, call := h.shifted(l, shift)
			expect.Value(wire.Do(time.Now().Add(within), h.socket(), "PostToolUse", f))(t)
			l.promise(call, byDaemon)
			order, at[call] = append(order, call), f.Time
		}
		f, call := h.shifted(l, shift)
		expect.OK(t, h.put(f))
		l.promise(call, bySpool)
	}
	finish(t, h, l)
	h.wantOrder(t, order, at)
	h.kill(t)
	h.up(t)
	finish(t, h, l)
}

// shifted is a frame of a wrong clock.
func (h *home) shifted(l *ledger, shift time.Duration) (wire.Frame, string) {
	call := l.next()
	f := h.frame(call, 0)
	f.Time = time.Now().Add(shift).UnixMilli()
	f.ID = wire.NewID(f.Time)
	return f, call
}

// wantOrder wants the calls in their order, each at its client's time.
func (h *home) wantOrder(t *testing.T, order []string, at map[string]int64) {
	t.Helper()
	list := expect.Value(h.rows(1))(t)
	next := 0
	for _, s := range list {
		want, sent := at[s.Call]
		if !sent {
			continue
		}
		if next >= len(order) || s.Call != order[next] {
			t.Fatalf("sequence %d is %s out of its order", s.Seq, s.Call)
		}
		if s.Time.UnixMilli() != want {
			t.Errorf("%s has the time %v instead of %v", s.Call, s.Time, time.UnixMilli(want).UTC())
		}
		next++
	}
	expect.Equal(t, next, len(order), "hooks of", "are in order")
}

// A daemon whose own clock jumps, also between a stop and a start: the events that it makes itself have
// unique ids too, sequences go on, and the jump back is recorded.
func TestClockOfTheDaemon(t *testing.T) {
	t.Parallel()
	h, l := newHome(t, need(t, oldBuild), ""), newLedger()
	for _, shift := range shifts {
		now := func() time.Time { return time.Now().Add(shift) }
		d := expect.Value(daemon.Open(t.Context(), daemon.Options{Home: h.state, Now: now}))(t)
		for range perShift {
			f, call := h.shifted(l, shift)
			expect.Value(d.Take(t.Context(), f))(t)
			l.promise(call, byDaemon)
		}
		expect.OK(t, d.Close(t.Context()))
	}
	h.up(t)
	finish(t, h, l)
	if !slices.ContainsFunc(expect.Value(h.rows(1))(t), func(r row) bool { return r.Type == events.TypeClockJumped }) {
		t.Error("no jump is recorded")
	}
}
