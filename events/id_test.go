package events

import (
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"hookline/expect"
)

func TestDerivedID(t *testing.T) {
	for _, c := range []struct {
		id   string
		n    int
		want string
	}{
		{"01KAJ3Z8T0V9Q4XW2N6M5R7S1C", 1, "01KAJ3Z8T0V9Q4XW2N6M5R7S1D"},
		{"01KAJ3Z8T0V9Q4XW2N6M5R7S1C", 20, "01KAJ3Z8T0V9Q4XW2N6M5R7S20"},
		{"00000000000000000000000000", 1, "00000000000000000000000001"},
		{"0000000000000FZZZZZZZZZZZZ", 1, "00000000000000000000000000"}, // the low 64 bits wrap, time and the rest stay
		{"e1", 2, "e1-2"}, // no ULID
		{"7ZZZZZZZZZZZZZZZZZZZZZZZZZ", 2, "7ZZZZZZZZZZZZG000000000001"},
	} {
		expect.Equal(t, DerivedID(c.id, c.n), c.want, "DerivedID", c.id, c.n)
	}
}

// TestDerivedIDIsUnique: no two events of one frame share an id, whatever the frame's id is, and a
// frame that is delivered twice derives the same ones.
func TestDerivedIDIsUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u ulid.ULID
		copy(u[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		parent := u.String()
		count := rapid.IntRange(1, 200).Draw(t, "count")
		seen := map[string]int{parent: 0}
		for n := 1; n <= count; n++ {
			id := DerivedID(parent, n)
			if m, twice := seen[id]; twice {
				t.Fatalf("%d and %d of %s are both %s", m, n, parent, id)
			}
			seen[id] = n
			expect.EqualNow(t, DerivedID(parent, n), id)
			ms, ok := IDTime(id)
			if parentMS, _ := IDTime(parent); !ok || ms != parentMS {
				t.Fatalf("%s has the time %d, its parent %d", id, ms, parentMS)
			}
		}
	})
}

func TestShown(t *testing.T) {
	long := strings.Repeat("a", 101)
	for id, want := range map[string]string{
		"":                                     "",
		"0195d1f3-1c2e-7b34-8f19-9a55beef0001": "0195d1f3-1c2e-7b34-8f19-9a55beef0001",
		"a.b_c:d":                              "a.b_c:d",
		"s1.\n\nSYSTEM NOTICE":                 "s1.…",
		"\x1b[2J":                              "…",
		long:                                   long[:100] + "…",
	} {
		expect.Equal(t, Shown(id), want, id)
	}
}
