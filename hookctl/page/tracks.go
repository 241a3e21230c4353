package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"hookline/events"
)

// tracks are the graphs above the scrubber, as paths in a box of 1000 × 100: the events from left to right, the values
// upwards.
type tracks struct {
	Continuity string // IC
	Coherence  string // r
	Context    string // share of the window in use; "" where it was never recorded
	Open       string // open failures; the top is MaxOpen, but at least 4
	Failed     string // ticks at calls that failed
	Compacted  string // lines at compactions
	Prompts    string // ticks at prompts
	MaxOpen    int

	continuity, coherence, context, open []point
	failed, compacted, prompts           []int           // numbers of events
	openFailures                         map[string]bool // by key of the state's entry
}

// point is a value that holds from an event on.
type point struct {
	at    int // number of the event in the session
	value float64
}

// add notes the values of a step, which is the event of number i.
func (t *tracks) add(i int, step Step) {
	switch step.Record.Event.(type) {
	case *events.ToolFailed:
		t.failed = append(t.failed, i)
	case *events.CompactionFinished:
		t.compacted = append(t.compacted, i)
	case *events.PromptSubmitted:
		t.prompts = append(t.prompts, i)
	}

	if t.openFailures == nil {
		t.openFailures = map[string]bool{}
	}
	for key, raw := range step.Set {
		if strings.HasPrefix(key, "error ") {
			t.openFailures[key] = true
			continue
		}
		t.addEntry(i, key, raw)
	}
	for _, key := range step.Gone {
		delete(t.openFailures, key)
	}
	t.addOpen(i)
}

// addEntry notes the values of an entry of the state. One of another form has none.
func (t *tracks) addEntry(i int, key string, raw json.RawMessage) {
	switch key {
	case "identity":
		var v struct{ IC, R float64 }
		if json.Unmarshal(raw, &v) == nil {
			t.continuity = append(t.continuity, point{at: i, value: v.IC})
			t.coherence = append(t.coherence, point{at: i, value: v.R})
		}
	case "context":
		var v struct{ Used, Window float64 }
		if json.Unmarshal(raw, &v) == nil && v.Window > 0 {
			t.context = append(t.context, point{at: i, value: v.Used / v.Window})
		}
	}
}

// addOpen notes the number of open failures where it has changed.
func (t *tracks) addOpen(i int) {
	n := len(t.openFailures)
	if last := len(t.open) - 1; last >= 0 && t.open[last].value == float64(n) {
		return
	}
	t.open = append(t.open, point{at: i, value: float64(n)})
	t.MaxOpen = max(t.MaxOpen, n)
}

// draw makes the paths of a session of n events.
func (t *tracks) draw(n int) {
	top := float64(max(4, t.MaxOpen))
	for i := range t.open {
		t.open[i].value /= top
	}

	t.Continuity = stairs(t.continuity, n)
	t.Coherence = stairs(t.coherence, n)
	t.Context = area(t.context, n)
	t.Open = area(t.open, n)

	t.Failed = ticks(t.failed, n)
	t.Compacted = ticks(t.compacted, n)
	t.Prompts = ticks(t.prompts, n)
}

// xOf returns the place of event i of n in a box that is 1000 wide.
func xOf(i, n int) float64 { return 1000 * float64(i) / float64(max(1, n-1)) }

// yOf returns the place of a value from 0 to 1, with a margin of 4 above and below.
func yOf(value float64) float64 { return 96 - 92*max(0, min(1, value)) }

// stairs returns the path of values that each hold until the next.
func stairs(points []point, n int) string {
	if len(points) == 0 {
		return ""
	}

	var b strings.Builder
	fmt.Fprintf(&b, "M%.0f %.0f", xOf(points[0].at, n), yOf(points[0].value))
	for _, p := range points[1:] {
		fmt.Fprintf(&b, "H%.0fV%.0f", xOf(p.at, n), yOf(p.value))
	}
	b.WriteString("H1000")

	return b.String()
}

// area returns the path of stairs that is closed along the bottom.
func area(points []point, n int) string {
	if len(points) == 0 {
		return ""
	}
	return stairs(points, n) + fmt.Sprintf("V100H%.0fZ", xOf(points[0].at, n))
}

// ticks returns a path with a vertical line at each of some events.
func ticks(at []int, n int) string {
	var b strings.Builder
	for _, i := range at {
		fmt.Fprintf(&b, "M%.0f 0V100", xOf(i, n))
	}
	return b.String()
}
