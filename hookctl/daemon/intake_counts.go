package daemon

import (
	"maps"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/recorder"
)

// hookCounts are the counters of status; they start at zero with the daemon.
type hookCounts struct {
	mu               sync.Mutex
	kinds            map[string]api.HookCount
	installs         map[string]int // second ones
	unknown          map[string]int // hooks that this build has no type for
	again, conflicts int64
}

// Bounds of the counters: names come from outside.
const (
	maxKinds    = 200
	maxInstalls = 100
)

// countedHook is a hook that was recorded.
type countedHook struct {
	verdict recorder.Verdict // what became of it
	name    string
	install string
	event   events.Event
}

// count counts a hook by what became of it.
func (c *hookCounts) count(h countedHook, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds == nil {
		c.kinds, c.installs, c.unknown = map[string]api.HookCount{}, map[string]int{}, map[string]int{}
	}
	switch h.verdict {
	case recorder.Again:
		c.again++
	case recorder.Conflict:
		c.conflicts++
	case recorder.SecondHit:
		if len(c.installs) < maxInstalls {
			c.installs[h.install]++
		}
	case recorder.Fresh:
		name := h.name
		if name == "" {
			return
		}
		if _, ok := c.kinds[name]; !ok && len(c.kinds) > maxKinds {
			name = "(other)"
		}
		if _, unknown := h.event.(*events.HookUnrecognized); unknown {
			c.unknown["hook "+name]++
		}
		c.kinds[name] = api.HookCount{Last: now.UTC().Truncate(time.Millisecond), Count: c.kinds[name].Count + 1}
	}
}

// addTo copies the counters into a status; its maps are never nil, as clients expect.
func (c *hookCounts) addTo(s *api.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Again = c.again
	s.Conflicts = c.conflicts
	s.Hooks = maps.Collect(maps.All(c.kinds))
	s.SecondInstalls = maps.Collect(maps.All(c.installs))
	s.UnknownTypes = maps.Collect(maps.All(c.unknown))
}
