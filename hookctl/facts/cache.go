package facts

import "sync"

// cache is a bounded map in two generations: when the young one holds half the limit it becomes the
// old one, and what was old and not asked for since is forgotten. That is close to "least recently
// used" without a list to keep in order. Safe for concurrent use.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	half       int
	young, old map[K]V
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{half: limit / 2, young: make(map[K]V)}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[k]; ok {
		return v, true
	}
	v, ok := c.old[k]
	if ok {
		c.keep(k, v)
	}
	return v, ok
}

func (c *cache[K, V]) put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(k, v)
}

// keep stores in the young generation; the caller holds the lock.
func (c *cache[K, V]) keep(k K, v V) {
	if _, ok := c.young[k]; !ok && len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[K]V)
	}
	c.young[k] = v
}

func (c *cache[K, V]) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.young) + len(c.old)
}
