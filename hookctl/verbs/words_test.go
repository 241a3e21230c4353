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

// TestEveryTypeHasAFact: a type that no family covers would show the first text it has; every type
// of the catalog must be covered on purpose.
func TestEveryTypeHasAFact(t *testing.T) {
	families := []func(events.Record) (string, bool){toolFact, turnFact, sessionFact, worldFact, taskFact, identityFact, gateFact, ownFact}
	for _, k := range events.Catalog() {
		covered := 0
		if _, ok := k.New().(events.Summarizer); ok {
			covered++
		}
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
