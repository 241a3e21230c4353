package daemon

import (
	"sync"
	"sync/atomic"
	"time"

	"hookline/hookctl/client"
)

// hookCounts are the counters of status; they start at zero with the daemon.
type hookCounts struct {
	mu       sync.Mutex
	kinds    map[string]client.HookCount
	installs map[string]int

	again, conflicts, seconds atomic.Int64
}

func (c *hookCounts) saw(name string, now time.Time) {
	if name == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds == nil {
		c.kinds = map[string]client.HookCount{}
	}
	if _, ok := c.kinds[name]; !ok && len(c.kinds) > 200 {
		name = "(other)"
	}
	k := c.kinds[name]
	c.kinds[name] = client.HookCount{Last: now.UTC().Truncate(time.Millisecond), Count: k.Count + 1}
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
