package daemon

import (
	"strings"
	"testing"
)

// noError ends a test with the error that a step of it has met.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns the value of a step; an error ends the test that the returned function is called with.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		noError(t, err)
		return v
	}
}

// equal fails a test where a value is not what was wanted; what names the value where the line does not.
func equal[V comparable](t testing.TB, got, want V, what ...string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n%v\nwant\n%v", strings.Join(what, " "), got, want)
	}
}
