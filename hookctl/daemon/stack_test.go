package daemon

import "testing"

// What makes room on the stack must not do so on the heap.
func TestDeepenAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { deepen() }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
