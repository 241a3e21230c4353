package verbs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
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

// TestEveryTypeHasAFact: a type without a row would show the first text it has; every type of the catalog must have one
// on purpose, and the row must name fields that the type has.
func TestEveryTypeHasAFact(t *testing.T) {
	rows := maps.Clone(factRows())
	for _, k := range events.Catalog() {
		row, ok := rows[k.Type]
		if _, own := k.New().(events.Summarizer); own == ok {
			t.Errorf("%s has a summary of its own: %t, a row: %t", k.Type, own, ok)
		}
		delete(rows, k.Type)
		for _, m := range factField.FindAllStringSubmatch(strings.Join(row.parts, " "), -1) {
			_, known := reflected(k).Properties.Get(m[1])
			if special := m[1] == "call" || m[1] == "took" || m[1][0] == '@'; !known && !special {
				t.Errorf("%s has no field %s", k.Type, m[1])
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("rows of no type: %v", slices.Collect(maps.Keys(rows)))
	}
}

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }
