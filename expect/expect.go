// Package expect ends or fails a test where a step of it has failed or two values differ.
package expect

import (
	"fmt"
	"strings"
)

// T has the methods of a test that are used here: those of testing.TB, which rapid.T has, too.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// OK ends the test where a step of it has failed.
func OK(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// Value returns the value of a step. Where the step has failed, it ends the test that the returned function is called with.
func Value[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Equal fails a test where a value is not the wanted one, and lets it go on. The words of what are joined by spaces; they say
// which value it is where the line of the test does not.
func Equal[V comparable](t T, got, want V, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s", difference(got, want, what))
	}
}

// EqualNow fails a test as [Equal] does, and ends it.
func EqualNow[V comparable](t T, got, want V, what ...any) {
	t.Helper()
	if got != want {
		t.Fatalf("%s", difference(got, want, what))
	}
}

// maxShown is the length in bytes up to which a value is printed whole.
const maxShown = 400

// difference returns the message of a failure. Of long values it has only the part around the first byte that differs.
func difference(got, want any, what []any) string {
	name := strings.TrimSpace(fmt.Sprintln(what...))
	if name == "" {
		name = "value"
	}

	gotText, wantText := text(got), text(want)
	if len(gotText) <= maxShown && len(wantText) <= maxShown {
		return fmt.Sprintf("%s\ngot  %s\nwant %s", name, gotText, wantText)
	}

	same := 0
	for same < min(len(gotText), len(wantText)) && gotText[same] == wantText[same] {
		same++
	}
	return fmt.Sprintf("%s, from byte %d of %d (want %d)\ngot  %s\nwant %s",
		name, same, len(gotText), len(wantText), around(gotText, same), around(wantText, same))
}

// text returns a value as it is printed: a string with its quotes, so that blanks at its ends are seen.
func text(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%+v", v)
}

// around returns the part of s around the byte at offset at, as long as [maxShown].
func around(s string, at int) string {
	start := max(at-maxShown/4, 0)
	end := min(start+maxShown, len(s))

	part := s[start:end]
	if start > 0 {
		part = "…" + part
	}
	if end < len(s) {
		part += "…"
	}
	return part
}
