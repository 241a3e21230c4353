package recorder

import (
	"fmt"
	"strings"
	"testing"

	"hookline/events"
)

func recordAt(seq uint64) events.Record {
	return events.NewRecord(seq, events.Envelope{ID: fmt.Sprint(seq), Type: events.TypeTurnStopped, Version: 1, Data: []byte(`{}`)})
}

func seqs(recs []events.Record) string {
	var out []string
	for _, r := range recs {
		out = append(out, fmt.Sprint(r.Seq))
	}
	return strings.Join(out, " ")
}

// The hub shows what is on disk, in order, and says when the log must be read.
func TestHub(t *testing.T) {
	h := &hub{wait: make(chan struct{})}
	recs, ok, changed := h.Follow(0)
	if len(recs) != 0 || !ok {
		t.Fatalf("%v %v", recs, ok)
	}
	for seq := uint64(1); seq <= 3; seq++ {
		h.keep(recordAt(seq))
	}
	if recs, ok, _ := h.Follow(0); len(recs) != 0 || !ok {
		t.Errorf("shown before it is on disk: %s", seqs(recs))
	}
	h.wake(2)
	select {
	case <-changed:
	default:
		t.Error("nobody was woken")
	}
	h.wake(1) // late, of an earlier hook
	for after, want := range map[uint64]string{0: "1 2", 1: "2", 2: "", 9: ""} {
		if recs, ok, _ := h.Follow(after); seqs(recs) != want || !ok {
			t.Errorf("after %d: %s %v", after, seqs(recs), ok)
		}
	}
	for seq := uint64(4); seq <= 3000; seq++ {
		h.keep(recordAt(seq))
	}
	h.wake(3000)
	if _, ok, _ := h.Follow(100); ok {
		t.Error("what has left the memory is said to be there")
	}
	if len(h.recent) > 2*hubSize {
		t.Errorf("%d records are kept", len(h.recent))
	}
	first := h.recent[0].Seq
	if recs, ok, _ := h.Follow(first - 1); !ok || len(recs) != len(h.recent) || recs[0].Seq != first {
		t.Errorf("%d records, %v", len(recs), ok)
	}
}
