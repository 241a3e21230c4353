package problem

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	types := []string{"tool.requested", "tool.succeeded", "session.started"}
	keys := []string{"fsync", "idle_exit", "flush_interval", "log_level", "color", "redact_extra"}
	for _, c := range []struct {
		word string
		from []string
		want string
	}{
		{"tool.suceeded", types, "tool.succeeded"},
		{"TOOL.Suc", types, "tool.succeeded"},
		{"tool.", types, "tool.requested"},          // begins several: the first
		{"t", types, ""},                            // one letter begins too much
		{"flushintrvls", keys, "flush_interval"},    // four slips of fourteen letters
		{"flshntrvls", keys, ""},                    // six
		{"clr", keys, ""},                           // two slips are more than half of the word
		{"collar", keys, "color"},                   // two
		{"lollar", keys, ""},                        // three
		{strings.Repeat("f", 1<<20), keys, ""},      // not compared at all
		{"abc", []string{"xbc", "abx", "b"}, "xbc"}, // of equals the first
	} {
		if got := Nearest(c.word, c.from); got != c.want {
			t.Errorf("%.40q: %q, want %q", c.word, got, c.want)
		}
	}
}
