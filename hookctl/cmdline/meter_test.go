package cmdline

import (
	"strings"
	"testing"
)

// A second time over the log is a phase of its own, with its own word.
func TestMeter(t *testing.T) {
	c, _, errs := console(t, map[string]string{"TERM": "xterm"})
	c.Terminal = true
	m := c.Meter("checking", "importing")
	for _, done := range []uint64{1, 4, 9, 2} { // 9 of 8: events came while it ran
		m.At(done, 8)
	}
	m.End()
	got := errs.String()
	first, second := strings.Index(got, "checking  12% |"), strings.Index(got, "importing  25% |")
	if first < 0 || second < first || !strings.HasSuffix(got, "\r") {
		t.Errorf("%q", got)
	}
	m.At(1, 8) // a phase that nobody named
	m.End()
	if more := strings.TrimPrefix(errs.String(), got); !strings.Contains(more, " 12% |") {
		t.Errorf("%q", more)
	}
}
