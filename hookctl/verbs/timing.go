package verbs

import (
	"fmt"
	"strings"
	"time"
)

// timing measures the parts of a verb for --timing. A nil one measures nothing.
type timing struct {
	now         func() time.Time
	begin, last time.Time
	parts       []string
	took        []time.Duration
}

func newTiming(now func() time.Time) *timing {
	begin := now()
	return &timing{now: now, begin: begin, last: begin}
}

// done ends a part; the next one begins.
func (t *timing) done(part string) {
	if t == nil {
		return
	}
	now := t.now()
	t.parts, t.took = append(t.parts, part), append(t.took, now.Sub(t.last))
	t.last = now
}

// String is a line for each part, and the whole.
func (t *timing) String() string {
	var b strings.Builder
	b.WriteString("⏱️  Timing:")
	line := func(part string, took time.Duration) {
		fmt.Fprintf(&b, "\n   %-13s %9.1f ms", part, float64(took)/float64(time.Millisecond))
	}
	for i, part := range t.parts {
		line(part, t.took[i])
	}
	line("total", t.last.Sub(t.begin))
	return b.String()
}
