package insight

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestDiff(t *testing.T) {
	a := Sum{Goal: "ship", Ended: "ended cleanly", Took: time.Minute, Prompts: 2, Calls: map[string]int{"Bash": 3}, Verdicts: map[Verdict]int{Approved: 1},
		Files: []string{"b.go", "a.go"}, Tokens: 10, PicoUSD: 5e12}
	b := Sum{Goal: "ship", Ended: "killed", Took: time.Hour, Prompts: 2, Calls: map[string]int{"Edit": 1}, Files: []string{"a.go", "c.go"}, Commands: []string{"ls"}}
	var got []string
	for _, d := range Diff(a, b) {
		got = append(got, fmt.Sprintf("%s: %s | %s %t", d.What, d.A, d.B, d.Same))
	}
	want := []string{"goal: ship | ship true", "ended: ended cleanly | killed false", "took: 1m0s | 1h0m0s false", "prompts: 2 | 2 true",
		"calls of Bash: 3 | 0 false", "calls of Edit: 0 | 1 false", "asked and approved: 1 | 0 false", "only files: b.go | c.go false",
		"common files: 1 | 1 true", "only commands:  | ls false", "tokens: 10 | 0 false", "dollars: 5.00 | 0.00 false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if len(Diff(Sum{}, Sum{})) != 1 {
		t.Errorf("%v", Diff(Sum{}, Sum{}))
	}
}
