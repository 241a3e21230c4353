package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestTableIsSound(t *testing.T) {
	if len(allRules()) > maxRules {
		t.Fatalf("%d rules, room for %d", len(allRules()), maxRules)
	}
	for _, r := range allRules() {
		if len(r.keywords) == 0 || r.id == "" || r.find == nil {
			t.Errorf("%s: incomplete", r.id)
		}
		for _, w := range r.keywords {
			if w != strings.ToLower(w) || len(w) < 2 {
				t.Errorf("%s: keyword %q", r.id, w)
			}
		}
		if r.pattern == "" {
			continue
		}
		r.compile()
	}
}

func TestAutomatonFindsAllAndIsSmall(t *testing.T) {
	a := newAutomaton([]string{"he", "she", "his", "hers"})
	var got []string
	a.walk([]byte("uSHers his"), func(w uint16, start, end int) bool {
		got = append(got, "uSHers his"[start:end])
		return true
	})
	if strings.Join(got, " ") != "SHe He Hers his" {
		t.Errorf("got %q", got)
	}
	r := New()
	if len(r.keywords.out) > 1<<16 || slices.Max(r.keywords.class[:]) >= 1<<classBits {
		t.Fatal("the table's keywords do not fit the automaton")
	}
	if size := 2 * len(r.keywords.next); size > 512<<10 {
		t.Errorf("table of %d bytes, want at most 512 KiB", size)
	}
}
