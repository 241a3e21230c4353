// Package expect holds what tests do with an error and with two values that should be equal.
package expect

import (
	"fmt"
	"strings"
)

// T is what is needed of a test: testing.TB has it, and rapid.T.
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

// Value returns the value of a step; where the step has failed, it ends the test that the returned function is called with.
func Value[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Equal fails a test where a value is not the wanted one, and lets it go on; what names the value where the line does not.
func Equal[V comparable](t T, got, want V, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s", differ(got, want, what))
	}
}

// EqualNow is Equal that ends the test.
func EqualNow[V comparable](t T, got, want V, what ...any) {
	t.Helper()
	if got != want {
		t.Fatalf("%s", differ(got, want, what))
	}
}

func differ(got, want any, what []any) string {
	return strings.TrimSpace(fmt.Sprintln(what...)) + fmt.Sprintf("\ngot  %+v\nwant %+v", got, want)
}
