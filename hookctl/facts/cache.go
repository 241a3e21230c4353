package facts

import "sync"

// maxKnown bounds what a cache remembers. A session visits some tens of directories; 4096 of them take about 4 MB.
const maxKnown = 4096

// cache is a map that is emptied when it is full. Its zero value is ready; it is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu sync.Mutex
	by map[K]V
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.by[k]
	return v, ok
}

func (c *cache[K, V]) put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil || len(c.by) >= maxKnown {
		c.by = map[K]V{}
	}
	c.by[k] = v
}
