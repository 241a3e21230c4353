package identity

import (
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// A call that a gate blocked counts as one that was denied: evidence for robustness, and the phases fan out.
func TestGateBlockedIsADenial(t *testing.T) {
	at := time.UnixMilli(1_795_250_000_000).UTC()
	rec := func(seq uint64, typ, data string) events.Record {
		return events.NewRecord(seq, events.Envelope{ID: "E", Type: typ, Version: 1, Time: at, Session: "s-1", Project: "p", Data: []byte(data)})
	}
	start := Fold(State{}, rec(1, events.TypeSessionStarted, `{"session_id":"s-1","source":"startup"}`))
	blocked := rec(2, events.TypeGateBlocked, `{"names":["commit_plan"],"tool":"Edit","digest":"d"}`)
	denied := rec(2, events.TypePermissionDenied, `{"session_id":"s-1","tool_name":"Edit"}`)
	expect.EqualNow(t, Key(blocked), "s-1", "key")
	a, b := Fold(start, blocked), Fold(start, denied)
	if a.Integration >= 1 || a.Integration != b.Integration || a.PurposeVector != b.PurposeVector || a.LastIC != b.LastIC {
		t.Errorf("blocked r=%v IC=%v, denied r=%v IC=%v", a.Integration, a.LastIC, b.Integration, b.LastIC)
	}
}
