package daemon

import (
	"sync"
	"sync/atomic"
	"time"
)

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
