package facts

import "testing"

func TestCacheIsBounded(t *testing.T) {
	var c cache[int, int]
	for i := range 2*maxKnown + 1 {
		c.put(i, -i)
		if v, ok := c.get(i); v != -i || !ok || len(c.by) > maxKnown {
			t.Fatalf("%d is %d, %v among %d", i, v, ok, len(c.by))
		}
	}
}
