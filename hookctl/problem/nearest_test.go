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
		{"tool.suc", types, "tool.succeeded"},
		{"TOOL.Suc", types, "tool.succeeded"},
		{"Session.Started", types, "session.started"},
		{"tool.", types, "tool.requested"}, // begins several: the first
		{"elephant", types, ""},
		{"t", types, ""}, // one letter begins too much
		{"", types, ""},
		{"fsynk", keys, "fsync"},
		{"flsh_intervl", keys, "flush_interval"},
		{"flushintrvls", keys, "flush_interval"}, // four slips of fourteen letters
		{"flshntrvls", keys, ""},                 // six
		{"clr", keys, ""},                        // two slips are more than half of the word
		{"colour", keys, "color"},
		{"collar", keys, "color"},                   // two
		{"lollar", keys, ""},                        // three
		{strings.Repeat("f", 1<<20), keys, ""},      // not compared at all
		{"ab", []string{"xb", "aab", "axb"}, ""},    // a slip is half of it
		{"abc", []string{"xbc", "abx", "b"}, "xbc"}, // of equals the first
		{"any", nil, ""},
	} {
		if got := Nearest(c.word, c.from); got != c.want {
			t.Errorf("%.40q: %q, want %q", c.word, got, c.want)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}, {"ab", "ba", 1}, {"tial", "tail", 1}, {"abcd", "badc", 2}} {
		if got := slips(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
