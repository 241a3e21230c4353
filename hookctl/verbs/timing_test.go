package verbs

import (
	"testing"
	"time"
)

func TestTiming(t *testing.T) {
	clock := noon
	m := newTiming(func() time.Time { return clock })
	for _, took := range []time.Duration{1500 * time.Microsecond, 20 * time.Millisecond} {
		clock = clock.Add(took)
		m.done("part")
	}
	if got, want := m.String(), "⏱️  Timing:\n   part                1.5 ms\n   part               20.0 ms\n   total              21.5 ms"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var none *timing
	none.done("part")
}
