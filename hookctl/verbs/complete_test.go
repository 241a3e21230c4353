package verbs

import (
	"testing"

	"hookline/expect"
)

// What only the log knows is asked of a daemon that runs.
func TestCompletesFromTheLog(t *testing.T) {
	b, _ := peopled(t)
	contains(t, b.must("__complete", "session", "show", "c6"), "c68c8a51\t46m ago, do it\n:36\n")
	contains(t, b.must("__complete", "tail", "--session", ""), "last\t", "c68c8a51\t")
	contains(t, b.must("__complete", "tail", "--project", "bb"), "bbbbbbbbbbbb\tlib, /lib\n:36\n")
	contains(t, b.must("__complete", "req", "status", "--branch", ""), "main\n:36\n")
	contains(t, b.must("__complete", "project", "rehome", "bb"), "bbbbbbbbbbbb\tlib, /lib\n:36\n")
	b.handler = nil
	expect.Equal(t, b.must("__complete", "session", "show", ""), ":4\n", "without a daemon")
}
