package facts

import "sync"

// cache is a map that is emptied when it is full. Safe for concurrent use.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	by    map[K]V
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{limit: limit, by: make(map[K]V)}
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
	if len(c.by) >= c.limit {
		clear(c.by)
	}
	c.by[k] = v
}
