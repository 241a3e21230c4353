package copies

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// ints are lists that have room behind their last entry, so that a function which writes there is caught.
func ints(t *rapid.T) []int {
	list := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 8).Draw(t, "list")
	roomy := make([]int, 0, len(list)+2)
	return append(roomy, list...)
}

func TestPushKeepsTheNewestAndTheListBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := ints(t)
		before := slices.Clone(list)
		n := rapid.IntRange(1, 9).Draw(t, "n")

		got := Push(list, 77, n)
		behind := list[:cap(list)]

		all := append(slices.Clone(before), 77)
		want := all[max(0, len(all)-n):]
		if !slices.Equal(got, want) {
			t.Fatalf("Push(%v, 77, %d) = %v, want %v", before, n, got, want)
		}
		if !slices.Equal(list, before) {
			t.Fatalf("list after Push = %v, want it as it was, %v", list, before)
		}
		if slices.Contains(behind, 77) {
			t.Fatalf("Push wrote behind the last entry of the list: %v", behind)
		}
	})
}

func TestTakeSplitsAListByItsEntries(t *testing.T) {
	list := []int{1, 5, 2, 5, 3}
	rest, taken := Take(list, func(n int) bool { return n == 5 })
	if !slices.Equal(rest, []int{1, 2, 3}) {
		t.Errorf("rest of Take(5) = %v, want [1 2 3]", rest)
	}
	if taken != 5 {
		t.Errorf("entry of Take(5) = %d, want 5", taken)
	}

	rest, taken = Take(list, func(n int) bool { return n == 9 })
	if !slices.Equal(rest, list) {
		t.Errorf("rest of Take(9) = %v, want all of %v", rest, list)
	}
	if taken != 0 {
		t.Errorf("entry of Take(9) = %d, want the zero value", taken)
	}
}

func TestNewestIsTheEndOfAList(t *testing.T) {
	list := []int{1, 2, 3}
	if got := Newest(list, 2); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("Newest(%v, 2) = %v, want [2 3]", list, got)
	}
	if got := Newest(list, 3); !slices.Equal(got, list) {
		t.Errorf("Newest(%v, 3) = %v, want the list", list, got)
	}

	got := Newest(list, 2)
	got[0] = 77
	if list[1] != 2 {
		t.Errorf("a change of Newest's list changed the list itself: %v", list)
	}
}
