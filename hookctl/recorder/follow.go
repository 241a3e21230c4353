package recorder

import (
	"sync"

	"hookline/events"
)

// hub wakes followers when the log has grown. It keeps the newest records, so that following costs
// no read of the log.
type hub struct {
	mu     sync.Mutex
	recent []events.Record // ordered by sequence, at most hubSize
	synced uint64
	wait   chan struct{}
}

const hubSize = 1024

// keep remembers a record that was folded; it is shown once it is on disk.
func (h *hub) keep(r events.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent = append(h.recent, r)
	if len(h.recent) > 2*hubSize {
		h.recent = append([]events.Record(nil), h.recent[hubSize:]...)
	}
}

// wake notes that everything up to seq is on disk, and wakes the followers.
func (h *hub) wake(seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if seq > h.synced {
		h.synced = seq
		close(h.wait)
		h.wait = make(chan struct{})
	}
}

// Recent returns the newest records, as many as are kept in memory, on disk or not.
func (h *hub) Recent() []events.Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]events.Record(nil), h.recent...)
}

// Follow returns the records after seq that are on disk; ok is false when some of them have left the memory and the log
// must be read. changed is closed when there is more.
func (h *hub) Follow(seq uint64) (recs []events.Record, ok bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.synced <= seq {
		return nil, true, h.wait
	}
	if len(h.recent) == 0 || h.recent[0].Seq > seq+1 {
		return nil, false, h.wait
	}
	for _, r := range h.recent {
		if r.Seq > seq && r.Seq <= h.synced {
			recs = append(recs, r)
		}
	}
	return recs, true, h.wait
}
