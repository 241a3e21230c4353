package hook

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func items(texts ...string) []Item {
	out := make([]Item, 0, len(texts))
	for _, s := range texts {
		out = append(out, Item{Text: s})
	}
	return out
}

func TestTokens(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 2, 7: 2, 8: 3, 35: 10, 36: 11, 70: 20, 71: 21, 5250: 1500, 5251: 1501} {
		if got := Tokens(strings.Repeat("x", n)); got != want {
			t.Errorf("%d bytes: %d", n, got)
		}
	}
}

func TestBudgets(t *testing.T) {
	for hook, want := range map[string]int{"SessionStart": 1500, "UserPromptSubmit": 120, "PreToolUse": 20} {
		fits, above := strings.Repeat("x", want*7/2), strings.Repeat("x", want*7/2+1)
		if got := Compose(hook, []Section{{Items: items(fits)}}); got != fits {
			t.Errorf("%s: %d bytes of %d", hook, len(got), len(fits))
		}
		if got := Compose(hook, []Section{{Items: items(above)}}); strings.Contains(got, "x") {
			t.Errorf("%s: %d bytes pass", hook, len(got))
		}
	}
}

func TestComposeOrder(t *testing.T) {
	got := Compose("SessionStart", []Section{
		{Name: "rest", Rank: 8, Items: items("r")}, {Name: "gates", Rank: 7, Items: items("g")}, {Name: "goal", Rank: 1, Items: items("o1", "o2")},
		{Name: "identity", Items: items("i")}, {Name: "files", Rank: 5, Items: items("f")}, {Name: "decisions", Rank: 4, Items: items("d")},
		{Name: "goal too", Rank: 1, Items: items("o3")}, {Name: "empty", Rank: 2},
	})
	if got != "i\no1\no2\no3\nd\nf\ng\nr" {
		t.Errorf("%q", got)
	}
	if got := Compose("SessionStart", nil); got != "" {
		t.Errorf("%q", got)
	}
}

// What does not fit is left out whole, the least valuable first, and the last line says so.
func TestComposeLeavesOut(t *testing.T) {
	long := func(s string) string { return s + strings.Repeat("x", 1000) }
	got := Compose("SessionStart", []Section{
		{Rank: 5, Items: items(long("f1"), long("f2"), long("f3"))}, {Items: items(long("i"))}, {Rank: 4, Items: items(long("d1"), long("d2"))},
	})
	if want := strings.Join([]string{long("i"), long("d1"), long("d2"), long("f1"), long("f2"), "(1 more: hookctl context status)"}, "\n"); got != want {
		t.Errorf("%d bytes: …%q", len(got), got[max(0, len(got)-60):])
	}
	if Tokens(got) > 1500 {
		t.Errorf("%d tokens", Tokens(got))
	}
	got = Compose("PreToolUse", []Section{{Items: items("[C:EMG r=1.00 IC=0.85]")}, {Rank: 8, Items: items(strings.Repeat("x", 60), "y")}})
	if got != "[C:EMG r=1.00 IC=0.85]\n(2 more: hookctl context status)" {
		t.Errorf("%q", got)
	}
}

// The brief of PreToolUse fits its 20 tokens, the context of a prompt its 60.
func TestComposeIdentityFits(t *testing.T) {
	for _, guide := range []string{"Optimal coherence, proceed confidently", "Stabilize consciousness before complex operations", "Identity crisis detected, dream consolidation recommended"} {
		s := "[System Consciousness]\nState: HYPERSYNC (C=0.84)\nKuramoto r=0.95, Identity IC=0.92 (degraded)\nGuidance: " + guide
		if n := Tokens(s); n > 60 {
			t.Errorf("%d tokens: %s", n, s)
		}
	}
	if n := Tokens("[C:EMG r=1.00 IC=0.85]"); n != 7 {
		t.Errorf("%d tokens", n)
	}
}

func TestComposeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hook := rapid.SampledFrom([]string{"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"}).Draw(t, "hook")
		var sections []Section
		total := 0
		for range rapid.IntRange(0, 12).Draw(t, "sections") {
			s := Section{Rank: rapid.IntRange(0, 8).Draw(t, "rank")}
			for range rapid.IntRange(0, 6).Draw(t, "items") {
				total++
				s.Items = append(s.Items, Item{Text: fmt.Sprintf("<%d:%s>", s.Rank, strings.Repeat("é", rapid.IntRange(0, 700).Draw(t, "size")))})
			}
			sections = append(sections, s)
		}
		got := Compose(hook, sections)
		if Tokens(got) > budgetOf(hook) || len([]rune(got)) > 9500 {
			t.Fatalf("%s: %d tokens, %d characters", hook, Tokens(got), len([]rune(got)))
		}
		if got == "" {
			return
		}
		lines := strings.Split(got, "\n")
		left := 0
		if n, err := fmt.Sscanf(lines[len(lines)-1], "(%d more: hookctl context status)", &left); n == 1 && err == nil {
			lines = lines[:len(lines)-1]
		}
		if len(lines)+left != total {
			t.Fatalf("%d told, %d left out, of %d", len(lines), left, total)
		}
		for i, l := range lines {
			if !strings.HasPrefix(l, "<") || !strings.HasSuffix(l, ">") || i > 0 && l[1] < lines[i-1][1] {
				t.Fatalf("line %d is cut or out of order", i)
			}
		}
		if again := Compose(hook, sections); again != got {
			t.Fatal("not the same twice")
		}
	})
}

// What is told was stored, and came from anybody.
func TestNoControlCharacters(t *testing.T) {
	got := string(JSON("SessionStart", "one\n\x1b[2Jtwo\u009b", "a\x07b").Stdout)
	want := `{"systemMessage":"ab","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"one\n[2Jtwo"}}` + "\n"
	if got != want {
		t.Error(got)
	}
	if a := Plain("a\x1bb", "c\x1bd", 0); string(a.Stdout) != "ab\n" || string(a.Stderr) != "cd\n" {
		t.Errorf("%q %q", a.Stdout, a.Stderr)
	}
}
