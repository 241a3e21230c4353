package daemon

import (
	"testing"

	"hookline/expect"
)

// What makes room on the stack must not do so on the heap.
func TestDeepenAllocatesNothing(t *testing.T) {
	expect.Equal(t, testing.AllocsPerRun(10, func() { deepen() }), 0)
}
