package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"hookline/events"
)

// tracks are the pictures above the scrubber, as paths in a box of 1000 × 100: x is the event, y the value.
type tracks struct {
	Continuity string // IC
	Coherence  string // r
	Context    string // share of the window in use; "" where it was never recorded
	Open       string // open failures, 8 is the top
	Failed     string // ticks at calls that failed
	Compacted  string // lines at compactions
	Prompts    string // ticks at prompts
	MostOpen   int

	ic, r, open, context []point
	failed, compacted    []int
	prompts              []int
	failing              map[string]bool
}

// point is a value from an event on.
type point struct {
	at    int
	value float64
}

// take notes what a step says for the pictures.
func (t *tracks) take(i int, step Step) {
	switch step.Record.Event.(type) {
	case *events.ToolFailed:
		t.failed = append(t.failed, i)
	case *events.CompactionFinished:
		t.compacted = append(t.compacted, i)
	case *events.PromptSubmitted:
		t.prompts = append(t.prompts, i)
	}
	if t.failing == nil {
		t.failing = map[string]bool{}
	}
	for key, raw := range step.Set {
		var v struct{ R, IC, Used, Window float64 }
		switch {
		case strings.HasPrefix(key, "error "):
			t.failing[key] = true
		case key == "identity" && json.Unmarshal(raw, &v) == nil:
			t.ic = append(t.ic, point{i, v.IC})
			t.r = append(t.r, point{i, v.R})
		case key == "context" && json.Unmarshal(raw, &v) == nil && v.Window > 0:
			t.context = append(t.context, point{i, v.Used / v.Window})
		}
	}
	for _, key := range step.Gone {
		delete(t.failing, key)
	}
	if n := len(t.failing); len(t.open) == 0 || t.open[len(t.open)-1].value != float64(n) {
		t.open = append(t.open, point{i, float64(n)})
		t.MostOpen = max(t.MostOpen, n)
	}
}

// end draws the paths.
func (t *tracks) end(n int) {
	top := float64(max(4, t.MostOpen))
	for i := range t.open {
		t.open[i].value /= top
	}
	t.Continuity = stairs(t.ic, n, false)
	t.Coherence = stairs(t.r, n, false)
	t.Context = stairs(t.context, n, true)
	t.Open = stairs(t.open, n, true)
	t.Failed = ticks(t.failed, n)
	t.Compacted = ticks(t.compacted, n)
	t.Prompts = ticks(t.prompts, n)
}

// x is the place of an event among n in a box 1000 wide.
func x(i, n int) float64 { return 1000 * float64(i) / float64(max(1, n-1)) }

// stairs is the path of values that hold until the next. filled closes it to an area.
func stairs(points []point, n int, filled bool) string {
	if len(points) == 0 {
		return ""
	}
	var b strings.Builder
	first := x(points[0].at, n)
	fmt.Fprintf(&b, "M%.0f %.0f", first, y(points[0].value))
	for _, p := range points[1:] {
		fmt.Fprintf(&b, "H%.0fV%.0f", x(p.at, n), y(p.value))
	}
	b.WriteString("H1000")
	if filled {
		fmt.Fprintf(&b, "V100H%.0fZ", first)
	}
	return b.String()
}

func y(v float64) float64 { return 96 - 92*max(0, min(1, v)) }

// ticks is a path of vertical lines.
func ticks(at []int, n int) string {
	var b strings.Builder
	for _, i := range at {
		fmt.Fprintf(&b, "M%.0f 0V100", x(i, n))
	}
	return b.String()
}
