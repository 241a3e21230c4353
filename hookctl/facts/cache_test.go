package facts

import "testing"

func TestCacheIsBounded(t *testing.T) {
	c := newCache[int, int](4)
	for i := range 100 {
		c.put(i, -i)
		if v, ok := c.get(i); v != -i || !ok {
			t.Fatalf("%d is %d, %v", i, v, ok)
		}
		if n := len(c.by); n > 4 {
			t.Fatalf("%d values", n)
		}
	}
}
