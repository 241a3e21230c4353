package verbs

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"hookline/events"
)

// stopAfter is a pause that takes no time, calls f each time, and ends the verb at the n-th.
func stopAfter(count *int, n int, f func()) func(context.Context, time.Duration) error {
	return func(context.Context, time.Duration) error {
		*count++
		if *count >= n {
			return context.Canceled
		}
		f()
		return nil
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb  c ":                    "a b c",
		"\x1b[31mred\x1b[0m":            "[31mred[0m",
		"x\u009b31m\u202egnp.exe":       "x31mgnp.exe",
		"bad \xff byte":                 "bad \uFFFD byte",
		"\u00a0non\u2028breaking\u3000": "non breaking",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{{"hello", 5, "hello"}, {"hello", 4, "hel…"}, {"hello", 0, "hello"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"e\u0301a\u0301i", 2, "e\u0301…"}} {
		if got := fit(tc.in, tc.n); got != tc.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tc.in, tc.n, got, tc.want)
		}
	}
}

func TestAlias(t *testing.T) {
	for in, want := range map[string]string{sessionA: "c68c8a51", "abc": "abc", "": "", "a-b-c-d-e-f-g-h-i": "abcdefgh", "日本語": "日本語"} {
		if got := alias(in); got != want {
			t.Errorf("alias(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	b := newBench(t, nil)
	for _, tc := range []struct {
		at   time.Time
		want string
	}{
		{time.Time{}, "never"}, {noon, "just now"}, {noon.Add(-2500 * time.Millisecond), "2s ago"}, {noon.Add(-90 * time.Second), "1m ago"},
		{noon.Add(-3*time.Hour - 4*time.Minute), "3h4m ago"}, {noon.Add(-72 * time.Hour), "3 days ago"}, {noon.Add(5 * time.Second), "in 5s"},
	} {
		if got := b.ago(tc.at); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.at, got, tc.want)
		}
	}
}

func TestBytesOf(t *testing.T) {
	for in, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 20 << 30: "20.0 GiB", 1 << 62: "4.0 EiB"} {
		if got := bytesOf(in); got != want {
			t.Errorf("%d: %q, want %q", in, got, want)
		}
	}
}

// TestEveryTypeHasAFact: a type that no family covers would show the first text it has; every type
// of the catalog must be covered on purpose.
func TestEveryTypeHasAFact(t *testing.T) {
	families := []func(events.Record) (string, bool){toolFact, turnFact, sessionFact, worldFact, taskFact, identityFact, gateFact, ownFact}
	for _, k := range events.Catalog() {
		covered := 0
		for _, family := range families {
			if _, ok := family(record(1, k.Type, sessionA, `{}`)); ok {
				covered++
			}
		}
		if covered != 1 {
			t.Errorf("%s is covered by %d families", k.Type, covered)
		}
	}
}

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }
