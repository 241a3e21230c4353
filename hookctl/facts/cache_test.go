package facts

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Against a plain map: what the cache gives is what was put last, it never holds more than its limit,
// and the newest half of what was touched is always there.
func TestCacheAgainstAMap(t *testing.T) {
	const limit = 8
	rapid.Check(t, func(rt *rapid.T) {
		c, all := newCache[int, string](limit), map[int]string{}
		var touched []int // the keys, the latest last
		touch := func(k int) {
			for i, old := range touched {
				if old == k {
					touched = append(touched[:i], touched[i+1:]...)
					break
				}
			}
			touched = append(touched, k)
		}
		for i := range rapid.IntRange(1, 60).Draw(rt, "steps") {
			k := rapid.IntRange(0, 20).Draw(rt, "key")
			if rapid.Bool().Draw(rt, "put") {
				all[k] = fmt.Sprint(i)
				c.put(k, all[k])
				touch(k)
			} else if v, ok := c.get(k); ok {
				if v != all[k] {
					rt.Fatalf("%d is %q, want %q", k, v, all[k])
				}
				touch(k)
			}
			if n := c.size(); n > limit {
				rt.Fatalf("%d values", n)
			}
		}
		for _, k := range touched[max(0, len(touched)-limit/2):] {
			if v, ok := c.get(k); !ok || v != all[k] {
				rt.Fatalf("%d, touched of late, is %q, %v", k, v, ok)
			}
		}
	})
}

func TestCacheForgetsWhatNobodyAsksFor(t *testing.T) {
	c := newCache[string, int](4)
	c.put("kept", 1)
	c.put("forgotten", 2)
	for i := range 20 {
		if v, ok := c.get("kept"); !ok || v != 1 {
			t.Fatalf("after %d: %d, %v", i, v, ok)
		}
		c.put(fmt.Sprint(i), i)
	}
	if _, ok := c.get("forgotten"); ok {
		t.Error("it remembers everything")
	}
}
