package facts

import (
	"strconv"
	"testing"

	"hookline/expect"
)

// The newest keys stay, and a value is made once.
func TestCache(t *testing.T) {
	c := Cache[int]{Most: 2}
	for i := range 3 {
		c.Put(strconv.Itoa(i), i)
	}
	_, oldest := c.Get("0")
	expect.Equal(t, oldest, false, "the oldest is there")
	expect.Equal(t, c.Of("2", func() int { return 9 }), 2, "known")
	expect.Equal(t, c.Of("new", func() int { return 9 }), 9, "new")
}
