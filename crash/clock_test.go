//go:build linux

package crash

import (
	"encoding/json"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

// stamped is what the clock test reads of a record.
type stamped struct {
	Seq   uint64    `json:"seq"`
	ID    string    `json:"id"`
	Call  string    `json:"tool_use_id"`
	Time  time.Time `json:"time"`
	Facts struct {
		Captured int64 `json:"captured"`
	} `json:"facts"`
}

// captured is when the client captured the hook: a time ahead of the daemon's clock stands among the facts.
func (s stamped) captured() int64 {
	if s.Facts.Captured != 0 {
		return s.Facts.Captured
	}
	return s.Time.UnixMilli()
}

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
// keeps its client's own time, one ahead of ours among its facts.
func TestClockOfClients(t *testing.T) {
	t.Parallel()
	h := newHome(t, need(t, oldBuild), "")
	h.up(t)
	l := newLedger()
	var order []string
	at := map[string]int64{}
	for _, shift := range shifts {
		for range perShift {
			call := l.next()
			f := h.frame(call, 0)
			f.Time = time.Now().Add(shift).UnixMilli()
			f.ID = wire.NewID(f.Time)
			expect.Value(wire.Do(time.Now().Add(within), h.socket(), "PostToolUse", f))(t)
			l.promise(call, byDaemon)
			order, at[call] = append(order, call), f.Time
		}
		h.spoolAway(t, l, shift)
	}
	finish(t, h, l)
	h.wantOrder(t, order, at)
	h.kill(t)
	h.up(t)
	finish(t, h, l)
}

// spoolAway lets a frame of a wrong clock come by the spool.
func (h *home) spoolAway(t *testing.T, l *ledger, shift time.Duration) {
	t.Helper()
	call := l.next()
	f := h.frame(call, 0)
	f.Time = time.Now().Add(shift).UnixMilli()
	f.ID = wire.NewID(f.Time)
	expect.OK(t, h.put(f))
	l.promise(call, bySpool)
}

// wantOrder wants the calls in their order, each at its client's time.
func (h *home) wantOrder(t *testing.T, order []string, at map[string]int64) {
	t.Helper()
	list := expect.Value(h.rows(1))(t)
	next := 0
	for _, r := range list {
		var s stamped
		expect.OK(t, json.Unmarshal(r.raw, &s))
		want, sent := at[s.Call]
		if !sent {
			continue
		}
		if next >= len(order) || s.Call != order[next] {
			t.Fatalf("sequence %d is %s out of its order", s.Seq, s.Call)
		}
		if s.captured() != want {
			t.Errorf("%s was captured at %v instead of %v", s.Call, time.UnixMilli(s.captured()).UTC(), time.UnixMilli(want).UTC())
		}
		if s.Time.After(time.Now().Add(2 * time.Minute)) {
			t.Errorf("%s has the time %v, which is still to come", s.Call, s.Time)
		}
		next++
	}
	expect.Equal(t, next, len(order), "hooks of", "are in order")
}

// A daemon whose own clock jumps, also between a stop and a start: the events that it makes itself have
// unique ids too, sequences go on, and the jump back is recorded.
func TestClockOfTheDaemon(t *testing.T) {
	t.Parallel()
	need(t)
	h := newHome(t, "", "")
	taken := 0
	for _, shift := range shifts {
		now := func() time.Time { return time.Now().Add(shift) }
		d := expect.Value(daemon.Open(t.Context(), daemon.Options{Home: h.state, Now: now}))(t)
		for range perShift {
			taken++
			f := h.frame(wire.NewID(1), 0) // any unique call
			f.Time = now().UnixMilli()
			f.ID = wire.NewID(f.Time)
			expect.Value(d.Take(t.Context(), f))(t)
		}
		expect.OK(t, d.Close(t.Context()))
	}
	h.wantUnique(t, taken)
}

// wantUnique reads the store without a daemon.
func (h *home) wantUnique(t *testing.T, taken int) {
	t.Helper()
	s, err := embedded.Open(t.Context(), embedded.Options{Dir: h.paths().Store})
	expect.OK(t, err)
	ids, last, jumps, tools := map[string]bool{}, uint64(0), 0, 0
	err = s.Stream().Read(t.Context(), 1, 0, func(r events.Record) error {
		if r.Seq != last+1 || ids[r.ID] {
			t.Errorf("sequence %d after %d, id %s known: %v", r.Seq, last, r.ID, ids[r.ID])
		}
		last, ids[r.ID] = r.Seq, true
		switch r.Type {
		case "tool.succeeded":
			tools++
		case events.TypeClockJumped:
			jumps++
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if tools != taken || jumps == 0 {
		t.Errorf("%d hooks of %d, %d jumps recorded", tools, taken, jumps)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
