package daemon

import "testing"

// What makes room on the stack must not do so on the heap.
func TestDeepenAllocatesNothing(t *testing.T) {
	equal(t, testing.AllocsPerRun(10, func() { deepen() }), 0)
}
