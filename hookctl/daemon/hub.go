package daemon

import (
	"sync"
	"sync/atomic"
	"time"

	"hookline/events"
)

// hub tells followers that the log has grown. It keeps the newest records, so that following costs
// no read of the log.
type hub struct {
	mu     sync.Mutex
	recent []events.Record // ordered by sequence, at most hubSize
	synced uint64
	wait   chan struct{}
}

const hubSize = 1024

func newHub() *hub { return &hub{wait: make(chan struct{})} }

// keep remembers a record that was folded; it is shown once it is on disk.
func (h *hub) keep(r events.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent = append(h.recent, r)
	if len(h.recent) > 2*hubSize {
		h.recent = append([]events.Record(nil), h.recent[hubSize:]...)
	}
}

// wake tells that everything up to seq is on disk.
func (h *hub) wake(seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if seq > h.synced {
		h.synced = seq
		close(h.wait)
		h.wait = make(chan struct{})
	}
}

// after gives the kept records behind seq that are on disk; ok is false when some of them have left
// the memory and the log must be read. changed is closed when there is more.
func (h *hub) after(seq uint64) (recs []events.Record, ok bool, changed <-chan struct{}) {
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

// hookCounts are the counters of status; they start at zero with the daemon.
type hookCounts struct {
	mu       sync.Mutex
	kinds    map[string]HookCount
	installs map[string]int

	again, conflicts, seconds atomic.Int64
}

// HookCount tells how often a hook came, and when last: in the daemon since its start, in what people see in the whole log.
type HookCount struct {
	Last  time.Time `json:"last" jsonschema_description:"when one came last"`
	Count int       `json:"count" jsonschema_description:"how many came"`
}

func (c *hookCounts) saw(name string, now time.Time) {
	if name == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds == nil {
		c.kinds = map[string]HookCount{}
	}
	if _, ok := c.kinds[name]; !ok && len(c.kinds) > 200 {
		name = "(other)"
	}
	k := c.kinds[name]
	c.kinds[name] = HookCount{Last: now.UTC().Truncate(time.Millisecond), Count: k.Count + 1}
}

func (c *hookCounts) second(install string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.installs == nil {
		c.installs = map[string]int{}
	}
	if len(c.installs) < 100 {
		c.installs[install]++
	}
}
