package cmdline

import (
	"strings"
	"testing"
)

// A second time over the log has a bar of its own.
func TestMeter(t *testing.T) {
	c, _, errs := console(t, map[string]string{"TERM": "xterm"})
	c.Terminal = true
	m := c.Meter("checking")
	for _, done := range []uint64{1, 4, 9, 2} { // 9 of 8: events came while it ran
		m.At(done, 8)
	}
	m.End()
	got := errs.String()
	first, second := strings.Index(got, "checking  12% |"), strings.Index(got, "checking  25% |")
	if first < 0 || second < first || !strings.HasSuffix(got, "\r") {
		t.Errorf("%q", got)
	}
}
