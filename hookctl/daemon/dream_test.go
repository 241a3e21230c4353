//go:build unix

package daemon

import (
	"fmt"
	"strings"
	"testing"

	"hookline/expect"
)

// A crisis dreams once in its cool-down, as events that point to each other.
func TestCrisisDreamsOnce(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	said := ""
	for i := range 12 {
		a := take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"s-1","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"false"},"error":"Exit code 1"}`, i)))
		said += string(a.Stdout)
	}
	d.effects.Wait()
	expect.Equal(t, strings.Count(said, "dream triggered"), 1, "times", said)
	var ids []string
	var triggered, completed int
	for _, r := range logOf(t, d) {
		ids = append(ids, r.ID)
		switch r.Type {
		case "dream.triggered":
			triggered++
			expect.Equal(t, r.Causation, ids[len(ids)-2], "triggered by")
		case "dream.completed":
			completed++
		}
	}
	if triggered != 1 || completed != 1 {
		t.Errorf("%d triggered, %d completed", triggered, completed)
	}
	mustVerify(t, d)
}
